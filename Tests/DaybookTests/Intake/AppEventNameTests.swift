import Daybook
import DaybookAudit
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookTesting
import Testing

/// An app's own event names belong to its catalog: any app, from the publication on, and no retry ever becomes a
/// conflict (rule 27).
@Suite("An app's own event names")
struct AppEventNameTests {
    private static let plain = """
        app: walks
        products:
          com.walks.pro: { kind: nonConsumable, entitlements: [pro] }
        entitlements: { pro: [maps] }
        features: { maps: {} }
        meters:
          walks: { kind: counter, limit: 3 }

        """
    private static let named =
        plain + """
            eventNames:
              walkBegun: { event: app.launched }
              walkDone:
                event: usage.recorded
                data: { meter: walks }
                defaults: { amount: 1 }
                members: { walkId: ref }

            """

    private let fixture: LedgerFixture
    private let now = Fixtures.now
    private var ledger: Ledger { fixture.ledger }

    init() async throws {
        fixture = try await LedgerFixture("walks", document: Array(Self.plain.utf8))
    }

    private func publish(_ yaml: String = named) async throws {
        try await ledger.publish(CatalogPublication(document: Array(yaml.utf8)))
    }

    private func done(_ id: String, key: String?, _ type: String = "walkDone") -> EventDraft {
        var draft = EventDraft.reported(
            EventTypeName(rawValue: type), at: now, key: "",
            type == "walkDone" ? ["walkId": .string(id)] : ours(id))
        draft.source.key = key
        return draft
    }

    private func ours(_ id: String) -> JSONObject {
        ["meter": "walks", "amount": 1, "ref": .string(id)]
    }

    private func types() throws -> [String] {
        try ledger.history(of: "ada").map(\.event.draft.type.rawValue)
    }

    private func problem(_ body: () async throws -> Void) async throws -> InputProblem? {
        do {
            try await body()
            return nil
        } catch LedgerError.badInput(let problems) {
            return problems.first
        }
    }

