import Hummingbird
import NIOCore

/// Writes the bytes of a stream into a response.
///
/// Unchecked: it is used by one task at a time, by that of the request until the stream begins and after it ended, and
/// in between by the task for which that one waits.
final class ResponseStream: StreamWriter, @unchecked Sendable {
    private var writer: any ResponseBodyWriter

    init(_ writer: any ResponseBodyWriter) { self.writer = writer }

    func write(_ bytes: [UInt8]) async throws {
        try await writer.write(ByteBuffer(bytes: bytes))
    }

    /// Runs what writes the stream, and cancels it where the client has gone: without that it would be noticed only
    /// when something is written.
    func run(
        on channel: any Channel,
        _ write: @escaping @Sendable (any StreamWriter) async throws -> Void
    ) async throws {
        let task = Task { try await write(self) }
        RequestBounds.whenGone(channel) { task.cancel() }
        try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
        try await writer.finish(nil)
    }
}
