import Daybook
import DaybookAudit
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookStore
import DaybookTesting
import Foundation
import Testing

/// One person with very many ids: refused where it begins, and answered whole and fast where it is there already.
@Suite("Many ids of one person")
struct ManyIDsTests {
    private static let product = "com.magicalstories.premium.monthly"
    private static let start = instant("2026-01-10T10:00:00Z")
    private static let end = instant("2027-01-10T10:00:00Z")

    /// - Parameter idsMax: Another bound than the ledger's own, as before there was one.
    private func ledger(
        _ store: any EventStore = InMemoryEventStore(app: "magical-stories"),
        idsMax: Int = EventBounds.idsPerPersonMax
    ) async throws -> Ledger {
        let ledger = try Ledger(store: store, idsPerPersonMax: idsMax, clock: { Fixtures.now })
        if try ledger.head().position == 0 {
            try await ledger.publish(
                CatalogPublication(document: try Fixtures.catalogDocument("magical-stories")))
        }
        return ledger
    }

    private func alias(_ alias: String, _ canonical: String) -> EventDraft {
        .reported(
            .subjectAliased, at: Self.start, key: "\(alias)=\(canonical)", subject: alias,
            ["alias": .string(alias), "canonical": .string(canonical)])
    }

    private func bought(_ subject: String) -> EventDraft {
        LineageFixture("line-\(subject)", product: Self.product, subject: subject)
            .started("t-\(subject)", from: Self.start, until: Self.end)
    }

    private func problems(_ ledger: Ledger, _ drafts: [EventDraft]) async throws -> [String] {
        do {
            try await ledger.record(drafts)
            return []
        } catch LedgerError.badInput(let problems) {
            return problems.map(\.code)
        }
    }

    /// A purchase for each customer, and all of them joined through one id.
    private func crowd(_ ledger: Ledger, _ count: Int) async throws {
        try await ledger.record((1...count).map { bought("d\($0)") })
        try await ledger.record((1...count).map { alias("d\($0)", "device") })
    }

    @Test("Nothing of 1,100 ids is missing, whichever is asked for, live and opened again")
    func complete() async throws {
        let store = InMemoryEventStore(app: "magical-stories")
        let first = try await ledger(store, idsMax: Int.max)
        try await crowd(first, 1_100)
        for ledger in [first, try await ledger(store)] {
            for name in ["device", "d1", "d1100"] {
                let status = try ledger.status(of: name, moment: Moment(at: Self.start)).status
                #expect(status.subject == "device")
                let candidates = status.entitlements.flatMap(\.candidates)
                #expect(Set(candidates.map(\.id)).count == 1_100, "\(name)")
            }
            #expect(try ledger.history(of: "d7").count == 2_200)
            let report = try ledger.replay()
            #expect(report.agrees)
            #expect(report.differences.isEmpty)
        }
    }

    @Test(
        "Twice as many ids are twice the work, for the ledger that takes them in and for one that opens"
    )
    func linear() async throws {
        func steps(_ count: Int) async throws -> (live: Int, opened: Int) {
            let store = InMemoryEventStore(app: "magical-stories")
            let first = try await ledger(store, idsMax: Int.max)
            try await first.record((1...count).map { alias("d\($0)", "device") })
            return (first.core.groupingStepCount, try await ledger(store).core.groupingStepCount)
        }
        let (some, twice) = (try await steps(1_000), try await steps(2_000))
        #expect(some.live > 1_000)
        #expect(twice.live < 3 * some.live)
        #expect(twice.opened < 3 * some.opened)
        #expect(twice.opened < 20 * 2_000)
    }

