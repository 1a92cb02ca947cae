import Daybook
import DaybookAudit
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookStore
import DaybookTesting
import Foundation
import Synchronization
import Testing

/// What becomes visible when: commits that fail, reads that fail after a commit, readers beside writers.
@Suite("Commits and what is seen of them")
struct LedgerCommitTests {
    private static let now: Int64 = 1_767_225_600_000

    private static func alias(_ alias: String, _ canonical: String) -> CommandRequest {
        CommandRequest(.alias(to: canonical), subject: alias)
    }

    @Test("A commit that fails leaves nothing behind, not even in memory")
    func failedCommit() async throws {
        let store = HookedStore(app: "dozzi")
        let ledger = try await store.dozzi(now: Self.now)
        try await ledger.consume("stories", by: "ada", ref: "s1")
        try await ledger.perform(Self.alias("anon", "ada"))
        let before = try ledger.digest()
        store.fail(.commit)
        // A new stream of an alias of another customer.
        await #expect(throws: LedgerError.self) {
            try await ledger.consume("stories", by: "anon", ref: "s2")
        }
        await #expect(throws: LedgerError.self) {
            try await ledger.consume("stories", by: "cleo", ref: "s3")
        }
        #expect(try ledger.digest() == before)
        store.fail(.none)
        // The number that the failed stream had goes to another customer.
        try await ledger.consume("stories", by: "bob", ref: "s4")
        #expect(try ledger.check("stories", for: "ada").usage?.used == 1)
        #expect(try ledger.check("stories", for: "bob").usage?.used == 1)
        try await ledger.consume("stories", by: "anon", ref: "s2")
        #expect(try ledger.check("stories", for: "ada").usage?.used == 2)
        let report = try ledger.replay()
        #expect(report.agrees)
        let findings = try ledger.verify()
        #expect(findings.filter { !$0.isClean } == [])
    }

    @Test("A customer who begins with a command is at hand: what follows reads no event")
    func begins() async throws {
        let store = HookedStore(app: "dozzi")
        let ledger = try await store.dozzi(now: Self.now)
        try await ledger.consume("stories", by: "ada", ref: "s1")
        store.fail(.rows)
        #expect(try ledger.check("stories", for: "ada").usage?.used == 1)
        try await ledger.consume("stories", by: "ada", ref: "s2")
        #expect(try ledger.check("stories", for: "ada").usage?.used == 2)
        store.fail(.none)
        #expect(try ledger.replay().agrees)
    }

    @Test("Whenever another process commits, every stream has a name that is known")
    func betweenReads() async throws {
        let store = HookedStore(app: "dozzi")
        let ledger = try await store.dozzi(now: Self.now)
        try await ledger.consume("stories", by: "ada", ref: "s1")
        /// A customer's first event, as another process commits it.
        @Sendable func commit(_ subject: String) throws {
            var names = NameTable()
            for name in try store.names(after: 0) { _ = names.intern(name) }
            let count = names.count
            let draft = EventDraft.used("stories", at: 1_000, ref: subject, subject: subject)
            var row = EventEncoder.row(draft, names: &names)
            let stream = StreamRecord(
                id: UInt32(try store.streams(after: 0).count + 1), environment: .production,
                kind: .customer, name: try #require(names.id(of: subject)))
            let head = try store.head()
            row.event.position = head.position + 1
            row.event.stream = stream.id
            (row.streamVersion, row.recordedAt) = (1, head.recordedAt)
            let batch = AppendBatch(
                expectedHead: head.position, nameCount: count,
                names: names.texts(after: count), streams: [stream], rows: [row],
                documents: [])
            try store.exclusively { _ = try $0.append(batch) }
        }
        try commit("bob")
        let turns = Mutex(0)
        store.before { call in
            guard call == .names || call == .streams else { return }
            // Between the two reads, once: what the other process itself reads is not meant.
            guard
                turns.withLock({
                    $0 += 1; return $0 == 2
                })
            else { return }
            try commit("cleo")
        }
        try ledger.refresh()
        store.before { _ in }
        #expect(turns.withLock { $0 } > 2, "The second commit came between")
        let state = ledger.core.state.withLock { $0 }
        for stream in 1...UInt32(state.storedStreamCount) {
            #expect(Int(state.stream(stream).name) <= state.storedNameCount, "\(stream)")
        }
        for subject in ["bob", "cleo"] {
            #expect(try ledger.check("stories", for: subject).usage?.used == 1)
        }
    }

    @Test("A reader beside a commit reads nothing of it, and sees it when it is acknowledged")
    func readerBesideCommit() async throws {
        let store = HookedStore(app: "dozzi")
        let ledger = try await store.dozzi(now: Self.now)
        try await ledger.consume("stories", by: "ada", ref: "s1")
        #expect(try ledger.check("stories", for: "ada").usage?.used == 1)
        let seen = Mutex<[Int64?]>([])
        let readings = Mutex(0)
        store.before { call in
            guard call == .committed else { return readings.withLock { $0 += 1 } }
            readings.withLock { $0 = 0 }
            let used = try ledger.check("stories", for: "ada").usage?.used
            #expect(readings.withLock { $0 } == 0, "the reader went to the store")
            seen.withLock { $0.append(used) }
        }
        try await ledger.consume("stories", by: "ada", ref: "s2")
        #expect(try ledger.check("stories", for: "ada").usage?.used == 2)
        try await ledger.record([.used("stories", at: 1_767_225_599_000, ref: "s3")])
        #expect(try ledger.check("stories", for: "ada").usage?.used == 3)
        #expect(seen.withLock { $0 } == [1, 2])
        store.before { _ in }
        // Another ledger on the same store is another process to it.
        let other = try Ledger(store: store, clock: { Self.now })
        try await other.record([.used("stories", at: 1_767_225_599_500, ref: "s4")])
        #expect(try ledger.check("stories", for: "ada").usage?.used == 4)
    }

    @Test("A read that fails after a commit takes no receipt back, and is made up for")
    func failedFold() async throws {
        let store = HookedStore(app: "dozzi")
        let ledger = try await store.dozzi(now: Self.now)
        try await ledger.consume("stories", by: "ada", ref: "s1")
        try await ledger.consume("stories", by: "ada", ref: "s2")
        var late = EventDraft(
            type: .usageRecorded, subject: "ada", occurredAt: 1_000,
            source: EventSource(kind: "native", key: "late"), trust: .imported,
            data: ["meter": "stories", "amount": 1, "ref": "s0"])
        store.fail(.rows)
        // A late event refolds its aggregate from the rows, which cannot be read now.
        #expect(try await ledger.record([late]).appended == 1)
        #expect(throws: LedgerError.self) { try ledger.check("stories", for: "ada") }
        store.fail(.none)
        #expect(try ledger.check("stories", for: "ada").usage?.used == 3)
        #expect(try ledger.replay().agrees)
        late.data["ref"] = "another"
        await #expect(throws: LedgerError.self) { try await ledger.record([late]) }
    }

    @Test(
        "Readers and writers of one ledger: every version follows the one before",
        .timeLimit(.minutes(10)))
    func readersBesideWriters() async throws {
        let folder = try LedgerFolder()
        let ledger = try await folder.create("dozzi") { Self.now }
        try await withTaskExecutorPreference(OwnThreads()) {
            try await Self.readAndWrite(ledger)
        }
        for writer in 0..<4 {
            for number in 0..<50 {
                #expect(try ledger.check("stories", for: "u\(writer)-\(number)").usage?.used == 2)
            }
        }
        let findings = try ledger.verify()
        #expect(findings.filter { !$0.isClean } == [])
        try ledger.close()
        let reopened = try Ledger.open(folder.path, clock: { Self.now })
        #expect(try reopened.verify().allSatisfy(\.isClean))
        try reopened.close()
    }

    private static func readAndWrite(_ ledger: Ledger) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<4 {
                group.addTask {
                    for number in 0..<150 {
                        let subject = "u\(writer)-\(number / 3)"
                        _ = try? await ledger.consume("stories", by: subject)
                        if number % 10 == 0 {
                            try await ledger.perform(Self.alias("anon\(writer)-\(number)", subject))
                        }
                    }
                }
            }
            for reader in 0..<4 {
                group.addTask {
                    for number in 0..<1_500 {
                        let subject = "u\(reader)-\(number / 30)"
                        let used = try ledger.check("stories", for: subject).usage?.used ?? 0
                        #expect(used >= 0 && used <= 2)
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}