    @Test("From its publication on a name is the event that it stands for, and goes out again")
    func published() async throws {
        try await publish()
        try await ledger.record([done("w1", key: "k1"), done("w2", key: "k2")])
        #expect(try types() == ["usage.recorded", "usage.recorded"])
        #expect(try fixture.meter("walks")?.used == 2)
        let data = try ledger.history(of: "ada").map(\.event.draft.data)
        #expect(data.first == ours("w1"))
        var lines: [JSONObject] = []
        try ledger.export(subject: "ada", names: .app) {
            lines.append(try #require(try JSONReader.read($0).object))
        }
        #expect(lines.map { $0["type"] } == ["walkDone", "walkDone"])
    }

    @Test("The same report again is the same event, however the names changed in between")
    func retries() async throws {
        try await ledger.record([done("w1", key: "k1")])
        #expect(try types() == ["walkDone"])
        #expect(try fixture.meter("walks")?.used == 0)
        try await publish()
        // As it was sent, in ours, and as an export of the one or the other has it.
        for draft in [done("w1", key: "k1"), done("w1", key: "k1", "usage.recorded")] {
            let again = try await ledger.record([draft])
            #expect((again.appended, again.duplicates) == (0, 1))
        }
        try await ledger.record([done("w2", key: "k2")])
        for draft in [done("w2", key: "k2"), done("w2", key: "k2", "usage.recorded")] {
            let again = try await ledger.record([draft])
            #expect((again.appended, again.duplicates) == (0, 1))
        }
        #expect(try types() == ["walkDone", "usage.recorded"])
        #expect(try fixture.meter("walks")?.used == 1)
        let other = try await problem { try await ledger.record([done("w3", key: "k2")]) }
        #expect(other?.code == "idempotency_conflict")
        let finding = try ledger.doctor().first { $0.area == "unknown_event_type" }
        #expect(finding?.message.contains("\"walkDone\"") == true)
        #expect(finding?.remedy?.contains("under new keys") == true)
    }

    @Test("Without a time the ledger's clock says it, and the same report later is the same event")
    func timeless() async throws {
        func begun(_ key: String, _ type: String = "walkBegun") -> EventDraft {
            var draft = EventDraft.reported(EventTypeName(rawValue: type), at: now, key: key)
            draft.occurredAt = nil
            return draft
        }
        try await ledger.record([begun("k1"), begun("k2", "app.launched")])
        try await publish()
        try await ledger.record([begun("k3")])
        fixture.clock.now += LedgerFixture.day
        // Sent before the publication, by an engine that knew the name, and after the publication.
        for key in ["k1", "k2", "k3"] {
            let again = try await ledger.record([begun(key)])
            #expect((again.appended, again.duplicates) == (0, 1), "\(key)")
        }
        #expect(try types() == ["walkBegun", "app.launched", "app.launched"])
    }

    @Test(
        "What an engine recorded that knew the names by itself is no conflict, or says what to do")
    func older() async throws {
        // That engine recorded ours, with the digest of ours.
        try await ledger.record([done("w1", key: "k1", "usage.recorded")])
        let refused = try await problem { try await ledger.record([done("w1", key: "k1")]) }
        #expect(refused?.code == "idempotency_conflict")
        #expect(refused?.reason.contains("usage.recorded") == true)
        #expect(refused?.reason.contains("eventNames") == true)
        try await publish()
        let again = try await ledger.record([done("w1", key: "k1")])
        #expect((again.appended, again.duplicates) == (0, 1))
    }

    @Test("Without a key a report is told by its bytes, as sent and as an older engine had them")
    func keyless() async throws {
        func begun(_ type: String, at: Int64) -> EventDraft {
            var draft = EventDraft.reported(EventTypeName(rawValue: type), at: at, key: "")
            draft.source.key = nil
            return draft
        }
        try await ledger.record([begun("walkBegun", at: now)])
        try await ledger.record([begun("app.launched", at: now + 1)])
        try await publish()
        for at in [now, now + 1] {
            let again = try await ledger.record([begun("walkBegun", at: at)])
            #expect((again.appended, again.duplicates) == (0, 1))
        }
        try await ledger.record([begun("walkBegun", at: now + 2)])
        #expect(try await ledger.record([begun("walkBegun", at: now + 2)]).duplicates == 1)
        #expect(try types() == ["walkBegun", "app.launched", "app.launched"])
        // Two equal uses are two facts, under whatever name.
        let refused = try await problem { try await ledger.record([done("w1", key: nil)]) }
        #expect(refused?.code == "missing_key")
    }

    @Test("What was recorded before is no mistake afterwards: neither a retry nor the own export")
    func acceptedBefore() async throws {
        var odd = EventDraft.reported(
            EventTypeName(rawValue: "walkBegun"), at: now, key: "k2", ["session": 5])
        odd.data["session"] = .array([])
        // Without a key, without a meter, with a member of another kind.
        let before = [done("w1", key: nil), odd]
        try await ledger.record(before)
        try await publish(
            Self.named.replacing("data: { meter: walks }", with: "data: { amount: 1 }")
                .replacing("    defaults: { amount: 1 }\n", with: ""))
        let again = try await ledger.record(before)
        #expect((again.appended, again.duplicates) == (0, 2))
        var file: [UInt8] = []
        try ledger.export { file += $0 }
        var chunks = [file]
        let report = try await ledger.importLines { chunks.popLast() }
        #expect((report.appended, report.refused.count) == (0, 0))
        // New ones are held to what the name asks for.
        for draft in [done("w2", key: nil), done("w2", key: "k3")] {
            #expect(try await problem { try await ledger.record([draft]) } != nil)
        }
    }

    @Test("A version that the app counts is not ours, and a member that is null is absent")
    func versions() async throws {
        try await publish()
        var draft = done("w1", key: "k1")
        draft.version = 2
        draft.data["ref"] = .null
        draft.data["amount"] = .null
        try await ledger.record([draft])
        let recorded = try #require(try ledger.history(of: "ada").last?.event.draft)
        #expect(recorded.version == 1)
        #expect(recorded.data == ours("w1"))
        #expect(try fixture.meter("walks")?.used == 1)
    }

    @Test("What the name leaves open must be said; nothing is half-applied")
    func incomplete() async throws {
        try await publish(
            Self.named.replacing("data: { meter: walks }", with: "data: { amount: 1 }")
                .replacing("    defaults: { amount: 1 }\n", with: ""))
        let refused = try await problem {
            try await ledger.record([
                done("w1", key: "k1", "usage.recorded"), done("w2", key: "k2"),
            ])
        }
        #expect(refused?.code == "missing_field")
        #expect(refused?.member == "data.meter")
        #expect(try types() == [])
    }

    @Test("In one batch, and in one file, a name works behind the catalog that brings it")
    func batch() async throws {
        try await publish()
        try await ledger.record([done("w1", key: "k1"), done("w2", key: "k2")])
        var file: [UInt8] = []
        try ledger.export(names: .app) { file += $0 }
        let copy = try Ledger(inMemory: "walks", clock: { Fixtures.now })
        var chunks = [file]
        let report = try await copy.importLines { chunks.popLast() }
        #expect(report.unknownTypes.isEmpty)
        #expect(
            try copy.history(of: "ada").map(\.event.draft.type.rawValue)
                == ["usage.recorded", "usage.recorded"])
        #expect(try copy.check("walks", for: "ada").usage?.used == 2)
        chunks = [file]
        #expect(try await copy.importLines { chunks.popLast() }.appended == 0)
        // One key, said in both names.
        let both = [done("w3", key: "k3"), done("w3", key: "k3", "usage.recorded")]
        #expect(try await copy.record(both).duplicates == 1)
    }

    @Test("After a rollback a name still means what it meant, and may stay away")
    func rollback() async throws {
        try await publish()
        try await ledger.record([done("w1", key: "k1")])
        try await ledger.publish(CatalogPublication(rollBackTo: 1))
        try await ledger.record([done("w2", key: "k2")])
        #expect(try types() == ["usage.recorded", "usage.recorded"])
        let other = Self.named.replacing("event: app.launched", with: "event: paywall.shown")
        do {
            try await publish(other)
            Issue.record("published")
        } catch LedgerError.catalogConflict(let conflicts) {
            #expect(conflicts.count == 1)
            #expect(conflicts.first?.contains("walkBegun") == true)
        }
    }

    @Test("A what-if takes the names, too")
    func whatIf() async throws {
        try await publish()
        try await ledger.record([done("w1", key: "k1")])
        let report = try ledger.whatIf(
            WhatIf(inserts: (2...3).map { done("w\($0)", key: "k\($0)") }), moment: .now)
        #expect(report.meters.map(\.name) == ["walks"])
        #expect(report.meters.map(\.reached) == [1])
    }
}
