import Daybook
import DaybookDomain
import DaybookEvents
import DaybookTesting
import Testing

/// Codes in batches: for reviewers and influencers.
@Suite("Promotions")
struct PromotionTests {
    static let catalog = """
        app: kennel
        products:
          dog: { kind: nonConsumable, scope: profile, profileKind: dog, entitlements: [premium] }
          dog.2: { kind: nonConsumable, scope: profile, profileKind: dog, entitlements: [premium] }
        entitlements: { premium: [log] }
        features: { log: { scope: profile } }
        promotions:
          reviewers: { entitlement: premium, scope: profile, codes: 20, duration: P1M }
          friends: { entitlement: premium, codes: 3, until: 2026-01-20T00:00:00Z }

        """
    static let start = instant("2026-01-10T10:00:00Z")
    let fixture: LedgerFixture
    var ledger: Ledger { fixture.ledger }

    init() async throws {
        fixture = try await LedgerFixture(
            "kennel", document: Array(Self.catalog.utf8), now: Self.start)
        try await fixture.record(
            .reported(
                .profileCreated, at: Self.start - 1, key: "rex", profile: "rex",
                ["kind": "dog", "profile": "rex"]))
    }

    func codes(
        _ promotion: String = "reviewers", in environment: Environment = .production
    ) throws -> [String] {
        try ledger.codes(of: promotion, numbers: 1...100_000, in: environment).map(\.code.text)
    }

    func redeem(
        _ code: String, _ subject: String = "ada", profile: String? = "rex",
        environment: Environment = .production
    ) async throws -> Receipt {
        try await ledger.perform(
            CommandRequest(
                .redeem(code: code), subject: subject, environment: environment, profile: profile))
    }

    func refusal(_ body: () async throws -> Receipt) async throws -> String? {
        do {
            _ = try await body()
            return nil
        } catch LedgerError.rejected(let rejection, _) {
            return rejection.code
        }
    }

    @Test("A batch has as many codes as the catalog says, all different, the same at every call")
    func batch() throws {
        let all = try codes()
        #expect(all.count == 20)
        #expect(Set(all).count == 20)
        #expect(try codes() == all)
        #expect(try ledger.codes(of: "reviewers", numbers: 19...40).map(\.code.number) == [19, 20])
        #expect(try ledger.codes(of: "reviewers", numbers: 21...40).isEmpty)
        #expect(Set(all).isDisjoint(with: try codes("friends")))
        #expect(Set(all).isDisjoint(with: try codes(in: .sandbox)))
        for code in all {
            #expect(code.wholeMatch(of: /[0-9A-HJKMNP-TV-Z]{4}(-[0-9A-HJKMNP-TV-Z]{4}){2}/) != nil)
        }
        #expect(throws: LedgerError.self) { try codes("reviewer") }
    }

    @Test("Another ledger has other codes")
    func other() async throws {
        let folder = try LedgerFolder()
        let other = try Ledger.createEmpty(
            at: folder.path, app: "kennel", clock: { Self.start })
        try await other.publish(CatalogPublication(document: Array(Self.catalog.utf8)))
        let theirs = try other.codes(of: "reviewers", numbers: 1...20).map(\.code.text)
        #expect(theirs.count == 20)
        try other.close()
        #expect(Set(theirs).isDisjoint(with: try codes()))
        for code in theirs {
            #expect(try await refusal { try await redeem(code) } == "unknown_code")
        }
    }

