import Foundation

/// A server that runs as long as something is measured of it.
struct ServedProgram {
    let port: Int
    private let process: Process

    /// Starts it and waits until it says on which port it listens.
    /// - Parameters:
    ///   - log: Where its standard error goes.
    ///   - saysOnOutput: Whether it says on its standard output where it listens; that goes into the log then.
    init(
        _ program: String, _ arguments: [String], log: String, saysOnOutput: Bool = false
    ) throws {
        process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        guard FileManager.default.createFile(atPath: log, contents: nil),
            let errors = FileHandle(forWritingAtPath: log)
        else { throw BenchmarkError("\(log) cannot be written") }
        process.standardError = errors
        process.standardOutput = saysOnOutput ? errors : FileHandle.nullDevice
        try process.run()
        let end = ContinuousClock.now + .seconds(60)
        var port: Int?
        while port == nil, process.isRunning, ContinuousClock.now < end {
            usleep(1_000)
            port = Self.port(in: try String(contentsOfFile: log, encoding: .utf8))
        }
        guard let port else {
            process.terminate()
            throw BenchmarkError("\(arguments.joined(separator: " ")) did not begin; see \(log)")
        }
        self.port = port
    }

    private static func port(in log: String) -> Int? {
        guard let start = log.range(of: "http://127.0.0.1:") else { return nil }
        return Int(log[start.upperBound...].prefix { $0.isNumber })
    }

    /// How long it takes from its start until it answers that every ledger can be asked.
    static func secondsToReady(
        _ program: String, _ arguments: [String], log: String
    ) throws -> Double {
        let start = ContinuousClock.now
        let server = try ServedProgram(program, arguments, log: log)
        defer { server.stop() }
        while (try? server.answer("GET", "/ready", key: "", body: nil)) == nil {
            guard ContinuousClock.now - start < .seconds(60) else {
                throw BenchmarkError("it was not ready within a minute; see \(log)")
            }
            usleep(1_000)
        }
        return (ContinuousClock.now - start) / .seconds(1)
    }

    func stop() {
        process.terminate()
        process.waitUntilExit()
    }

    /// The bytes with which it answers one request.
    func answer(
        _ method: String, _ path: String, key: String, body: String?
    ) throws -> [UInt8] {
        let head = [
            "\(method) \(path) HTTP/1.1", "Host: localhost", "Authorization: Bearer \(key)",
            "Connection: close", "Content-Length: \(body?.utf8.count ?? 0)",
        ].joined(separator: "\r\n")
        let socket = try LoopbackSocket(port: port)
        defer { socket.close() }
        try socket.send(head + "\r\n\r\n" + (body ?? ""))
        let text = String(decoding: socket.readAll(), as: UTF8.self)
        let parts = text.components(separatedBy: "\r\n\r\n")
        guard text.hasPrefix("HTTP/1.1 200"), parts.count == 2 else {
            throw BenchmarkError("\(method) \(path) was answered with \(text.prefix(200))")
        }
        return Array(parts[1].utf8)
    }
}

/// A connection to a port of this machine.
struct LoopbackSocket {
    let descriptor: Int32

    init(port: Int) throws {
        #if canImport(Glibc)
            let kind = Int32(SOCK_STREAM.rawValue)
        #else
            let kind = SOCK_STREAM
        #endif
        descriptor = socket(AF_INET, kind, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let failure = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard failure == 0 else {
            Foundation.close(descriptor)
            throw BenchmarkError("port \(port) cannot be connected to")
        }
    }

    func send(_ text: String) throws {
        let bytes = Array(text.utf8)
        guard write(descriptor, bytes, bytes.count) == bytes.count else {
            throw BenchmarkError("a request could not be sent")
        }
    }

    /// Everything until the other end closes.
    func readAll() -> [UInt8] {
        var all: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = read(descriptor, &buffer, buffer.count), count > 0 {
            all += buffer[..<count]
        }
        return all
    }

    func close() { Foundation.close(descriptor) }
}

/// Open event streams, whose bytes are read and thrown away by a thread of their own.
final class StreamReaders: @unchecked Sendable {
    // Written before the thread begins and after it ended, else by the thread alone.
    private let sockets: [LoopbackSocket]
    private var thread: Thread?
    private let done = DispatchSemaphore(value: 0)

    /// - Parameter paths: One stream each.
    init(port: Int, paths: [String], key: String) throws {
        sockets = try paths.map { path in
            let socket = try LoopbackSocket(port: port)
            try socket.send(
                "GET \(path) HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\nAuthorization: Bearer \(key)\r\n\r\n"
            )
            return socket
        }
        let thread = Thread { [self] in
            drain()
            done.signal()
        }
        self.thread = thread
        thread.start()
    }

    private func drain() {
        var polled = sockets.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while thread?.isCancelled == false {
            guard poll(&polled, nfds_t(polled.count), 100) > 0 else { continue }
            for index in polled.indices where polled[index].revents != 0 {
                // A stream that ended is not looked at again.
                if read(polled[index].fd, &buffer, buffer.count) <= 0 { polled[index].fd = -1 }
            }
        }
    }

    func close() {
        thread?.cancel()
        done.wait()
        for socket in sockets { socket.close() }
    }
}
