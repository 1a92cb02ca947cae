import Hummingbird
import NIOCore

/// Writes the bytes of a stream into a response.
final class ResponseStream: StreamWriter {
    private var writer: any ResponseBodyWriter

    init(_ writer: any ResponseBodyWriter) { self.writer = writer }

    func write(_ bytes: [UInt8]) async throws {
        try await writer.write(ByteBuffer(bytes: bytes))
    }

    func finish() async throws { try await writer.finish(nil) }
}
