import Daybook
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookTesting
import Testing

/// What is given to one profile is counted for that profile, and burned by it alone (docs/rules.md#vocabulary, OL-25).
@Suite("Grants for one profile")
struct ProfileGrantTests {
    let fixture: LedgerFixture
    let day = LedgerFixture.day
    let start = instant("2026-03-01T10:00:00Z")

    init() async throws {
        fixture = try await LedgerFixture("sampler", document: SamplerCatalog.first, now: start)
        for name in ["rex", "fido"] {
            try await fixture.record(
                .reported(
                    .profileCreated, at: start, key: name,
                    ["profile": .string(name), "kind": "dog"]))
        }
    }

    private func granted(
        _ id: String, _ amount: Int64?, to profile: String?, at time: Int64? = nil
    ) -> EventDraft {
        let time = time ?? start
        var data: JSONObject = [
            "grant_id": .string(id), "meter": "prints", "starts_at": .integer(time),
            "reason": "promo",
        ]
        if let amount { data["amount"] = .integer(amount) } else { data["unlimited"] = true }
        return .reported(.grantIssued, at: time, key: id, profile: profile, data)
    }

    private func printed(_ amount: Int64, by profile: String?, at time: Int64) -> EventDraft {
        var draft = EventDraft.used("prints", at: time, ref: "p\(time)", amount: amount)
        draft.profile = profile
        return draft
    }

    private func left(_ profile: String?, at time: Int64) throws -> [Int64?] {
        let status = try fixture.ledger.status(
            of: "ada", profile: profile, moment: Moment(at: time)
        ).status
        let meter = try #require(status.meters.first { $0.name == "prints" })
        let decision = try fixture.ledger.check(
            CheckQuestion("prints", profile: profile), for: "ada", moment: Moment(at: time)
        ).decision
        #expect(decision.usage == meter)
        return [meter.remaining, meter.granted, meter.overage]
    }

    private func compare() throws {
        let comparison = try ModelComparison(fixture.ledger)
        let found = try comparison.differences(
            at: comparison.moments, cut: Int64(comparison.events.count))
        #expect(found == [])
    }

    @Test("Only the profile may use what it was given, and only its uses burn it")
    func burnDown() async throws {
        try await fixture.record(
            granted("g", 5, to: "rex"), printed(6, by: "fido", at: start + 1),
            printed(2, by: "rex", at: start + 2), printed(1, by: nil, at: start + 3))
        #expect(try left(nil, at: start) == [4, 0, 0])
        #expect(try left("rex", at: start) == [9, 5, 0])
        #expect(try left("fido", at: start) == [4, 0, 0])
        // Six by the one: four of the free quota and two that nothing covers.
        #expect(try left("rex", at: start + 1) == [5, 5, 2])
        #expect(try left("fido", at: start + 1) == [0, 0, 2])
        #expect(try left("rex", at: start + 2) == [3, 3, 2])
        #expect(try left(nil, at: start + 3) == [0, 0, 3])
        #expect(try left("rex", at: start + 3) == [3, 3, 3])
        try compare()
    }

    @Test("A grant for one profile repays that profile's uses alone, one for all repays any")
    func repaid() async throws {
        try await fixture.record(
            printed(5, by: "fido", at: start), printed(2, by: "rex", at: start + 1),
            granted("g", 5, to: "rex", at: start + 2), granted("h", 3, to: nil, at: start + 3))
        #expect(try left("rex", at: start + 1) == [0, 0, 3])
        #expect(try left("rex", at: start + 2) == [3, 3, 1])
        #expect(try left(nil, at: start + 3) == [2, 2, 0])
        #expect(try left("rex", at: start + 3) == [5, 5, 0])
        try compare()
    }

    @Test("What is unlimited for one profile is limited for the others, and what it covers is free")
    func unlimited() async throws {
        try await fixture.record(granted("g", nil, to: "rex"))
        #expect(try left("rex", at: start) == [nil, 0, 0])
        #expect(try left("fido", at: start) == [4, 0, 0])
        #expect(try left(nil, at: start) == [4, 0, 0])
        fixture.clock.now = start + day
        for ref in 1...6 {
            try await fixture.ledger.perform(
                CommandRequest(
                    .consume(meter: "prints", amount: 1, ref: "r\(ref)"), subject: "ada",
                    profile: "rex"))
        }
        #expect(try left(nil, at: start + day) == [4, 0, 0])
        try compare()
    }

    @Test("What is set aside for one profile burns that profile's grant")
    func reserved() async throws {
        try await fixture.record(granted("g", 5, to: "rex"), printed(4, by: nil, at: start + 1))
        fixture.clock.now = start + day
        let reserve = Command.reserve(
            meter: "prints", amount: 2, reservation: "r1", timeoutMilliseconds: day)
        #expect(try await fixture.refusal(of: reserve) != nil)
        try await fixture.ledger.perform(
            CommandRequest(reserve, subject: "ada", profile: "rex"))
        #expect(try left("rex", at: start + day) == [3, 3, 0])
        #expect(try left(nil, at: start + day) == [0, 0, 0])
        try compare()
    }

    @Test("Units given on a gauge to one profile raise its limit when that profile asks")
    func gauge() async throws {
        var draft = granted("g", 2, to: "rex")
        draft.data["meter"] = "boxes"
        try await fixture.record(draft)
        func limit(_ profile: String?) throws -> Int64? {
            try fixture.ledger.check(
                CheckQuestion("boxes", profile: profile), for: "ada", moment: Moment(at: start)
            ).decision.usage?.limit
        }
        #expect(try [limit(nil), limit("rex"), limit("fido")] == [2, 4, 2])
        try compare()
    }
}
