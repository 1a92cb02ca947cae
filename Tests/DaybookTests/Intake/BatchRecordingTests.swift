import Daybook
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookTesting
import Testing

@Suite("Facts in batches")
struct BatchRecordingTests {
    private func batch(_ start: Int, _ count: Int = 400) -> [EventDraft] {
        (start..<start + count).map { number in
            .used(
                "stories", at: LedgerFixture.start - Int64(number), ref: "r\(number)",
                subject: "customer \(number % 70)")
        }
    }

    @Test("Every batch is a commit, in order, and the ledger is the one that single calls make")
    func order() async throws {
        let batches = [batch(0), batch(400, 1), [], batch(401, 300), batch(401, 300), batch(701)]
        let ledger = try await Fixtures.ledger("dozzi")
        let before = try ledger.head().position
        let commits = try ledger.activity().commits
        var told: [Int] = []
        let sum = try await ledger.record(batches: batches) { told.append($0.appended) }
        #expect(told == [400, 401, 701, 701, 1_101])
        #expect(sum.appended == 1_101 && sum.duplicates == 300)
        #expect(sum.firstPosition == before + 1 && sum.lastPosition == before + 1_101)
        // The fourth had nothing new.
        #expect(try ledger.activity().commits == commits + 4)
        let single = try await Fixtures.ledger("dozzi")
        for batch in batches { try await single.record(batch) }
        #expect(try ledger.digest().digest == single.digest().digest)
        #expect(try ledger.event(at: before + 402)?.draft == single.event(at: before + 402)?.draft)
        #expect(try ledger.replay().agrees)
    }

    @Test("A batch that is refused leaves those before it, says where, and can be sent again")
    func refusal() async throws {
        let ledger = try await Fixtures.ledger("dozzi")
        let before = try ledger.head().position
        var batches = [batch(0), batch(400), batch(800), batch(1_200)]
        batches[2][7].data["amount"] = "two"
        do {
            try await ledger.record(batches: batches)
            Issue.record("a batch with a mistake was taken in")
        } catch LedgerError.badInput(let problems) {
            #expect(problems.map(\.line) == [808])
            #expect(problems.map(\.code) == ["wrong_type"])
        }
        #expect(try ledger.head().position == before + 800)
        batches[2][7].data["amount"] = 1
        let sum = try await ledger.record(batches: batches)
        #expect(sum.appended == 800 && sum.duplicates == 800)
    }

    @Test("Batches are asked for one ahead, and none of none")
    func lazily() async throws {
        let ledger = try await Fixtures.ledger("dozzi")
        var asked = 0
        var ahead = 0
        let batches = sequence(state: 0) { (next: inout Int) -> [EventDraft]? in
            guard next < 10 else { return nil }
            next += 1
            asked += 1
            return batch(400 * next)
        }
        var committed = 0
        try await ledger.record(batches: batches) { _ in
            committed += 1
            ahead = max(ahead, asked - committed)
        }
        #expect(asked == 10 && committed == 10 && ahead == 1)
        let none = try await ledger.record(batches: [[EventDraft]]())
        #expect(none.appended == 0 && none.firstPosition == nil)
    }

    @Test("Recorded times are kept where that is asked for")
    func recordedTimes() async throws {
        let ledger = try Ledger(inMemory: "dozzi", clock: { LedgerFixture.start })
        var batches = [batch(0, 3), batch(3, 3)]
        for index in 0..<6 {
            batches[index / 3][index % 3].recordedAt = LedgerFixture.start - 60_000 + Int64(index)
        }
        try await ledger.record(batches: batches, isAsRecorded: true)
        let times = try (1...6).map { try ledger.event(at: Int64($0))?.recordedAt }
        #expect(times == (0..<6).map { LedgerFixture.start - 60_000 + $0 })
    }
}
