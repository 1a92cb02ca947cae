import Daybook
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookStore
import DaybookTesting
import Foundation
import InMemoryLogging
import Logging
import Testing

/// Law 3 for files that are not what they were: every byte of a small snapshot, one way and another.
@Suite("Damaged snapshots")
struct SnapshotDamageTests {
    /// Small, so that opening costs little, and still with something in every section.
    static let catalog = """
        app: crowd
        groups: [Pro]
        products:
          com.crowd.pro:
            kind: autoRenewable
            group: Pro
            level: 1
            period: P1M
            prices: { regular: 1.00 USD }
            entitlements: [pro]
        entitlements:
          pro: [everything]
        features:
          everything: {}
        meters:
          tickets: { kind: counter, limit: 3 }
        funnels:
          sale:
            window: P7D
            steps:
              - { name: shown, event: paywall.shown }
              - { name: bought, event: checkout.completed }

        """

    /// Two ids of one person, a subscription, usage, a correction, a zone and the steps of a funnel.
    static var history: [EventDraft] {
        let start = instant("2026-03-01T10:00:00Z")
        let lineage = LineageFixture("2000001", product: "com.crowd.pro")
        return [
            .reported(
                .subjectCreated, at: start, key: "c",
                ["first_seen_at": .integer(start), "tz": "UTC"]),
            .reported(.paywallShown, at: start + 1, key: "p", ["context": "settings"]),
            .used("tickets", at: start + 2, ref: "t1"),
            .used("tickets", at: start + 3, ref: "t2", subject: "anon"),
            .reported(.checkoutCompleted, at: start + 4, key: "d"),
            lineage.started("2000001", from: start + 5, until: start + 30 * LedgerFixture.day),
            .reported(
                .subjectAliased, at: start + 6, key: "a", subject: "anon",
                ["alias": "anon", "canonical": "ada"]),
            .reported(
                .correctionVoided, at: start + 7, key: "v",
                [
                    "target": ["source": "native", "key": .string("tickets/t1/\(start + 2)")],
                    "reason": "mistake",
                ]),
            .used("tickets", at: start + 8, ref: "t3", coveredBy: "pro"),
        ]
    }

    /// A ledger, its snapshots, and what must be answered whatever becomes of them.
    private struct Bench {
        let folder: LedgerFolder
        /// Opened once: what is read anew for every damage is the derived files.
        let store: SQLiteEventStore
        let digest: StateDigest
        let answers: FinalAnswers
        let older: KeptSnapshot
        let newer: KeptSnapshot

        init() async throws {
            folder = try LedgerFolder()
            let ledger = try await Ledger.create(
                at: folder.path, catalog: Array(SnapshotDamageTests.catalog.utf8),
                clock: { LedgerTemplate.later })
            let history = SnapshotDamageTests.history
            try await ledger.record(Array(history.dropLast(3)))
            older = try KeptSnapshot(try ledger.snapshot())
            try await ledger.record(history)
            newer = try KeptSnapshot(try ledger.snapshot())
            digest = try ledger.digest().digest
            answers = try FinalAnswers(ledger)
            try ledger.close()
            try KeptSnapshot.place([newer], in: folder)
            store = try SQLiteEventStore(path: folder.path, readOnly: true)
        }

        struct Outcome {
            /// The cut of the snapshot that was used; 0: none.
            var cut: Int64
            var warnings: [String]
        }

        /// Opens the ledger with these bytes as its newest snapshot, and asks everything.
        func outcome(_ bytes: Data, _ place: Comment) throws -> Outcome {
            try bytes.write(to: folder.derived.appending(path: newer.name))
            let handler = InMemoryLogHandler()
            let log = Logger(label: "daybook") { _ in handler }
            let ledger = try Ledger(
                store: store, path: folder.path, readOnly: true, log: log,
                clock: { LedgerTemplate.later })
            #expect(try FinalAnswers(ledger) == answers, place)
            #expect(try ledger.digest().digest == digest, place)
            let report = try ledger.replay()
            #expect(report.agrees && report.differences.isEmpty, place)
            return Outcome(
                cut: ledger.core.snapshotCut,
                warnings: handler.entries.filter { $0.level >= .warning }.map { "\($0.message)" })
        }
    }

    @Test("What is whole is used, without a word")
    func whole() async throws {
        let bench = try await Bench()
        let outcome = try bench.outcome(bench.newer.bytes, "whole")
        #expect(outcome.cut == bench.newer.cut)
        #expect(outcome.warnings == [])
    }

    @Test("A bit flipped in any byte costs one log line and a fold, and never changes an answer")
    func flips() async throws {
        let bench = try await Bench()
        for index in 0..<bench.newer.bytes.count {
            for mask in [UInt8(1) << (index % 8), 0xFF] {
                var bytes = bench.newer.bytes
                bytes[bytes.startIndex + index] ^= mask
                let place: Comment = "byte \(index) flipped by \(mask)"
                let outcome = try bench.outcome(bytes, place)
                #expect(outcome.warnings.count == 1, "\(place): \(outcome.warnings)")
                #expect(outcome.cut == 0, place)
            }
        }
    }

    @Test("Cut short at any length it is told in one log line and not used")
    func truncations() async throws {
        let bench = try await Bench()
        for count in 0..<bench.newer.bytes.count {
            let outcome = try bench.outcome(
                bench.newer.bytes.prefix(count), "cut after \(count) bytes")
            #expect(outcome.warnings.count == 1, "\(count): \(outcome.warnings)")
            #expect(outcome.cut == 0, "\(count)")
        }
    }

    @Test("With something behind it every answer stays", arguments: [1, 7, 4_096, 70_000])
    func extensions(_ count: Int) async throws {
        let bench = try await Bench()
        for byte in [UInt8(0), 0xA5] {
            let more = Data(repeating: byte, count: count)
            let outcome = try bench.outcome(bench.newer.bytes + more, "\(count) more")
            #expect(outcome.warnings.count <= 1)
        }
    }

    @Test("Behind a damaged snapshot the older one is used")
    func olderOne() async throws {
        let bench = try await Bench()
        try KeptSnapshot.place([bench.older, bench.newer], in: bench.folder)
        var bytes = bench.newer.bytes
        bytes[bytes.startIndex + 20] ^= 1
        let outcome = try bench.outcome(bytes, "the newer one is damaged")
        #expect(outcome.cut == bench.older.cut)
        #expect(outcome.warnings.count == 1)
    }
}
