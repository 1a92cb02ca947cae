import Daybook
import DaybookDomain
import DaybookEvents
import DaybookTesting
import Testing

/// What a customer, a client or a later catalog might do to codes.
extension PromotionTests {
    @Test("No event but a redemption uses a code up")
    func burnt() async throws {
        for type in ["app.launched", "profile.created", "purchase.completed", "nobody.knows.it"] {
            for trust in [Trust.clientAsserted, .imported, .system] {
                let draft = EventDraft(
                    type: EventTypeName(rawValue: type), subject: "mallory", occurredAt: Self.start,
                    source: EventSource(kind: "promotion", key: "friends/1"), trust: trust,
                    data: ["profile": "x", "kind": "dog"])
                await #expect(throws: LedgerError.self) { try await ledger.record([draft]) }
            }
        }
        #expect(try ledger.codes(of: "friends", numbers: 1...1)[0].redeemedBy == nil)
        #expect(try await redeem(try codes("friends")[0], profile: nil).positions.count == 1)
    }

    @Test("A redemption is tried again like any command, also with the version that it expected")
    func expectedVersion() async throws {
        let request = CommandRequest(
            .redeem(code: try codes("friends")[0]), subject: "vic", key: "k", expectedVersion: 0)
        #expect(try await ledger.perform(request).positions.count == 1)
        #expect(try await ledger.perform(request).wasDoneBefore)
        let other = CommandRequest(
            .redeem(code: try codes("friends")[1]), subject: "vic", expectedVersion: 0)
        await #expect(throws: LedgerError.self) { _ = try await ledger.perform(other) }
    }

    @Test("A client's clock opens no promotion that is over, and dates nothing back")
    func clientClock() async throws {
        let text = Self.catalog + "policies: { clock: accept }\n"
        try await ledger.publish(CatalogPublication(document: Array(text.utf8)))
        fixture.clock.now = instant("2026-02-01T00:00:00Z")
        let request = CommandRequest(
            .redeem(code: try codes("friends")[0]), subject: "ada", clientAt: Self.start)
        #expect(try await refusal { try await ledger.perform(request) } == "promotion_over")
        let open = CommandRequest(
            .redeem(code: try codes()[0]), subject: "ada", profile: "rex", clientAt: Self.start)
        _ = try await ledger.perform(open)
        let grant = try #require(try ledger.history(of: "ada").last?.event.draft)
        #expect(grant.data["starts_at"] == .integer(fixture.clock.now))
    }

    @Test("Codes are good by the catalog in force, not by one that is to come")
    func catalogs() async throws {
        let later = Self.start + 30 * LedgerFixture.day
        let reviewers = try codes()
        let text = Self.catalog.replacing("reviewers:", with: "press:")
        try await ledger.publish(
            CatalogPublication(document: Array(text.utf8), effectiveAt: later))
        let press = try codes("press")[0]
        #expect(try await refusal { try await redeem(press) } == "unknown_code")
        #expect(try await refusal { try await redeem(reviewers[0]) } == nil)
        fixture.clock.now = later
        #expect(try await refusal { try await redeem(press) } == nil)
        #expect(try await refusal { try await redeem(reviewers[1]) } == "unknown_code")
        // What was redeemed stays so.
        #expect(try await redeem(reviewers[0]).wasDoneBefore)
        #expect(try await refusal { try await redeem(reviewers[0], "bob") } == "code_redeemed")
    }

    @Test("A batch that is made shorter takes nothing back")
    func shorter() async throws {
        let all = try codes()
        _ = try await redeem(all[19])
        let text = Self.catalog.replacing("codes: 20", with: "codes: 5")
        try await ledger.publish(CatalogPublication(document: Array(text.utf8)))
        #expect(try await redeem(all[19]).wasDoneBefore)
        #expect(try await refusal { try await redeem(all[18]) } == "unknown_code")
        #expect(try await refusal { try await redeem(all[4]) } == nil)
    }

    @Test("The same code for another dog is refused; a grant of that name is in the way")
    func otherProfile() async throws {
        try await fixture.record(
            .reported(
                .profileCreated, at: Self.start - 1, key: "fay", profile: "fay",
                ["kind": "dog", "profile": "fay"]))
        let code = try codes()[0]
        _ = try await redeem(code)
        #expect(try await refusal { try await redeem(code, profile: "fay") } == "code_redeemed")
        #expect(try await redeem(code, profile: "rex").wasDoneBefore)
        try await ledger.perform(
            CommandRequest(
                .issueGrant(.init(id: "promotion/reviewers/2", target: .entitlement("premium"))),
                subject: "ada"))
        let second = try codes()[1]
        #expect(try await refusal { try await redeem(second) } == "grant_exists")
    }

    @Test("Numbers that no code has give none", arguments: [-5...0, 0...0, -1...1, 21...30])
    func numbers(_ range: ClosedRange<Int64>) throws {
        let found = try ledger.codes(of: "reviewers", numbers: range).map(\.code.number)
        #expect(found == (range == -1...1 ? [1] : []))
    }
}
