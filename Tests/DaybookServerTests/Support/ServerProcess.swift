import Foundation
import Testing

/// A server in a process of its own.
///
/// It is not started by `Process` of Foundation: a child that lives long would inherit the sockets by which that class
/// notices the end of other children that are started at the same time, and their ends would not be noticed.
final class ServerProcess: Sendable {
    let client: HTTPClient
    let log: String
    private let identifier: pid_t

    /// - Parameters:
    ///   - path: Of a ledger, beside which the log is written.
    ///   - arguments: Further ones of `daybook serve`.
    init(_ path: String, _ arguments: [String] = []) async throws {
        let program = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appending(path: "daybook").path
        log = path + ".log"
        #expect(FileManager.default.createFile(atPath: log, contents: nil))
        identifier = try Self.spawn(
            [program, "serve", path, "--port", "0"] + arguments, errors: log)
        var port: Int?
        for _ in 0..<600 where port == nil {
            try await Task.sleep(for: .milliseconds(50))
            let text = try String(contentsOfFile: log, encoding: .utf8)
            port = text.firstMatch(of: /127\.0\.0\.1:(\d+)/).flatMap { Int($0.1) }
        }
        client = HTTPClient(port: try #require(port))
    }

    private static func spawn(_ arguments: [String], errors: String) throws -> pid_t {
        #if canImport(Glibc)
            var actions = posix_spawn_file_actions_t()
            posix_spawn_file_actions_init(&actions)
            defer { posix_spawn_file_actions_destroy(&actions) }
            posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
            posix_spawn_file_actions_addopen(
                &actions, 2, errors, O_WRONLY | O_APPEND | O_CREAT, 0o644)
            // A shell closes what other threads opened meanwhile, and becomes the server.
            let closing = """
                for f in /proc/$$/fd/*; do n=${f##*/}; [ "$n" -le 2 ] || eval "exec $n>&-"; done
                exec "$@"
                """
            let shell = ["/bin/bash", "-c", closing, "serve"] + arguments
            var words: [UnsafeMutablePointer<CChar>?] = shell.map { strdup($0) } + [nil]
            defer { for word in words { free(word) } }
            var identifier: pid_t = 0
            let failure = posix_spawn(&identifier, shell[0], &actions, nil, &words, environ)
            try #require(failure == 0)
            return identifier
        #else
            let process = Process()
            process.executableURL = URL(filePath: arguments[0])
            process.arguments = Array(arguments.dropFirst())
            process.standardError = FileHandle(forWritingAtPath: errors)
            try process.run()
            return process.processIdentifier
        #endif
    }

    /// Ends it at once, whatever it is doing.
    func kill() { end(by: SIGKILL) }

    /// Memory of its own that is in use, in bytes; `nil` where the system does not tell.
    var ownMemory: Int? {
        // Only Linux has such a file.
        let status = try? String(contentsOfFile: "/proc/\(identifier)/status", encoding: .utf8)
        return status?.firstMatch(of: /RssAnon:\s+(\d+)/).flatMap { Int($0.1) }.map { 1_024 * $0 }
    }

    /// Runs another command of the built program to its end, without a thread of the pool.
    static func run(_ arguments: [String], log: String) async throws -> Int32? {
        let program = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appending(path: "daybook").path
        let identifier = try spawn([program] + arguments, errors: log)
        return await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: wait(for: identifier)) }
        }
    }

    /// Lets it end what it has begun.
    /// - Returns: Its exit status; `nil`: a signal ended it.
    @discardableResult
    func stop() -> Int32? { end(by: SIGTERM) }

    @discardableResult
    private func end(by signal: Int32) -> Int32? {
        Foundation.kill(identifier, signal)
        return Self.wait(for: identifier)
    }

    private static func wait(for identifier: pid_t) -> Int32? {
        var status: Int32 = 0
        while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
        return status & 0x7F == 0 ? (status >> 8) & 0xFF : nil
    }
}
