import DaybookFixtures
import Foundation
import Testing

/// `daybook dashboard` in a process of its own.
enum DashboardProcess {
    /// Shows the recorded apps while a body runs.
    /// - Parameter body: Is given the address that opens the pages once.
    static func showingDemo(_ body: (_ address: String) async throws -> Void) async throws {
        let log = FileManager.default.temporaryDirectory.appending(path: "daybook-\(UUID()).log")
        try Data().write(to: log)
        // What is left of a log harms no other test.
        defer { try? FileManager.default.removeItem(at: log) }
        let program = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appending(path: "daybook").path
        var command = ChildCommand(program, ["dashboard", "--demo", "--port", "0", "--json"])
        command.output = .file(log.path)
        command.folder = Fixtures.root.path
        let process = try command.start()
        defer {
            process.signal(SIGTERM)
            _ = process.wait()
        }
        var address: String?
        for _ in 0..<600 where address == nil {
            try await Task.sleep(for: .milliseconds(50))
            let text = try String(contentsOf: log, encoding: .utf8)
            address = text.firstMatch(of: /"address":"([^"]+)"/).map { String($0.1) }
        }
        try await body(try #require(address))
    }
}
