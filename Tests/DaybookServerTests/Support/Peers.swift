import DaybookFixtures
import Foundation
import Testing

extension Trait where Self == Peers {
    /// Installs the packages of a list in `Peers` once for all tests of a suite.
    /// - Parameter alone: Packages of which nothing is wanted that they depend on.
    static func peers(_ list: String, alone: [String] = []) -> Self {
        Peers(list: list, alone: alone)
    }
}

/// The scripts, and a Python of their own that has their packages, for as long as a suite runs.
struct Peers: SuiteTrait, TestScoping {
    let list: String
    let alone: [String]

    static let folder = Fixtures.root.appending(path: "Tests/DaybookServerTests/Peers")

    @TaskLocal static var python: String?

    func provideScope(
        for test: Test, testCase: Test.Case?, performing body: @Sendable () async throws -> Void
    ) async throws {
        let place = FileManager.default.temporaryDirectory.appending(path: "daybook-\(UUID())")
        // A suite that already failed must not fail again for leaving something behind.
        defer { try? FileManager.default.removeItem(at: place) }
        let made = try await PeerProcess.run(["python3", "-m", "venv", place.path])
        guard made.status == 0 else {
            throw PeerProblem(
                description: """
                    the extended tier needs python3 with venv (Debian: python3-venv), and a folder \
                    for packages could not be made:
                    \(made.output)
                    """)
        }
        let python = place.appending(path: "bin/python").path
        try await Self.install(
            ["--requirement", Self.folder.appending(path: list).path], python)
        if !alone.isEmpty { try await Self.install(["--no-deps"] + alone, python) }
        try await Self.$python.withValue(python) { try await body() }
    }

    /// Runs a script, and fails with what it printed.
    static func expect(_ script: String, _ arguments: [String], key: String? = nil) async throws {
        let python = try #require(python)
        let path = folder.appending(path: script).path
        let run = try await PeerProcess.run([python, path] + arguments, key: key)
        // The end of it names what was found; tracebacks in the middle can be very long.
        let found = run.output.suffix(30_000)
        #expect(run.status == 0, "\(script) ended with \(run.status):\n\(found)")
    }

    private static func install(_ packages: [String], _ python: String) async throws {
        let run = try await PeerProcess.run(
            [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"] + packages)
        guard run.status == 0 else {
            throw PeerProblem(
                description: """
                    the extended tier needs packages from PyPI, and pip could not install \
                    \(packages.joined(separator: " ")):
                    \(run.output)
                    """)
        }
    }
}

struct PeerProblem: Error, CustomStringConvertible {
    var description: String
}

/// A program that ends soon; ServerProcess says why one that lives long is started in another way.
enum PeerProcess {
    /// Runs a program to its end.
    /// - Parameter key: That of a server, or none.
    /// - Returns: Its exit status, 127 where there is no such program, and what it printed.
    static func run(
        _ command: [String], key: String? = nil
    ) async throws -> (status: Int32, output: String) {
        let log = FileManager.default.temporaryDirectory.appending(path: "daybook-\(UUID()).log")
        try Data().write(to: log)
        // What is left of a log harms no other test.
        defer { try? FileManager.default.removeItem(at: log) }
        var environment = ProcessInfo.processInfo.environment
        environment["DAYBOOK_KEY"] = key
        // The scripts lie in the repository, and leave nothing there.
        environment["PYTHONDONTWRITEBYTECODE"] = "1"
        environment["PYTHONUTF8"] = "1"
        environment["NO_PROXY"] = "127.0.0.1"
        var child = ChildCommand("/usr/bin/env", command)
        child.environment = environment
        // A file, because a pipe that is not read in time stops the program.
        child.output = .file(log.path)
        child.errors = .file(log.path)
        let status = try await child.start().end()
        return (status, try String(contentsOf: log, encoding: .utf8))
    }
}
