import DaybookEvents
import HTTPTypes
import NIOCore

/// What a route answers.
struct Answer: Sendable {
    enum Body: Sendable {
        case none
        case bytes([UInt8])
        /// Bytes as they come; the stream ends where the closure returns.
        case stream(@Sendable (any StreamWriter) async throws -> Void)
    }

    var status: HTTPResponse.Status = .ok
    var headers = HTTPFields()
    var body = Body.none

    static let jsonType = "application/json"

    /// Canonical JSON.
    static func json(_ object: JSONObject, status: HTTPResponse.Status = .ok) -> Answer {
        var answer = Answer(status: status)
        answer.headers[.contentType] = jsonType
        answer.body = .bytes(object.canonicalBytes)
        return answer
    }

    static func text(_ text: String, mediaType: String) -> Answer {
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
protocol StreamWriter {
    func write(_ bytes: [UInt8]) async throws
}
