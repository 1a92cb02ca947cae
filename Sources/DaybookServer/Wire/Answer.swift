import DaybookEvents
package import HTTPTypes
import NIOCore

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
        var answer = Answer(status: status)
        answer.headers[.contentType] = jsonType
        answer.body = .bytes(object.canonicalBytes)
        return answer
    }

    package static func text(_ text: String, mediaType: String) -> Answer {
        var answer = Answer()
        answer.headers[.contentType] = mediaType
        answer.body = .bytes(Array(text.utf8))
        return answer
    }

    static func stream(
        mediaType: String, _ write: @escaping @Sendable (any StreamWriter) async throws -> Void
    ) -> Answer {
        var answer = Answer()
        answer.headers[.contentType] = mediaType
        answer.headers[.cacheControl] = "no-store"
        answer.body = .stream(write)
        return answer
    }
}

/// Takes the bytes of a stream; suspends while the reader is slower.
package protocol StreamWriter {
    func write(_ bytes: [UInt8]) async throws
}