    @Test("An alias too many is refused, by a report and by a command, and changes nothing")
    func bound() async throws {
        let ledger = try await ledger()
        let most = EventBounds.idsPerPersonMax
        try await ledger.record((1..<most).map { alias("d\($0)", "device") })
        let head = try ledger.head()
        #expect(try await problems(ledger, [alias("late", "device")]) == ["person_full"])
        #expect(try await problems(ledger, [alias("device", "late")]) == ["person_full"])
        let error = await #expect(throws: LedgerError.self) {
            try await ledger.perform(CommandRequest(.alias(to: "d5"), subject: "late"))
        }
        #expect(error?.code == "person_full")
        #expect("\(try #require(error))".contains("257 ids, and 256 are the most"))
        // What says nothing new takes no space.
        #expect(try await problems(ledger, [alias("d1", "d2")]).isEmpty)
        #expect(try ledger.head().position == head.position + 1)
        // Taking an id out makes space.
        try await ledger.perform(CommandRequest(.unalias(from: "device"), subject: "d9"))
        #expect(try await problems(ledger, [alias("late", "device")]).isEmpty)
    }

    @Test("Within one batch, in a file, and where two large persons would be one")
    func batches() async throws {
        let ledger = try await ledger()
        let half = (1...150).map { alias("a\($0)", "ada") }
        let other = (1...150).map { alias("b\($0)", "bob") }
        #expect(try await problems(ledger, half + other + [alias("ada", "bob")]) == ["person_full"])
        let all = half + other + [alias("a7", "b7")]
        var pieces: [[UInt8]] = [
            Array(all.map { EventJSON.object(of: $0).canonicalBytes + [0x0A] }.joined())
        ]
        let error = await #expect(throws: LedgerError.self) {
            try await ledger.importLines({ pieces.popLast() }, options: ImportOptions())
        }
        #expect(error?.code == "person_full")
        #expect(try ledger.head().position == 1)
        try await ledger.record(half)
        try await ledger.record(other)
        #expect(try await problems(ledger, [alias("a7", "b7")]) == ["person_full"])
        // The one alias that joins too many is named, not those behind it.
        let chain = (1...300).map { alias("c\($0)", "c\($0 - 1)") }
        #expect(try await problems(ledger, chain) == ["person_full"])
    }

    @Test("A person from before the bound keeps every id and gets no more")
    func older() async throws {
        let store = InMemoryEventStore(app: "magical-stories")
        try await crowd(try await ledger(store, idsMax: Int.max), 300)
        let ledger = try await ledger(store)
        #expect(try ledger.status(of: "d3").status.subject == "device")
        #expect(try await problems(ledger, [alias("late", "d3")]) == ["person_full"])
        #expect(try await problems(ledger, [alias("d3", "d4"), bought("d301")]).isEmpty)
        #expect(try ledger.verify().allSatisfy(\.isClean))
    }

    @Test("A webhook with an alias too many is recorded without it: what was bought counts")
    func webhook() async throws {
        let ledger = try await Fixtures.ledger("nuzzle")
        try await ledger.record(
            (1..<EventBounds.idsPerPersonMax).map { alias("d\($0)", "ada") })
        let payload = RevenueCatIngestTests.webhook(
            "INITIAL_PURCHASE", "w1", #","aliases":["ada","ada-new"]"#)
        let receipt = try await ledger.ingestRevenueCat(payload)
        #expect(receipt.refused.isEmpty)
        #expect(receipt.appended == 1)
        #expect(try !ledger.subjects().contains("ada-new"))
        let types = try ledger.history(of: "d7").map(\.event.draft.type.rawValue)
        #expect(types.contains("subscription.started"))
        #expect(try await ledger.ingestRevenueCat(payload).appended == 0)
    }

    @Test("What went through more than a thousand hands still has its owner")
    func handovers() async throws {
        let ledger = try await ledger(idsMax: Int.max)
        let count = 1_200
        try await ledger.record([bought("h0")])
        try await ledger.record(
            (1...count).map { number in
                .reported(
                    .purchaseTransferred, at: Self.start + Int64(number), key: "hand-\(number)",
                    subject: "h\(number - 1)",
                    ["from": .string("h\(number - 1)"), "to": .string("h\(number)")])
            })
        let moment = Moment(at: Self.start + 100_000)
        func isPremium(_ name: String) throws -> Bool {
            try ledger.status(of: name, moment: moment).status.entitlements
                .contains(where: \.isActive)
        }
        #expect(try isPremium("h\(count)"))
        #expect(try !isPremium("h1000"))
        #expect(try !isPremium("h0"))
    }

    @Test("A voided alias splits a crowd in two, and holds again when the void is void")
    func voided() async throws {
        // In a file with a snapshot, which the second reader works out again.
        let folder = try LedgerFolder()
        let ledger = try await folder.create("magical-stories") { Fixtures.now }
        try await ledger.record((1...50).map { alias("a\($0)", "ada") })
        try await ledger.record((1...50).map { alias("b\($0)", "bob") } + [alias("bob", "ada")])
        func shown() throws -> [String] {
            try ["a3", "b3"].map { try ledger.status(of: $0).status.subject }
        }
        #expect(try shown() == ["ada", "ada"])
        var target = (source: "native", key: "bob=ada")
        for round in 1...70 {
            let receipt = try await ledger.perform(
                CommandRequest(
                    .voidEvent(source: target.source, key: target.key), subject: "ada",
                    actor: "kim", reason: "a mistake", ticket: "T-1"))
            target = ("ledger", receipt.key)
            #expect(try shown() == ["ada", round % 2 == 1 ? "bob" : "ada"], "\(round) voids")
        }
        try ledger.snapshot()
        #expect(try ledger.verify().filter { !$0.isClean } == [])
        try ledger.close()
    }

    @Test("Ids that a snapshot joins are parted by what comes after it, and joined again")
    func partedBehindSnapshot() async throws {
        func use(_ ref: String, _ subject: String) -> EventDraft {
            .used("stories", at: Self.start, ref: ref, subject: subject)
        }
        func used(_ ledger: Ledger) throws -> [Int64?] {
            try ["ada", "bob", "cem"].map { try ledger.check("stories", for: $0).usage?.used }
        }
        let folder = try LedgerFolder()
        let first = try await folder.create("dozzi") { Fixtures.now }
        try await first.record([use("a1", "ada"), use("b1", "bob"), use("c1", "cem")])
        try await first.perform(CommandRequest(.alias(to: "ada"), subject: "bob"))
        try first.snapshot()
        try first.close()
        let ledger = try Ledger.open(folder.path) { Fixtures.now }
        let head = try ledger.core.head().position
        #expect(ledger.core.snapshotCut == head)
        #expect(try used(ledger) == [2, 2, 1])
        try await ledger.perform(CommandRequest(.unalias(from: "ada"), subject: "bob"))
        #expect(try used(ledger) == [1, 1, 1])
        // The next of a stream that the snapshot has, as an aggregate of its own again.
        try await ledger.record([use("b2", "bob")])
        #expect(try used(ledger) == [1, 2, 1])
        try await ledger.perform(CommandRequest(.alias(to: "ada"), subject: "cem"))
        try await ledger.record([use("c2", "cem")])
        #expect(try used(ledger) == [3, 2, 3])
        #expect(try ledger.replay().agrees)
        try ledger.close()
        // The same from rows alone, then from a snapshot of all of it.
        try FileManager.default.removeItem(at: folder.derived)
        for _ in 0..<2 {
            let again = try Ledger.open(folder.path) { Fixtures.now }
            #expect(try used(again) == [3, 2, 3])
            try again.snapshot()
            try again.close()
        }
    }

    static let junkNames = [
        "00000000-0000-0000-0000-000000000000", "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF", "null",
        "(null)", "nil", "Optional(nil)", "undefined", "NONE", "unknown", "anonymous", "guest", "0",
        "000000000000000", "9774d56d682e549c", "[]", "n/a", " null", "null ", "Unknown ",
        "null\u{200B}",
        "<null>", "<nil>", "\"null\"", "Optional(\"\")", "Optional(\"null\")", "   ",
        "{00000000-0000-0000-0000-000000000000}", "Optional(00000000-0000-0000-0000-000000000000)",
        "0x0", "00:00:00:00:00:00", "ff:ff:ff:ff:ff:ff", "FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF",
        "02:00:00:00:00:00", "020000000000",
    ]

    @Test("An id that broken clients send for all users joins no customers", arguments: junkNames)
    func junk(_ name: String) async throws {
        let ledger = try await ledger()
        #expect(try await problems(ledger, [alias("ada", name)]) == ["junk_subject"])
        var draft = alias(name, "ada")
        #expect(try await problems(ledger, [draft]) == ["junk_subject"])
        draft.subject = "ada"
        #expect(try await problems(ledger, [draft]) == ["junk_subject"])
        for (subject, canonical) in [("ada", name), (name, "ada")] {
            let error = await #expect(throws: LedgerError.self) {
                try await ledger.perform(CommandRequest(.alias(to: canonical), subject: subject))
            }
            #expect(error?.code == "junk_subject")
        }
        #expect(try ledger.head().position == 1)
    }

    @Test("Ids that only look alike are ids")
    func decent() async throws {
        let ledger = try await ledger()
        let names = [
            "00000000-0000-0000-0000-000000000001", "test", "nobody", "0a", "f00d", "007",
            "fa000000-0000-4000-8000-000000000000", "(ada)", "-ada-", "0x1", "ffff", "nullable",
            "optional", "02:00:00:00:00:01",
        ]
        for name in names {
            #expect(try await problems(ledger, [alias("\(name)-anon", name)]).isEmpty, "\(name)")
        }
    }
}
