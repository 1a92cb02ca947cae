import Daybook
import DaybookEvents
import DaybookFixtures
import DaybookServer
import Foundation
import Testing

/// What programs that others wrote make of a server: a validator of descriptions, a maker of random requests, and the
/// SDK of OpenFeature for Python.
///
/// They come from PyPI, so this suite needs a network and belongs to the extended tier, which promises it: without
/// Python or a package it fails, and does not look as if it had passed.
@Suite(
    "Clients of others", .serialized,
    .enabled(
        if: ProcessInfo.processInfo.environment["DAYBOOK_TIER"] == "extended",
        "of the extended tier"),
    // What it depends on would bring browsers of its own; its copy of axe-core is all that is wanted.
    .peers("requirements.txt", alone: ["axe-playwright-python==0.1.8"]))
struct PeerTests {
    @Test("openapi-spec-validator takes the description for OpenAPI 3.1")
    func description() async throws {
        try await Self.serving { url, _ in try await Self.expect("validate.py", url) }
    }

    @Test("Schemathesis finds no failure, and no answer that is not described")
    func requests() async throws {
        try await Self.serving { url, keys in
            try await Self.expect("fuzz.py", url, key: keys.admin)
        }
    }

    @Test("Schemathesis without a key comes no further than to what is open")
    func strangers() async throws {
        try await Self.serving { url, _ in try await Self.expect("fuzz.py", url) }
    }

    @Test("The SDK of OpenFeature evaluates features of customers, and is told why it cannot")
    func flags() async throws {
        try await Self.serving { url, keys in
            try await Self.expect("flags.py", url, key: keys.store)
        }
    }

    @Test(
        "Chromium sees every page of every app without an error, by keys, by pointer, in both themes"
    )
    func pages() async throws {
        try await DashboardProcess.showingDemo { address in
            try await Self.expect("pages.py", address)
        }
    }

    @Test("A person in support does and takes back in Chromium what pages offer")
    func actions() async throws {
        try await Self.serving { url, keys in
            try await Self.expect("actions.py", url, key: keys.admin)
        }
    }

    /// Runs a script, and fails with what it printed.
    private static func expect(_ script: String, _ url: String, key: String? = nil) async throws {
        try await Peers.expect(script, [url], key: key)
    }

    // MARK: The server

    /// Streams with purchases, a refund, a transfer and grants, so that answers have something in them.
    private static let streams = [
        "purchase-changes-hands", "refund-after-two-stories", "support-makes-good",
        "purchase-unlocks-at-once",
    ]

    /// Serves Dozzi from a process, with all that its routes need, while a body runs.
    /// - Parameter body: Is given the address, and keys.
    private static func serving(
        _ body: (_ url: String, _ keys: (store: String, admin: String)) async throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "daybook-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        // A test that already failed must not fail again for leaving something behind.
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "dozzi.sqlite").path
        try await fill(path)
        let keys = try KeyStore(folder: folder.path)
        let (_, store) = try keys.create([.store], app: "dozzi", label: "s", by: "test", now: 0)
        let (_, admin) = try keys.create([.admin], app: "dozzi", label: "a", by: "test", now: 0)
        _ = try keys.createLeaseKey(app: "dozzi", by: "test", now: 0)
        try keys.close()
        let agreed = folder.appending(path: "revenuecat.txt")
        // As schemathesis.toml has it.
        try "agreed-with-revenuecat\n".write(to: agreed, atomically: true, encoding: .utf8)
        let root = folder.appending(path: "root.pem").path
        let program = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appending(path: "daybook").path
        let made = try await PeerProcess.run([
            program, "sandbox", "create", root + ".key", "--root", root,
        ])
        try #require(made.status == 0, "\(made.output)")
        let server = try await ServerProcess(
            path,
            [
                "--bundle-id", "com.dozzi.app", "--root", root,
                "--revenuecat-authorization-file", agreed.path,
            ])
        defer { server.kill() }
        try await body("http://127.0.0.1:\(server.client.port)", (store, admin))
        #expect(server.stop() == 0)
    }

    /// Makes a ledger with some months behind it, and with units and a reservation for two customers.
    private static func fill(_ path: String) async throws {
        let document = try Fixtures.catalogDocument("dozzi")
        try await Ledger.create(at: path, catalog: document, clock: { Fixtures.now }).close()
        let ledger = try Ledger.open(path)
        for stream in streams {
            let pair = StreamGolden.Pair(app: "dozzi", name: stream)
            try await ledger.record(try StreamGolden.drafts(of: pair))
        }
        for customer in ["ada", "u_1500"] {
            for grant in ["one", "many"] {
                try await ledger.perform(
                    CommandRequest(
                        .issueGrant(.init(id: grant, target: .meter("stories"), amount: 1_000_000)),
                        subject: customer))
            }
            try await ledger.perform(
                CommandRequest(
                    .reserve(
                        meter: "stories", amount: 1, reservation: "one", timeoutMilliseconds: nil),
                    subject: customer))
        }
        try ledger.close()
    }
}
