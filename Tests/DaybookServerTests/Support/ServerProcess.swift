import DaybookFixtures
import Foundation
import Testing

/// A server in a process of its own.
final class ServerProcess: Sendable {
    let client: HTTPClient
    let log: String
    private let process: ChildProcess

    /// - Parameters:
    ///   - path: Of a ledger, beside which the log is written.
    ///   - arguments: Further ones of `daybook serve`.
    ///   - fileByteCountMax: How large the files of the process may grow; `nil`: as large as they do.
    init(
        _ path: String, _ arguments: [String] = [], fileByteCountMax: Int? = nil
    ) async throws {
        log = path + ".log"
        process = try Self.start(
            ["serve", path, "--port", "0"] + arguments, log: log,
            fileByteCountMax: fileByteCountMax)
        var port: Int?
        for _ in 0..<600 where port == nil {
            try await Task.sleep(for: .milliseconds(50))
            let text = try String(contentsOfFile: log, encoding: .utf8)
            port = text.firstMatch(of: /127\.0\.0\.1:(\d+)/).flatMap { Int($0.1) }
        }
        client = HTTPClient(port: try #require(port))
    }

    private static func start(
        _ arguments: [String], log: String, fileByteCountMax: Int? = nil
    ) throws -> ChildProcess {
        // A log of a process before would tell of another port.
        try #require(FileManager.default.createFile(atPath: log, contents: nil))
        let program = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appending(path: "daybook").path
        var command = ChildCommand(program, arguments)
        command.errors = .file(log)
        if let fileByteCountMax {
            // POSIX counts in blocks of 512 bytes.
            let script = "ulimit -f \(fileByteCountMax / 512); exec \"$0\" \"$@\""
            command.arguments = ["-c", script, program] + arguments
            command.program = "/bin/sh"
        }
        return try command.start()
    }

    /// Ends it at once, whatever it is doing.
    func kill() { end(by: SIGKILL) }

    /// Memory of its own that is in use, in bytes; `nil` where the system does not tell.
    var ownMemory: Int? {
        // Only Linux has such a file.
        let status = try? String(
            contentsOfFile: "/proc/\(process.identifier)/status", encoding: .utf8)
        return status?.firstMatch(of: /RssAnon:\s+(\d+)/).flatMap { Int($0.1) }.map { 1_024 * $0 }
    }

    /// Runs another command of the built program to its end, without a thread of the pool.
    static func run(_ arguments: [String], log: String) async throws -> Int32 {
        try await start(arguments, log: log).end()
    }

    /// Lets it end what it has begun.
    /// - Returns: Its exit status; negated: the signal that ended it.
    @discardableResult
    func stop() -> Int32 { end(by: SIGTERM) }

    @discardableResult
    private func end(by signal: Int32) -> Int32 {
        process.signal(signal)
        return process.wait()
    }
}
