import HTTPTypes

/// Which web pages may ask from a browser (WHATWG Fetch, CORS protocol): those of the origins that are listed.
struct CrossOrigin: Sendable {
    /// Such as `https://app.example`; compared byte by byte, as browsers send them.
    let origins: Set<String>

    /// What an answer to a listed origin says beside; nothing for others, whose browsers then keep the answer away from
    /// the page.
    func headers(for request: HTTPFields) -> HTTPFields {
        var headers = HTTPFields()
        guard !origins.isEmpty else { return headers }
        headers[.vary] = "Origin"
        guard let origin = request[.origin], origins.contains(origin) else { return headers }
        headers[.accessControlAllowOrigin] = origin
        headers[.accessControlExposeHeaders] = Self.exposed
        return headers
    }

    /// Answers a browser that asks before it sends.
    /// - Returns: `nil` for what is no such question, or of no listed origin.
    func preflight(_ request: HTTPFields, methods: [HTTPRequest.Method]) -> Answer? {
        guard request[.accessControlRequestMethod] != nil, let origin = request[.origin],
            origins.contains(origin)
        else { return nil }
        var answer = Answer(status: .noContent)
        answer.headers = headers(for: request)
        answer.headers[.accessControlAllowMethods] =
            methods.map(\.rawValue).sorted().joined(separator: ", ")
        answer.headers[.accessControlAllowHeaders] = Self.allowed
        answer.headers[.accessControlMaxAge] = "600"
        return answer
    }

    private static let allowed = list([
        .authorization, .contentType, .customerToken, .idempotencyKey, .ifNoneMatch, .lastEventID,
        .traceParent,
    ])
    private static let exposed = list([
        .eTag, .place, .rateLimit, .rateLimitPolicy, .requestID, .retryAfter,
    ])

    private static func list(_ names: [HTTPField.Name]) -> String {
        names.map(\.rawName).joined(separator: ", ")
    }
}
