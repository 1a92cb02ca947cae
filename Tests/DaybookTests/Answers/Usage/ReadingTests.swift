import Daybook
import DaybookDomain
import DaybookEvents
import DaybookTesting
import Testing

@Suite("Meters that hold the latest reading")
struct ReadingTests {
    private func read(
        _ amount: Int64, _ time: String, of meter: String = "storage", ref: String? = nil
    ) -> EventDraft {
        var data: JSONObject = ["meter": .string(meter), "amount": .integer(amount)]
        if let ref { data["ref"] = .string(ref) }
        return .reported(.usageRecorded, at: instant(time), key: "\(meter)/\(time)", data)
    }

    @Test("The last reading counts, in whatever order they arrive, and 0 is one")
    func latest() async throws {
        let fixture = try await MeterCatalog.fixture()
        #expect(try fixture.numbers("storage", "2026-03-01T00:00:00Z") == "0/10")
        try await fixture.record(read(12, "2026-03-03T00:00:00Z", of: "disk", ref: "a"))
        try await fixture.record(read(7, "2026-03-02T00:00:00Z", ref: "a"))
        try await fixture.record(read(0, "2026-03-04T00:00:00Z"))
        #expect(try fixture.numbers("storage", "2026-03-01T23:59:59.999Z") == "0/10")
        #expect(try fixture.numbers("storage", "2026-03-02T00:00:00Z") == "7/3")
        #expect(try fixture.numbers("storage", "2026-03-03T00:00:00Z") == "12/0")
        let over = try #require(try fixture.meter("storage", at: instant("2026-03-03T00:00:00Z")))
        #expect((over.excess, over.flags) == (2, ["over_limit"]))
        #expect(try fixture.numbers("storage", "2026-03-04T00:00:00Z") == "0/10")
    }

    @Test("A reading that was taken back leaves the one before it")
    func reversed() async throws {
        let fixture = try await MeterCatalog.fixture()
        try await fixture.record(
            read(4, "2026-03-02T00:00:00Z"), read(9, "2026-03-03T00:00:00Z", ref: "scan-2"))
        try await fixture.perform(.reverseUsage(target: "scan-2"))
        #expect(try fixture.meter("storage")?.used == 4)
        #expect(try fixture.meter("storage", at: instant("2026-03-03T00:00:00Z"))?.used == 9)
    }

    @Test("An entitlement and a grant raise the limit, and a check asks whether so many more fit")
    func limits() async throws {
        let fixture = try await MeterCatalog.fixture()
        try await fixture.record(read(8, "2026-03-02T00:00:00Z"))
        func allowed(_ amount: Int64) throws -> Bool {
            try fixture.ledger.check(CheckQuestion("storage", amount: amount), for: "ada")
                .decision.allowed
        }
        #expect(try allowed(2) && !allowed(3))
        try await fixture.perform(
            .issueGrant(.init(id: "g", target: .meter("storage"), amount: 5)))
        #expect(try allowed(7) && !allowed(8))
        try await fixture.record(
            LineageFixture("1000", product: "club.monthly").started(
                "1000", from: instant("2027-12-01T00:00:00Z"),
                until: instant("2028-01-01T00:00:00Z")))
        #expect(try fixture.meter("storage")?.limit == 105)
    }

    @Test("It is read, not consumed, set aside or reset; and no reading is below zero")
    func refused() async throws {
        let fixture = try await MeterCatalog.fixture()
        for command in [
            Command.consume(meter: "storage", amount: 1, ref: nil),
            .reserve(meter: "storage", amount: 1, reservation: "r", timeoutMilliseconds: nil),
            .resetUsage(meter: "storage"), .pin(meter: "storage", ref: "r"),
        ] {
            #expect(try await fixture.refusal(of: command)?.code == "wrong_kind")
        }
        #expect(
            try await fixture.problems(of: read(-1, "2026-03-02T00:00:00Z")) == ["out_of_bounds"])
        #expect(
            try await fixture.problems(of: .used("daily", at: 5, ref: "r", amount: 0))
                == ["out_of_bounds"])
    }
}
