import Daybook
import DaybookAudit
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookTesting
import Foundation
import Testing

@Suite("Digests after each event, and what two builds fold otherwise")
struct DigestTraceTests {
    private static let isExtended = ProcessInfo.processInfo.environment["DAYBOOK_TIER"] != nil

    @Test(
        "Every digest is that of a ledger that ends there", arguments: try StreamGolden.pairs())
    func everyPosition(_ pair: StreamGolden.Pair) async throws {
        let ledger = try await StreamGolden.ledger(
            pair.app, holding: try StreamGolden.drafts(of: pair))
        let trace = try ledger.digests(every: 1)
        #expect(trace.events == (try ledger.head().position))
        for position in 1...trace.events {
            let digest = try ledger.digest(knownAt: .position(position)).digest
            #expect(trace.digests[Int(position) - 1] == digest, "\(pair) at \(position)")
            #expect(trace.lowBits[Int(position) - 1] == digest.lowBits)
        }
        #expect(try ledger.digests(every: 1, workers: 3) == trace)
        let half = try ledger.digests(every: 1, through: trace.events / 2)
        #expect(half.digests == Array(trace.digests.prefix(Int(trace.events / 2))))
    }

    @Test("A month of people, with aliases, corrections and late events")
    func month() async throws {
        for app in Fixtures.apps {
            let ledger = try await Self.month(app, subjects: 60)
            let trace = try ledger.digests(every: 53)
            for (index, digest) in trace.digests.enumerated() {
                let position = trace.range(of: index).upperBound
                #expect(
                    try ledger.digest(knownAt: .position(position)).digest == digest,
                    "\(app) at \(position)")
            }
        }
    }

    @Test("Invented histories, in any order of arrival", arguments: Fixtures.apps)
    func invented(app: String) async throws {
        var random = SplitMix64(seed: LawTests.seed)
        print("seed \(LawTests.seed)")
        for seed in (0..<3).map({ LawTests.seed &+ $0 }) {
            let drafts = try LawTests.drafts(app, seed: seed, subjects: 8, events: 300)
                .shuffled(using: &random)
            let folder = try LedgerFolder()
            let ledger = try await Self.ledger(
                app, in: folder, recording: drafts, batchCount: 64)
            let trace = try ledger.digests(every: 41)
            for (index, digest) in trace.digests.enumerated() {
                let position = trace.range(of: index).upperBound
                #expect(
                    try ledger.digest(knownAt: .position(position)).digest == digest,
                    "\(app), seed \(seed), at \(position)")
            }
            #expect(trace.digests.last == (try ledger.digest().digest))
        }
    }

    @Test(
        "A UUID in two spellings is one aggregate from the event on that names the second of them")
    func spelled() async throws {
        let (lower, upper) = (
            "7e3fb20b-4cdb-47cc-936d-99d65f608138", "7E3FB20B-4CDB-47CC-936D-99D65F608138"
        )
        func used(_ subject: String, _ ref: String) -> EventDraft {
            .used("stories", at: 5, ref: ref, subject: subject)
        }
        let handedOver = EventDraft(
            type: .purchaseTransferred, subject: nil, occurredAt: 9,
            source: EventSource(kind: "native", key: "t"), trust: .imported,
            data: [
                "from": "somebody", "to": .string(lower), "original_transaction_id": "7",
            ])
        let histories = [
            [used(lower, "a"), used("ada", "b"), used(upper, "c"), used(lower, "d")],
            [used(upper, "a"), used(lower, "b"), used(upper, "c")],
            [used(upper, "a"), used("ada", "b"), handedOver, used(upper, "c"), used(lower, "d")],
        ]
        for drafts in histories {
            let folder = try LedgerFolder()
            let ledger = try await Self.ledger(
                "dozzi", in: folder, recording: drafts, batchCount: 1)
            let trace = try ledger.digests(every: 1)
            for position in 1...trace.events {
                #expect(
                    trace.digests[Int(position) - 1]
                        == (try ledger.digest(knownAt: .position(position)).digest),
                    "\(drafts[0].subject ?? "") first, at \(position)")
            }
        }
    }

    private static func ledger(
        _ app: String, in folder: LedgerFolder, recording drafts: [EventDraft], batchCount: Int
    ) async throws -> Ledger {
        let ledger = try await folder.create(app) { LedgerTemplate.later }
        for start in stride(from: 0, to: drafts.count, by: batchCount) {
            try await ledger.record(Array(drafts[start..<min(drafts.count, start + batchCount)]))
        }
        return ledger
    }

    private static func month(_ app: String, subjects: Int) async throws -> Ledger {
        let month = SyntheticMonth(
            catalog: try Fixtures.catalog(app), seed: 51, subjects: subjects)
        return try await StreamGolden.ledger(app, holding: month.deliveries, batchCount: 4_096)
    }

    /// The fold with a mistake: it does not see some events.
    private static func blind(
        to isHidden: @escaping @Sendable (Event) -> Bool
    ) -> AggregateStep {
        { state, event, names in
            if !isHidden(event) { state.evolve(event, names: names) }
        }
    }

    @Test(
        "A mistake about any one event is found at that event", arguments: try StreamGolden.pairs())
    func planted(_ pair: StreamGolden.Pair) async throws {
        let drafts = try StreamGolden.drafts(of: pair)
        let ledger = try await StreamGolden.ledger(pair.app, holding: drafts)
        let trace = try ledger.digests(every: 4)
        #expect(try ledger.bisect(against: trace).found == nil)
        for position in 1...trace.events {
            let before = try ledger.digest(knownAt: .position(position - 1)).digest
            let after = try ledger.digest(knownAt: .position(position)).digest
            let event = try #require(try ledger.event(at: position))
            let isSeen = event.stream.kind != .ledger && !event.type.isEvidence
            // One that came after its own correction is void from the beginning.
            guard isSeen, before != after else { continue }
            let fold = Self.blind { $0.position == position }
            let found = try #require(
                try ledger.bisect(against: trace, fold: fold).found, "\(pair) \(position)")
            #expect(found.range == position...position)
            #expect(found.event?.position == position)
            // The other way round it is the same event.
            let wrong = try ledger.digests(every: 4, fold: fold)
            #expect(try ledger.bisect(against: wrong).found?.range == position...position)
        }
    }

    @Test(
        "A mistake in a fold is found to the event, in a ledger of a million in the extended tier")
    func large() async throws {
        let ledger = try await Self.month("dozzi", subjects: Self.isExtended ? 70_000 : 2_000)
        let count = try ledger.head().position
        #expect(count > (Self.isExtended ? 1_000_000 : 25_000))
        let trace = try ledger.digests()
        // Uses that are taken back stay used, from the middle of the ledger on.
        var expected: Int64?
        let half = count / 2
        try ledger.export(after: half) { line in
            guard expected == nil else { return }
            let object = try JSONReader.read(Array(line.dropLast())).object
            if object?["type"] == "usage.reversed" { expected = object?["position"]?.integer }
        }
        let position = try #require(expected)
        let fold = Self.blind { $0.type == .usageReversed && $0.position > half }
        let result = try ledger.bisect(against: trace, fold: fold)
        let found = try #require(result.found)
        #expect(found.range == position...position)
        #expect(found.event?.draft.type == .usageReversed)
        #expect(found.ours != found.theirs)
        let logarithm = Int64.bitWidth - count.leadingZeroBitCount
        #expect(result.folds <= logarithm + 2)
        #expect(result.events == count)
    }

    @Test("A very long customer is looked at by checkpoints beyond 4,096 events")
    func long() async throws {
        let drafts = (0..<Int64(6_000)).map { index in
            EventDraft(
                type: .usageRecorded, subject: "ada", occurredAt: 1_767_225_600_000 + index,
                source: EventSource(kind: "native", key: "k\(index)"), trust: .system,
                data: ["meter": "stories", "amount": 1, "ref": .string("r\(index)")],
                recordedAt: 1_767_225_600_000 + index)
        }
        let ledger = try await StreamGolden.ledger("dozzi", holding: drafts)
        let trace = try ledger.digests(every: 100)
        #expect(trace.digests.last == (try ledger.digest().digest))
        for position in [Int64(2_000), 5_555] {
            let fold = Self.blind { $0.position == position }
            let found = try #require(try ledger.bisect(against: trace, fold: fold).found)
            #expect(found.range.contains(position))
            #expect(found.range.count <= (position < 4_096 ? 1 : 100))
        }
    }

    @Test(
        "The file says the same again, and nothing that is damaged, newer or of something else is taken"
    )
    func file() async throws {
        let pair = StreamGolden.Pair(app: "dozzi", name: "refund-after-two-stories")
        let drafts = try StreamGolden.drafts(of: pair)
        let ledger = try await StreamGolden.ledger(pair.app, holding: drafts)
        let trace = try ledger.digests(every: 4)
        let bytes = trace.json.canonicalBytes
        #expect(try DigestTrace(bytes) == trace)
        for count in 0..<bytes.count {
            #expect(throws: LedgerError.self) { try DigestTrace(Array(bytes.prefix(count))) }
        }
        func code(_ body: () throws -> Void) -> String? {
            do {
                try body()
                return nil
            } catch LedgerError.badInput(let problems) {
                return problems.first?.code
            } catch {
                return "\(error)"
            }
        }
        var newer = trace.json
        newer["digests"] = 2
        #expect(code { _ = try DigestTrace(newer.canonicalBytes) } == "newer_version")
        var shorter = trace.json
        shorter["events"] = 3
        #expect(code { _ = try DigestTrace(shorter.canonicalBytes) } == "damaged_digests")
        #expect(code { _ = try DigestTrace(Array("{}".utf8)) } == "not_digests")
        var other = trace
        other.ledgerID = "another"
        #expect(code { _ = try ledger.bisect(against: other) } == "other_ledger")
        var beyond = trace
        beyond.events += 1
        #expect(code { _ = try ledger.bisect(against: beyond) } == "other_history")
        var changed = trace
        changed.histories[1] &+= 1
        #expect(code { _ = try ledger.bisect(against: changed) } == "other_history")
    }
}
