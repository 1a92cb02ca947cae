import DaybookEvents
import DaybookFixtures
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import Synchronization

/// What a server answered.
struct HTTPReply: Sendable {
    var status: Int
    var headers: [String: String]
    var body: [UInt8]

    var text: String { String(decoding: body, as: UTF8.self) }

    /// The object that was answered; empty where none was.
    var json: JSONObject { (try? JSONReader.read(body).object) ?? JSONObject() }

    var code: String? { json["code"]?.text }

    /// The objects of lines, in their order.
    var lines: [JSONObject] {
        body.split(separator: 0x0A).compactMap { try? JSONReader.read(Array($0)).object }
    }
}

/// A small client of HTTP/1.1: a connection for each request, so that no test sees what another left.
struct HTTPClient: Sendable {
    let port: Int
    /// `nil`: without TLS.
    private var tls: NIOSSLContext?

    init(port: Int) { self.port = port }

    /// The same server, asked by TLS.
    func over(_ context: NIOSSLContext) -> HTTPClient {
        var client = self
        client.tls = context
        return client
    }

    private typealias Connection = NIOAsyncChannel<HTTPClientResponsePart, HTTPClientRequestPart>

    /// On a busy machine every step of a request would wait behind the other tests, and the server for the next one.
    private static let threads = OwnThreads()

    private func connect() async throws -> Connection {
        try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let tls {
                        try channel.pipeline.syncOperations.addHandler(
                            NIOSSLClientHandler(context: tls, serverHostname: "localhost"))
                    }
                    try channel.pipeline.syncOperations.addHTTPClientHandlers()
                    return try Connection(wrappingChannelSynchronously: channel)
                }
            }
    }

    /// Sends a request and reads its answer.
    /// - Parameter path: With its query, as it stands in the request.
    func send(
        _ method: HTTPMethod, _ path: String, headers: [(String, String)] = [],
        body: [UInt8] = []
    ) async throws -> HTTPReply {
        func attempt() async throws -> HTTPReply {
            try await connected { connection in
                try await connection.send(method, path, headers: headers, body: body)
            }
        }
        return try await withTaskExecutorPreference(Self.threads) {
            do {
                return try await attempt()
            } catch ChannelError.ioOnClosedChannel {
                // On a busy machine so much time may pass after connecting that the server has stopped waiting for a
                // request; it has got none.
                return try await attempt()
            }
        }
    }

    /// Keeps one connection for as many requests as a body sends.
    func connected<Result>(
        _ body: (inout HTTPConnection) async throws -> Result
    ) async throws -> Result {
        try await connect().executeThenClose { inbound, outbound in
            var connection = HTTPConnection(
                parts: inbound.makeAsyncIterator(), outbound: outbound)
            return try await body(&connection)
        }
    }

    /// Reads the lines of a stream as they come, until the body has enough or the server ends.
    /// - Parameter take: Is given each line; whether another one is wanted.
    func stream(
        _ path: String, headers: [(String, String)] = [],
        _ take: @Sendable (String) async throws -> Bool
    ) async throws -> Int {
        try await connect().executeThenClose { inbound, outbound in
            try await HTTPConnection.write(.GET, path, headers, [], to: outbound)
            var status = 0
            var rest: [UInt8] = []
            for try await part in inbound {
                switch part {
                case .head(let head): status = Int(head.status.code)
                case .body(let bytes):
                    rest += bytes.readableBytesView
                    while let end = rest.firstIndex(of: 0x0A) {
                        let line = String(decoding: rest[..<end], as: UTF8.self)
                        rest.removeSubrange(...end)
                        guard try await take(line) else { return status }
                    }
                case .end: return status
                }
            }
            return status
        }
    }

    /// Sends a request and takes nothing of its answer while a body runs.
    func ignoring(
        _ path: String, headers: [(String, String)], _ body: () async throws -> Void
    ) async throws {
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.autoRead, value: false)
            .channelOption(.socketOption(.so_rcvbuf), value: 4_096)
            .connect(host: "127.0.0.1", port: port).get()
        let lines =
            ["GET \(path) HTTP/1.1", "host: localhost"] + headers.map { "\($0): \($1)" }
        let head = lines.joined(separator: "\r\n") + "\r\n\r\n"
        try await channel.writeAndFlush(ByteBuffer(string: head))
        try await body()
        // The server may have closed it before.
        try? await channel.close()
    }

    /// Sends bytes as they are, and reads what comes until the server closes the connection.
    /// - Parameters:
    ///   - pieces: Each after a pause.
    ///   - isClosing: Whether this side is closed after them, while the other one may still answer.
    func raw(
        _ pieces: [[UInt8]], pause: Duration = .zero, closing isClosing: Bool = false
    ) async throws -> String {
        let connection = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(
                        wrappingChannelSynchronously: channel,
                        configuration: .init(isOutboundHalfClosureEnabled: true))
                }
            }
        let bytes = Mutex<[UInt8]>([])
        do {
            try await connection.executeThenClose { inbound, outbound in
                let sender = Task {
                    for piece in pieces {
                        try await outbound.write(ByteBuffer(bytes: piece))
                        try await Task.sleep(for: pause)
                    }
                    if isClosing { outbound.finish() }
                }
                defer { sender.cancel() }
                for try await part in inbound {
                    bytes.withLock { $0 += part.readableBytesView }
                }
            }
        } catch is ChannelError {
            // A connection that is closed or reset has said what it had to say.
        } catch is IOError {}
        return String(decoding: bytes.withLock { $0 }, as: UTF8.self)
    }
}

/// One connection, for one request after the other.
struct HTTPConnection {
    fileprivate var parts: NIOAsyncChannelInboundStream<HTTPClientResponsePart>.AsyncIterator
    fileprivate let outbound: NIOAsyncChannelOutboundWriter<HTTPClientRequestPart>

    /// Sends a request and reads its answer.
    mutating func send(
        _ method: HTTPMethod, _ path: String, headers: [(String, String)] = [],
        body: [UInt8] = []
    ) async throws -> HTTPReply {
        try await Self.write(method, path, headers, body, to: outbound)
        var reply = HTTPReply(status: 0, headers: [:], body: [])
        while let part = try await parts.next() {
            switch part {
            case .head(let head):
                reply.status = Int(head.status.code)
                for field in head.headers {
                    reply.headers[field.name.lowercased()] = field.value
                }
            case .body(let bytes): reply.body += bytes.readableBytesView
            case .end: return reply
            }
        }
        return reply
    }

    fileprivate static func write(
        _ method: HTTPMethod, _ path: String, _ headers: [(String, String)], _ body: [UInt8],
        to outbound: NIOAsyncChannelOutboundWriter<HTTPClientRequestPart>
    ) async throws {
        var head = HTTPRequestHead(version: .http1_1, method: method, uri: path)
        let host = headers.contains { $0.0 == "host" } ? [] : [("host", "localhost")]
        head.headers = HTTPHeaders(host + headers)
        if !body.isEmpty { head.headers.add(name: "content-length", value: "\(body.count)") }
        try await outbound.write(.head(head))
        if !body.isEmpty {
            try await outbound.write(.body(.byteBuffer(ByteBuffer(bytes: body))))
        }
        try await outbound.write(.end(nil))
    }
}
