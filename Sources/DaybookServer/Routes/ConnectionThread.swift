import Daybook
import HTTPTypes

/// What may be done on a thread that serves connections: nothing that others would have to wait for.
enum ConnectionThread {
    /// The most bytes of a body that is read and parsed between two reads of connections.
    private static let briefByteCountMax = 16 << 10

    /// Whether a request is answered on its connection's thread: the route is brief, it brings little, and no signature
    /// of a token has to be verified.
    static func mayAnswer(_ request: HTTPFields, to route: Route) -> Bool {
        guard route.pace == .brief, request[.customerToken] == nil,
            request[.transferEncoding] == nil
        else { return false }
        guard let announced = request[.contentLength] else { return true }
        return Int(announced).map { $0 <= briefByteCountMax } ?? false
    }

    /// Does something that may take long, beside the threads that serve connections.
    static func leaving<Result>(_ body: () async throws -> Result) async rethrows -> Result {
        try await CallerThread.$mayWrite.withValue(true) {
            try await withTaskExecutorPreference(globalConcurrentExecutor, operation: body)
        }
    }
}
