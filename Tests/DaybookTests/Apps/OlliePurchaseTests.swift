import Daybook
import DaybookAudit
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookTesting
import Testing

@Suite("Ollie: one purchase for each dog")
struct OlliePurchaseTests {
    let ollie: OllieFixture
    let start = OllieFixture.start
    let end = OllieFixture.end
    let day = OllieFixture.day

    init() async throws { ollie = try await OllieFixture() }

    @Test("OL-08 The paid dog is Premium, the other one counts its own days")
    func twoDogs() async throws {
        try await ollie.dog("rex")
        try await ollie.dog("bella", at: start + 4 * day)
        try await ollie.buy("3000", for: "rex")
        #expect(try ollie.status("rex").status == "premium")
        #expect(try ollie.status("bella").status == "free")
        #expect(try ollie.card("bella").freeDaysRemaining == 21)
        #expect(try ollie.status("bella", at: end + 4 * day - 1).status == "free")
        #expect(try ollie.status("bella", at: end + 4 * day).status == "freePeriodExpired")
        #expect(try ollie.status("rex", at: end + 4 * day).status == "premium")
    }

    @Test(
        "OL-09 One purchase cannot serve a second dog; the claim leaves evidence and nothing else")
    func conflict() async throws {
        try await ollie.dog("rex")
        try await ollie.dog("bella")
        try await ollie.buy("3000", for: "rex")
        let before = try ollie.status("bella")
        let claim = Command.assignPurchase(transaction: "3000", profile: "bella")
        let refusal = try await ollie.fixture.refusal(of: claim)
        #expect(refusal == .transactionAlreadyAssigned(transaction: "3000", profile: "rex"))
        #expect(refusal?.code == "transaction_already_assigned")
        #expect(try await ollie.fixture.refusal(of: claim) == refusal)
        let conflicts = try ollie.ledger.history(of: "ada").map(\.event.draft).filter {
            $0.type == .assignmentConflict
        }
        #expect(conflicts.map { $0.data["assigned_profile"]?.text } == ["rex"])
        #expect(try ollie.status("bella") == before)
        #expect(try ollie.status("rex").status == "premium")
    }

    @Test("OL-09 A claim that another phone reports late changes nothing either")
    func reportedConflict() async throws {
        try await ollie.dog("rex")
        try await ollie.dog("bella")
        try await ollie.buy("3000", for: "rex")
        try await ollie.fixture.record(
            .reported(
                .purchaseAssigned, at: start + day, key: "claim/bella",
                ["transaction_id": "3000", "profile": "bella"]))
        #expect(try ollie.status("rex", at: end).status == "premium")
        #expect(try ollie.status("bella", at: end).status == "freePeriodExpired")
    }

    @Test("OL-10 A second real purchase serves the second dog, under a product id of its own")
    func secondPurchase() async throws {
        func offered(_ dog: String) throws -> [String]? {
            try ollie.check("export", dog).paywall?.products
        }
        let products = ["", ".2", ".3"].map { OllieFixture.product + $0 }
        try await ollie.dog("rex")
        try await ollie.dog("bella")
        #expect(try offered("bella") == products)
        try await ollie.buy("3000", for: "rex")
        // The store would give the first product again for nothing, and no second dog with it.
        #expect(try offered("bella") == Array(products[1...]))
        try await ollie.fixture.record(ollie.purchase("3001", at: start, product: products[1]))
        #expect(try ollie.status("bella").status == "free")
        #expect(try offered("bella") == [products[2]])
        try await ollie.fixture.perform(.assignPurchase(transaction: "3001", profile: "bella"))
        #expect(try ollie.status("bella").status == "premium")
        #expect(try ollie.status("rex").status == "premium")
        // What was refunded can be bought again.
        try await ollie.refund("3000", at: start + day)
        #expect(try offered("rex") == [products[0], products[2]])
    }

