package import Daybook
package import HTTPTypes

/// Why a request was not answered as it was asked: problem details (RFC 9457), with the stable codes of the library.
package struct Problem: Error {
    package var status: HTTPResponse.Status
    /// A stable word for programs.
    package var code: String
    /// What failed and what to do, in one or a few sentences; nothing secret.
    package var detail: String
    /// Each mistake of an input by itself.
    package var problems: [InputProblem] = []
    /// Members that this problem has beside those of every one.
    var members = JSONObject()
    package var headers = HTTPFields()

    package init(_ status: HTTPResponse.Status, _ code: String, _ detail: String) {
        self.status = status
        self.code = code
        self.detail = detail
    }

    /// The media type of a problem (RFC 9457 §3).
    static let mediaType = "application/problem+json"

    /// Of types, the code is the part that says more; there are no pages that describe one each.
    private static let typePrefix = "urn:daybook:problem:"

    /// - Parameter request: The id under which the server logged the request.
    func json(of request: String) -> JSONObject {
        var object = JSONObject.error(
            code: code, message: detail, remedy: nil, problems: problems)
        object["message"] = nil
        object["remedy"] = nil
        return object.adding(members).adding([
            "type": .string(Self.typePrefix + code), "title": .string(status.reasonPhrase),
            "status": .count(status.code), "detail": .string(detail),
            "request_id": .string(request),
        ])
    }
}

// MARK: Problems of any request

extension Problem {
    static func badRequest(_ code: String, _ detail: String) -> Problem {
        Problem(.badRequest, code, detail)
    }

    package static func unprocessable(_ code: String, _ detail: String) -> Problem {
        Problem(.unprocessableContent, code, detail)
    }

    /// Refuses a request of which a condition does not hold.
    package static func require(
        _ holds: Bool, as status: HTTPResponse.Status = .unprocessableContent, _ code: String,
        _ detail: @autoclosure () -> String
    ) throws {
        if !holds { throw Problem(status, code, detail()) }
    }

    package static func notFound(_ code: String, _ detail: String) -> Problem {
        Problem(.notFound, code, detail)
    }

    /// Too much is asked at once, or in too short a time.
    /// - Parameter seconds: When it is worth trying again.
    package static func tooMany(
        _ status: HTTPResponse.Status, _ code: String, _ detail: String, after seconds: Int64
    ) -> Problem {
        var problem = Problem(status, code, detail)
        problem.headers[.retryAfter] = String(seconds)
        problem.members["retryable"] = true
        problem.members["retry_after_ms"] = .integer(seconds * 1_000)
        return problem
    }
}
