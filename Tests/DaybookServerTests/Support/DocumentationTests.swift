import Daybook
import DaybookAudit
import DaybookServer
import Foundation
import Logging
import Testing

/// What the documentation catalogs of the products show, compiled and run.
@Suite("Documentation catalogs")
struct DocumentationTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    private let folder = FileManager.default.temporaryDirectory
        .appending(path: "daybook-documentation-\(UUID().uuidString)").path

    init() throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    @Test("The tutorial runs")
    func tutorial() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = folder + "/bedtime.sqlite"
        var lines: [String] = []
        func print(_ parts: Any...) {
            lines.append(parts.map { "\($0)" }.joined(separator: " "))
        }

        // Tutorial begins
        let catalog = """
            app: bedtime
            products:
              com.bedtime.unlimited: { kind: nonConsumable, entitlements: [unlimited] }
            entitlements:
              unlimited: [voices]
            features:
              voices:
            meters:
              stories: { kind: counter, period: lifetime, limit: 2, limitsWith: { unlimited: unlimited } }

            """
        // Step 1 ends

        let ledger = try await Ledger.create(at: path, catalog: Array(catalog.utf8))
        // Step 2 ends

        try await ledger.consume("stories", by: "ada", ref: "story-1")
        try await ledger.consume("stories", by: "ada", ref: "story-2")
        // Step 3 ends

        do {
            try await ledger.consume("stories", by: "ada", ref: "story-3")
        } catch LedgerError.rejected(let rejection, _) {
            print(rejection)  // stories: 2 of 2 used, 1 requested
        }
        // Step 4 ends

        func now() -> Int64 { Int64(Date().timeIntervalSince1970 * 1_000) }
        let purchase = EventDraft(
            type: .purchaseCompleted, subject: "ada", occurredAt: now(),
            source: EventSource(kind: "apple", key: "notification-1"), trust: .verified,
            data: [
                "product": "com.bedtime.unlimited", "kind": "non_consumable",
                "transaction_id": "2000000123456789", "price_milli": 2990, "currency": "USD",
            ])
        try await ledger.record([purchase])
        // Step 5 ends

        let open = try ledger.check("voices", for: "ada")
        print(open.allowed, open.reason)  // true lifetime
        // Step 6 ends

        let position = try ledger.head().position
        let refund = EventDraft(
            type: .purchaseRefunded, subject: "ada", occurredAt: now(),
            source: EventSource(kind: "apple", key: "notification-2"), trust: .verified,
            data: [
                "transaction_id": "2000000123456789", "revoked_at": .integer(now()),
                "type": "full",
            ])
        try await ledger.record([refund])
        // Step 7 ends

        let closed = try ledger.check("voices", for: "ada")
        print(closed.allowed, closed.reason)  // false refunded
        let then = try ledger.check(
            CheckQuestion("voices"), for: "ada", moment: Moment(knownAt: .position(position)))
        print(then.decision.reason, then.asOf.position)
        try ledger.close()
        // Step 8 ends

        #expect(
            lines == [
                "stories: 2 of 2 used, 1 requested", "true lifetime", "false refunded",
                "lifetime 5",
            ])
    }

    @Test("What the articles show of a ledger runs")
    func articles() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = folder + "/bedtime.sqlite"
        let catalog = """
            app: bedtime
            features:
              voices:
            meters:
              stories: { kind: counter, period: lifetime, limit: 1 }

            """
        let other = catalog.replacing("limit: 1", with: "limit: 2")
        let ledger = try await Ledger.create(at: path, catalog: Array(catalog.utf8))
        try await ledger.consume("stories", by: "ada", ref: "story-1")
        let decision = try ledger.check("stories", for: "ada")
        print(decision.allowed, decision.reason)
        #expect(decision.reason == .limitReached)

        let why = try ledger.explain(CheckQuestion("voices"), for: "ada")
        if let turn = why.deciding { print(turn.at, turn.reason) }
        #expect(!why.decision.allowed)

        let report = try ledger.whatIf(WhatIf(catalog: Array(other.utf8)))
        print(report.changed, "of", report.customers)
        #expect(report.changed == 1 && report.customers == 1)
        try ledger.close()

        let (options, log) = (ServerOptions(), Logger(label: "documentation"))
        let server = LedgerServer(
            keys: try KeyStore(folder: folder), options: options, log: log,
            opening: { _ in [try ServedApp(path: path, log: log)] })
        withExtendedLifetime(server) {}
    }

    @Test("Every Swift block of a catalog stands in a test, line by line")
    func blocks() throws {
        let sources = try Self.files(below: "Sources", ["md"]).filter { $0.path.contains(".docc/") }
        #expect(sources.count == 4)
        let tests = try Self.files(below: "Tests", ["swift"]).map {
            Self.joined(try Self.lines($0))
        }
        for source in sources {
            let parts = try String(contentsOf: source, encoding: .utf8)
                .components(separatedBy: "\n```")
            let blocks = parts.enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
            #expect(!blocks.isEmpty)
            for block in blocks {
                let lines = block.components(separatedBy: "\n")
                #expect(lines[0] == "swift")
                let wanted = Self.joined(Array(lines.dropFirst()))
                #expect(
                    tests.contains { $0.contains(wanted) }, "\(source.lastPathComponent): \(wanted)"
                )
            }
        }
    }

    /// `scripts/docs` cuts the tutorial's files out of this one.
    @Test("Every step of the tutorial is marked in this file, in order")
    func steps() throws {
        let page = Self.root.appending(
            path: "Sources/Daybook/Daybook.docc/ARefundAndWhatWasKnown.tutorial")
        let shown = try String(contentsOf: page, encoding: .utf8)
            .matches(of: /file: "step-(\d+)\.swift"/).map { String($0.1) }
        let marked = try Self.lines(URL(filePath: #filePath))
            .compactMap { $0.wholeMatch(of: /\s+\/\/ Step (\d+) ends/).map { String($0.1) } }
        #expect(shown == (1...8).map(String.init))
        #expect(marked == shown)
    }

    private static func lines(_ file: URL) throws -> [String] {
        try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n")
    }

    /// Without indentation and blank lines.
    private static func joined(_ lines: [String]) -> String {
        lines.map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
            .joined(separator: "\n")
    }

    private static func files(below folder: String, _ extensions: [String]) throws -> [URL] {
        let start = root.appending(path: folder)
        let paths = FileManager.default.enumerator(at: start, includingPropertiesForKeys: nil)
        return try #require(paths).compactMap { $0 as? URL }
            .filter { extensions.contains($0.pathExtension) }
    }
}
