import Daybook
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookTesting
import Testing

/// What stands on a gauge is listed by the name that the app gave it, however long (rule 13, T20).
@Suite("Names on gauges")
struct GaugeNameTests {
    let fixture: LedgerFixture
    let now = Fixtures.now
    let uuids = [
        "0190d6f4-7b1e-7c3a-8f52-1a2b3c4d5e6f", "ffffffff-ffff-4fff-bfff-ffffffffffff",
        "00000000-0000-4000-8000-000000000000", "0190d6f4-7b1e-7c3a-9f52-1a2b3c4d5ec0",
    ]
    let long = "collection-of-the-best-pizzerias-in-amsterdam"

    init() async throws { fixture = try await LedgerFixture("fork-in-the-road") }

    private func groups() throws -> MeterAnswer { try #require(try fixture.meter("groups")) }

    @Test("The text of a reference is its text or unknown, never another")
    func texts() {
        for text in uuids + ["", "g1", "fifteen-letters"] {
            #expect(Reference(text).text == text)
        }
        // Upper case, another variant, and what is no UUID: only the row knows.
        for text in [
            uuids[0].uppercased(), "0190d6f4-7b1e-7c3a-cf52-1a2b3c4d5e6f", long,
        ] {
            #expect(Reference(text).text == nil)
        }
        var random = SplitMix64(seed: 7)
        for _ in 0..<1_000 {
            let halves = (random.next(), random.next() & ~(3 << 62) | 2 << 62)
            #expect(Reference(UUIDText.format(halves)).text == UUIDText.format(halves))
        }
    }

    @Test("Refs longer than a reference holds are listed as they were told, UUIDs too")
    func names() async throws {
        try await fixture.use("groups", long, uuids[0], "g3")
        #expect(try groups().writable == [long, uuids[0], "g3"])
        #expect(try fixture.check("groups").usage?.writable == [long, uuids[0], "g3"])
        try await fixture.record(.used("groups", at: now + 1, ref: long, amount: -1))
        fixture.clock.now += 2
        #expect(try groups().writable == [uuids[0], "g3"])
        #expect(try fixture.meter("groups", at: now)?.writable == [long, uuids[0], "g3"])
    }

    @Test("What is pinned stays first, whatever its name")
    func pins() async throws {
        for (index, ref) in ["g1", "g2", "g3", uuids[1], long].enumerated() {
            try await fixture.record(.used("groups", at: now - 9 + Int64(index), ref: ref))
        }
        #expect(try groups().writable == ["g1", "g2", "g3"])
        try await fixture.perform(.pin(meter: "groups", ref: uuids[1]))
        fixture.clock.now += 1
        try await fixture.perform(.pin(meter: nil, ref: long))
        #expect(try groups().writable == [long, uuids[1], "g1"])
    }

    @Test("A correction's name is listed, and in one commit the names of what was just decided")
    func corrected() async throws {
        let use = EventDraft.used("groups", at: now, ref: long)
        let name = "collection-of-the-best-trattorie-in-rome"
        try await fixture.record(
            use,
            .reported(
                .correctionAmended, at: now + 1, key: "amend",
                [
                    "target": ["source": "native", "key": .string(use.source.key ?? "")],
                    "reason": "mistake", "patch": ["ref": .string(name)],
                ]))
        fixture.clock.now += 2
        #expect(try groups().writable == [name])
        let receipt = try await fixture.perform(
            .consume(meter: "groups", amount: 1, ref: "a-second-group-with-a-long-name"))
        #expect(
            receipt.decision?.usage?.writable == [name, "a-second-group-with-a-long-name"])
    }

    @Test("A profile with a long name that was also counted by hand is one thing, by its name")
    func profiles() async throws {
        let name = "rex-the-second-of-the-van-dijk-family"
        let other = try await LedgerFixture("sampler", document: SamplerCatalog.first, now: now)
        try await other.record(
            .reported(
                .profileCreated, at: now, key: "rex", ["profile": .string(name), "kind": "dog"]),
            .used("dogs", at: now, ref: name))
        let dogs = try #require(try other.meter("dogs"))
        #expect(dogs.used == 1)
        #expect(dogs.writable == [name])
    }

    @Test("A grant is shown by its id, however long")
    func grants() async throws {
        let id = "compensation-for-the-outage-of-january"
        try await fixture.record(
            .reported(
                .grantIssued, at: now, key: "g",
                [
                    "grant_id": .string(id), "entitlement": "premium", "reason": "support",
                    "starts_at": .integer(now),
                ]))
        #expect(try fixture.entitlement("premium")?.winner?.id == id)
    }
}
