import Hummingbird

/// A body that is not read to its end, so that the connection cannot go on.
struct BodyProblem: Error {
    let problem: Problem
}

/// Reads what a request sends, up to a bound.
enum BodyReader {
    static func read(_ request: Request, atMost byteCountMax: Int) async throws -> [UInt8] {
        if let announced = request.headers[.contentLength].flatMap(Int.init),
            announced > byteCountMax
        {
            throw tooLarge(byteCountMax)
        }
        var bytes: [UInt8] = []
        do {
            for try await part in request.body {
                guard bytes.count + part.readableBytes <= byteCountMax else {
                    throw tooLarge(byteCountMax)
                }
                bytes.append(contentsOf: part.readableBytesView)
            }
        } catch let error where !(error is BodyProblem) && !(error is CancellationError) {
            // The client closed the connection, was too slow, or what it sent is no HTTP.
            throw BodyProblem(
                problem: .badRequest(
                    "unfinished_body", "the body of the request was not sent to its end"))
        }
        return bytes
    }

    private static func tooLarge(_ byteCountMax: Int) -> BodyProblem {
        BodyProblem(
            problem: Problem(
                .contentTooLarge, "body_too_large",
                byteCountMax == 0
                    ? "this route takes no body"
                    : "this route takes a body of \(byteCountMax) bytes"))
    }
}