    @Test("A code gives one dog Premium for its time, from a grant, once")
    func redeemed() async throws {
        let code = try codes()[6]
        let receipt = try await redeem(code)
        #expect(receipt.positions.count == 1)
        #expect(!receipt.wasDoneBefore)
        let event = try #require(try ledger.history(of: "ada").last?.event.draft)
        #expect(event.type == .grantIssued)
        #expect(event.data["reason"] == "promo")
        #expect(event.data["grant_id"] == "promotion/reviewers/7")
        // A calendar month, in UTC.
        let end = instant("2026-02-10T10:00:00Z")
        func isOpen(_ instant: Int64, _ profile: String = "rex") throws -> Bool {
            try ledger.check(
                CheckQuestion("log", profile: profile), for: "ada", moment: Moment(at: instant)
            ).decision.allowed
        }
        #expect(try isOpen(Self.start))
        #expect(try isOpen(end - 1))
        #expect(try !isOpen(end))
        #expect(try !isOpen(Self.start - 1))
        // The same customer again, in other letter case and a month later.
        fixture.clock.now = end + 1
        let again = try await redeem(code.lowercased().replacing("-", with: " "))
        #expect(again.positions.isEmpty)
        #expect(again.wasDoneBefore)
        #expect(try await refusal { try await redeem(code, "bob") } == "code_redeemed")
        #expect(try ledger.history(of: "bob").isEmpty)
        let issued = try ledger.codes(of: "reviewers", numbers: 7...8)
        #expect(issued.map(\.redeemedBy) == ["ada", nil])
        #expect(issued.map(\.redeemedAt) == [Self.start, nil])
    }

    @Test("Joined customers redeem nothing twice; a voided code stays used")
    func persons() async throws {
        let code = try codes("friends")[0]
        _ = try await redeem(code, profile: nil)
        try await ledger.perform(CommandRequest(.alias(to: "ada"), subject: "ada-2"))
        #expect(try await redeem(code, "ada-2", profile: nil).wasDoneBefore)
        try await ledger.perform(
            CommandRequest(
                .voidEvent(source: "promotion", key: "friends/1"), subject: "ada", actor: "kim",
                reason: "by mistake"))
        #expect(
            try await refusal { try await redeem(code, "bob", profile: nil) } == "code_redeemed")
    }

    @Test("What is no code, comes too late or names no dog is refused, and nothing is used up")
    func refused() async throws {
        let code = try codes()[0]
        for text in ["", "0", "0AB3-K7QZ-MX2", code + "0", "UUUU-UUUU-UUUU", "ZZZZ-ZZZZ-ZZZZ"] {
            #expect(try await refusal { try await redeem(text) } == "unknown_code", "\(text)")
        }
        // Another symbol anywhere is another code.
        for index in code.indices where code[index] != "-" {
            var wrong = code
            let symbol = code[index] == "7" ? "8" : "7"
            wrong.replaceSubrange(index...index, with: symbol)
            #expect(try await refusal { try await redeem(wrong) } == "unknown_code")
        }
        #expect(try await refusal { try await redeem(code, profile: nil) } == "profile_required")
        #expect(try await refusal { try await redeem(code, profile: "fay") } == "unknown_profile")
        #expect(
            try await refusal { try await redeem(code, environment: .sandbox) } == "unknown_code")
        let friend = try codes("friends")[2]
        fixture.clock.now = instant("2026-01-20T00:00:00Z")
        #expect(try await refusal { try await redeem(friend) } == "promotion_over")
        fixture.clock.now -= 1
        #expect(try await refusal { try await redeem(friend) } == nil)
        #expect(try await refusal { try await redeem(code) } == nil)
        #expect(try ledger.history(of: "ada").count == 3)
    }

    @Test("A hundred customers at once: one has it")
    func concurrent() async throws {
        let code = try codes("friends")[1]
        let outcomes = try await withThrowingTaskGroup(of: String?.self) { group in
            for index in 0..<100 {
                group.addTask {
                    try await refusal { try await redeem(code, "c\(index)", profile: nil) }
                }
            }
            return try await group.reduce(into: [String?]()) { $0.append($1) }
        }
        #expect(outcomes.count { $0 == nil } == 1)
        #expect(outcomes.count { $0 == "code_redeemed" } == 99)
    }

    @Test("A batch that is made longer keeps its codes; a promotion that is gone gives nothing")
    func changed() async throws {
        let (first, friend) = (try codes()[0], try codes("friends")[0])
        let all = try codes()
        let text = Self.catalog.replacing("codes: 20", with: "codes: 21")
            .split(separator: "\n").filter { !$0.contains("friends") }.joined(separator: "\n")
        try await ledger.publish(CatalogPublication(document: Array(text.utf8)))
        #expect(try codes().prefix(20) == all[...])
        #expect(try codes().count == 21)
        #expect(try await refusal { try await redeem(first) } == nil)
        #expect(try await refusal { try await redeem(friend) } == "unknown_code")
    }
}
