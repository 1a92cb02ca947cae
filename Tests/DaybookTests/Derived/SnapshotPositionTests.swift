import Daybook
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookTesting
import Testing

/// Law 2 for snapshots: from any of them, with whatever came after it, the same state.
@Suite("Snapshots at every position")
struct SnapshotPositionTests {
    /// Records one after the other and keeps a snapshot of every position, then starts from each of them.
    private static func startFromEveryPosition(
        _ app: String, _ drafts: [EventDraft], _ name: String
    ) async throws {
        let folder = try LedgerFolder()
        let ledger = try await folder.create(app) { LedgerTemplate.later }
        var kept = [try KeptSnapshot(try ledger.snapshot())]
        for draft in drafts {
            try await ledger.record([draft])
            kept.append(try KeptSnapshot(try ledger.snapshot()))
        }
        let digest = try ledger.digest()
        let answers = try FinalAnswers(ledger)
        try ledger.close()
        #expect(kept.map(\.cut) == Array(1...Int64(drafts.count + 1)))
        for snapshot in kept {
            try KeptSnapshot.place([snapshot], in: folder)
            let reopened = try Ledger.open(
                folder.path, readOnly: true, clock: { LedgerTemplate.later })
            let place: Comment = "\(name), snapshot at \(snapshot.cut)"
            #expect(reopened.core.snapshotCut == snapshot.cut, place)
            #expect(try reopened.digest() == digest, place)
            #expect(try FinalAnswers(reopened) == answers, place)
            #expect(try reopened.replay(workers: 2).differences == [], place)
            try reopened.close()
        }
    }

    @Test(
        "A snapshot at every position of a recorded stream, plus the tail, gives the live state",
        arguments: try StreamGolden.pairs())
    func streams(_ pair: StreamGolden.Pair) async throws {
        try await Self.startFromEveryPosition(
            pair.app, try StreamGolden.drafts(of: pair), pair.description)
    }

    @Test(
        "A snapshot at every position of an invented history, plus the tail, gives the live state",
        arguments: Fixtures.apps)
    func histories(_ app: String) async throws {
        print("seed \(LawTests.seed)")
        var random = SplitMix64(seed: LawTests.seed)
        let drafts = try LawTests.drafts(app, seed: LawTests.seed, subjects: 4, events: 60)
        try await Self.startFromEveryPosition(
            app, drafts.shuffled(using: &random), "\(app), seed \(LawTests.seed)")
    }

    @Test("An id that was aliased before its first event is the same person behind a snapshot, too")
    func aliasBeforeFirstEvent() async throws {
        let start = instant("2026-03-01T10:00:00Z")
        let folder = try LedgerFolder()
        let ledger = try await folder.create("dozzi") { LedgerTemplate.later }
        try await ledger.record([
            .reported(
                .subjectAliased, at: start, key: "alias", ["alias": "anon", "canonical": "ada"])
        ])
        let kept = try KeptSnapshot(try ledger.snapshot())
        try await ledger.record([.used("stories", at: start + 1, ref: "s1", subject: "anon")])
        let digest = try ledger.digest()
        try ledger.close()
        try KeptSnapshot.place([kept], in: folder)
        let reopened = try Ledger.open(folder.path, readOnly: true, clock: { LedgerTemplate.later })
        #expect(reopened.core.snapshotCut == 2)
        #expect(try reopened.digest() == digest)
        let (status, _) = try reopened.status(of: "ada", moment: Moment(at: start + 2))
        #expect(status.meters.first?.used == 1)
        try reopened.close()
    }

    @Test("An alias that was voided before the snapshot joins no stream that begins after it")
    func voidedAliasBeforeFirstEvent() async throws {
        let start = instant("2026-03-01T10:00:00Z")
        let folder = try LedgerFolder()
        let ledger = try await folder.create("dozzi") { LedgerTemplate.later }
        let history: [EventDraft] = [
            .reported(
                .subjectAliased, at: start, key: "alias", ["alias": "anon", "canonical": "ada"]),
            .reported(
                .correctionVoided, at: start + 1, key: "void",
                ["target": ["source": "native", "key": "alias"], "reason": "mistake"]),
        ]
        for draft in history { try await ledger.record([draft]) }
        let kept = try KeptSnapshot(try ledger.snapshot())
        for subject in ["anon", "ada"] {
            try await ledger.record([
                .used("stories", at: start + 2, ref: "s-\(subject)", subject: subject)
            ])
        }
        let digest = try ledger.digest()
        try ledger.close()
        let alone = try Ledger(inMemory: "dozzi", clock: { LedgerTemplate.later })
        try await alone.publish(
            CatalogPublication(document: try Fixtures.catalogDocument("dozzi")))
        try await alone.record(
            history
                + ["anon", "ada"].map {
                    .used("stories", at: start + 2, ref: "s-\($0)", subject: $0)
                })
        #expect(try alone.digest() == digest)
        try KeptSnapshot.place([kept], in: folder)
        let reopened = try Ledger.open(folder.path, readOnly: true, clock: { LedgerTemplate.later })
        #expect(reopened.core.snapshotCut == kept.cut)
        #expect(try reopened.digest() == digest)
        for subject in ["anon", "ada"] {
            #expect(try reopened.check("stories", for: subject).usage?.used == 1, "\(subject)")
        }
        try reopened.close()
    }
}