    @Test("OL-14 A restored purchase that serves no dog asks for one")
    func needsAssignment() async throws {
        try await ollie.dog("rex")
        try await ollie.fixture.record(ollie.purchase("3000", at: start))
        let decision = try ollie.check("export", "rex")
        #expect(!decision.allowed)
        let findings = try ollie.ledger.doctor(subject: "ada").filter { $0.area == "purchase" }
        #expect(findings.map { $0.message.contains("needs_assignment") } == [true])
        try await ollie.fixture.perform(.assignPurchase(transaction: "3000", profile: "rex"))
        #expect(try ollie.check("export", "rex").allowed)
        #expect(try ollie.text("purchase.restored") == "Aankoop hersteld voor [puppyname].")
        let slots = try #require(
            try ollie.ledger.catalogs().newest?.catalog.paywall(context: "default")?.slots)
        #expect(slots.contains(CopySlot(slot: "restored", key: "purchase.restored")))
    }

    @Test("OL-22 A purchase made offline counts from its own date once it is told")
    func offline() async throws {
        try await ollie.dog("rex")
        let bought = end + 3 * day
        ollie.fixture.clock.now = end + 6 * day
        let before = try ollie.ledger.head().position
        try await ollie.fixture.record(ollie.purchase("3000", at: bought))
        try await ollie.fixture.perform(.assignPurchase(transaction: "3000", profile: "rex"))
        #expect(try ollie.status("rex", at: bought - 1).status == "freePeriodExpired")
        #expect(try ollie.status("rex", at: bought).status == "premium")
        let known = Moment(at: bought, knownAt: .position(before))
        let (earlier, _) = try ollie.ledger.status(of: "ada", profile: "rex", moment: known)
        #expect(earlier.status == "freePeriodExpired")
    }

    @Test(
        "OL-23 After a refund the dog is where its own start leaves it: no new 21 days",
        arguments: [(10, "free", 11), (30, "freePeriodExpired", 0)] as [(Int64, String, Int64)])
    func refunded(_ days: Int64, _ status: String, _ left: Int64) async throws {
        try await ollie.dog("rex", at: start + 20 * day)
        let start = start + 20 * day
        try await ollie.buy("3000", for: "rex")
        try await ollie.refund("3000", at: start + days * day)
        #expect(try ollie.status("rex").status == status)
        #expect(try ollie.card("rex").freeDaysRemaining == left)
        #expect(try ollie.check("export", "rex").reason == .refunded)
        #expect(try ollie.status("rex", at: start + days * day - 1).status == "premium")
    }

    @Test("OL-24 A sale is kept at what was paid; the price on show stays")
    func sale() async throws {
        try await ollie.dog("rex")
        try await ollie.fixture.record(
            ollie.purchase("3000", at: start, ["price_milli": 14_990]))
        try await ollie.fixture.perform(.assignPurchase(transaction: "3000", profile: "rex"))
        let paid = try ollie.ledger.history(of: "ada").compactMap {
            $0.event.draft.data["price_milli"]?.integer
        }
        #expect(paid == [14_990])
        let catalog = try #require(try ollie.ledger.catalogs().newest?.catalog)
        let product = try #require(catalog.product(OllieFixture.product))
        #expect(product.prices.first { $0.name == "regular" }?.amountMilli == 19_000)
        #expect(try ollie.text(product.displayPrice ?? "") == "€19")
    }

    @Test("OL-25 A reviewer's grant makes one dog Premium, from a grant, until it ends")
    func promo() async throws {
        try await ollie.dog("demo")
        try await ollie.dog("other")
        let until = start + 30 * day
        try await ollie.fixture.perform(
            .issueGrant(
                .init(
                    id: "review", target: .entitlement("premium"), expiresAt: until,
                    profile: "demo", reason: "promo")))
        let issued = try #require(
            try ollie.ledger.history(of: "ada").map(\.event.draft).first {
                $0.type == .grantIssued
            })
        #expect(issued.data["reason"] == "promo")
        #expect(issued.profile == "demo")
        let decision = try ollie.check("export", "demo", at: until - 1)
        #expect(decision.reason == .grant)
        #expect(decision.source?.kind == .grant)
        #expect(try ollie.status("demo").status == "premium")
        #expect(try ollie.card("demo").freeDaysRemaining == -1)
        #expect(try !ollie.check("export", "other").allowed)
        #expect(try !ollie.check("export", "demo", at: until).allowed)
    }

    @Test(
        "OL-26 A family's purchase serves a member's dog only where the catalog shares it and says so",
        arguments: [
            (false, false, "family_not_shareable"), (false, true, "family_not_shareable"),
            (true, false, "family_serves_no_profile"), (true, true, nil),
        ])
    func family(_ isShareable: Bool, _ servesProfile: Bool, _ refusal: String?) async throws {
        let fixture = try await OllieFixture(replacing: [
            "familyShareable: false": "familyShareable: \(isShareable)",
            "familyServesOneProfile: false": "familyServesOneProfile: \(servesProfile)",
        ])
        try await fixture.dog("rex")
        try await fixture.dog("bella")
        try await fixture.fixture.record(
            fixture.purchase("3000", at: start, ["ownership": "FAMILY_SHARED"]))
        let assignment = Command.assignPurchase(transaction: "3000", profile: "rex")
        #expect(try await fixture.fixture.refusal(of: assignment)?.code == refusal)
        let decision = try fixture.check("export", "rex")
        #expect(decision.allowed == (refusal == nil))
        #expect(decision.reason == (refusal == nil ? .family : .notEntitled))
        #expect(try !fixture.check("export", "bella").allowed)
        guard refusal == nil else { return }
        // Any one of the member's dogs, and no second one.
        let second = Command.assignPurchase(transaction: "3000", profile: "bella")
        #expect(
            try await fixture.fixture.refusal(of: second)
                == .transactionAlreadyAssigned(transaction: "3000", profile: "rex"))
        #expect(try fixture.fixture.entitlement("premium")?.isActive == false)
    }

    @Test("OL-26 An assignment that was reported all the same gives nothing, and doctor says why")
    func familyReported() async throws {
        let fixture = try await OllieFixture(replacing: [
            "familyShareable: false": "familyShareable: true"
        ])
        try await fixture.dog("rex")
        try await fixture.fixture.record(
            fixture.purchase("3000", at: start, ["ownership": "FAMILY_SHARED"]),
            .reported(
                .purchaseAssigned, at: start, key: "a1",
                ["transaction_id": "3000", "profile": "rex"]))
        #expect(try !fixture.check("export", "rex").allowed)
        let sources = try fixture.check("export", "rex").candidates
        #expect(sources.map(\.why) == [.family(.servesNoProfile)])
        let findings = try fixture.ledger.doctor(subject: "ada").filter { $0.area == "purchase" }
        #expect(findings.count == 1)
        #expect(findings.first?.remedy?.contains("familyServesOneProfile") == true)
        // The policy is the catalog's, so that it can be changed without touching history.
        fixture.fixture.clock.now += 1
        try await fixture.fixture.publish(replacing: [
            "familyShareable: false": "familyShareable: true",
            "familyServesOneProfile: false": "familyServesOneProfile: true",
        ])
        #expect(try fixture.check("export", "rex").reason == .family)
        #expect(try !fixture.check("export", "rex", at: start).allowed)
    }

    @Test("OL-28 When a dog is deleted its purchase is free again, for one other dog")
    func deleted() async throws {
        try await ollie.dog("rex")
        try await ollie.dog("bella")
        try await ollie.buy("3000", for: "rex")
        ollie.fixture.clock.now = end + day
        try await ollie.fixture.perform(.deleteProfile(profile: "rex"))
        #expect(try ollie.status("bella").status == "freePeriodExpired")
        try await ollie.fixture.perform(.assignPurchase(transaction: "3000", profile: "bella"))
        #expect(try ollie.status("bella").status == "premium")
        let third = Command.assignPurchase(transaction: "3000", profile: "max")
        try await ollie.dog("max", at: end + 2 * day)
        #expect(
            try await ollie.fixture.refusal(of: third)
                == .transactionAlreadyAssigned(transaction: "3000", profile: "bella"))
        // Once: when the second dog is gone too, it goes on to none.
        try await ollie.fixture.perform(.deleteProfile(profile: "bella"))
        let used = Rejection.reassignmentsUsed(
            transaction: "3000", profiles: ["rex", "bella"], max: 1)
        #expect(try await ollie.fixture.refusal(of: third) == used)
        try await ollie.dog("bella", at: end + 3 * day)
        #expect(
            try await ollie.fixture.refusal(
                of: .assignPurchase(transaction: "3000", profile: "bella")) == nil)
        try await ollie.fixture.perform(.unassignPurchase(transaction: "3000"))
        #expect(try await ollie.fixture.refusal(of: third) == used)
    }

    @Test(
        "OL-28 How often a purchase may go on is the catalog's to say", arguments: [0, 2] as [Int])
    func reassignments(_ max: Int) async throws {
        let ollie = try await OllieFixture(
            replacing: ["reassignmentsMax: 1": "reassignmentsMax: \(max)"])
        for dog in ["d0", "d1", "d2", "d3"] { try await ollie.dog(dog) }
        try await ollie.buy("3000", for: "d0")
        for number in 1...3 {
            try await ollie.fixture.perform(.unassignPurchase(transaction: "3000"))
            let refusal = try await ollie.fixture.refusal(
                of: .assignPurchase(transaction: "3000", profile: "d\(number)"))
            #expect((refusal == nil) == (number <= max), "\(number)")
            if refusal != nil { return }
        }
    }

    @Test("OL-29 What a client merely claims unlocks nothing")
    func claimed() async throws {
        try await ollie.dog("rex")
        var claim = ollie.purchase("3000", at: start)
        claim.trust = .clientAsserted
        try await ollie.fixture.record(claim)
        try await ollie.fixture.perform(.assignPurchase(transaction: "3000", profile: "rex"))
        #expect(try ollie.status("rex").status == "free")
        #expect(try ollie.check("export", "rex").reason == .unverified)
        // A ledger that the app keeps for itself believes what the app puts in as known (low stakes).
        try await ollie.dog("bella")
        var own = ollie.purchase("3001", at: start, product: OllieFixture.product + ".2")
        own.trust = .imported
        try await ollie.fixture.record(own)
        try await ollie.fixture.perform(.assignPurchase(transaction: "3001", profile: "bella"))
        #expect(try ollie.status("bella").status == "premium")
        #expect(try ollie.status("rex").status == "free")
    }
}
