import DaybookEvents
package import HTTPTypes

/// What a route answers.
package struct Answer: Sendable {
    package enum Body: Sendable {
        case none
        case bytes([UInt8])
        /// Bytes as they come; the stream ends where the closure returns.
        case stream(@Sendable (any StreamWriter) async throws -> Void)
    }

    package var status: HTTPResponse.Status
    package var headers: HTTPFields
    package var body: Body

    package init(
        status: HTTPResponse.Status = .ok, headers: HTTPFields = [:], body: Body = .none
    ) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    static let jsonType = "application/json"

    /// Canonical JSON.
    static func json(_ object: JSONObject, status: HTTPResponse.Status = .ok) -> Answer {
        bytes(object.canonicalBytes, mediaType: jsonType, status: status)
    }

    package static func text(_ text: String, mediaType: String) -> Answer {
        bytes(Array(text.utf8), mediaType: mediaType)
    }

    package static func bytes(
        _ bytes: [UInt8], mediaType: String, status: HTTPResponse.Status = .ok
    ) -> Answer {
        Answer(status: status, headers: [.contentType: mediaType], body: .bytes(bytes))
    }

    /// Where to go on, which a browser does by itself.
    package static func seeOther(_ path: String) -> Answer {
        Answer(status: .seeOther, headers: [.location: path])
    }

    static func stream(
        mediaType: String, _ write: @escaping @Sendable (any StreamWriter) async throws -> Void
    ) -> Answer {
        Answer(
            headers: [.contentType: mediaType, .cacheControl: "no-store"], body: .stream(write))
    }
}

/// Takes the bytes of a stream; suspends while the reader is slower.
package protocol StreamWriter {
    func write(_ bytes: [UInt8]) async throws
}
