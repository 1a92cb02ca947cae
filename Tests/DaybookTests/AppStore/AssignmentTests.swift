import Daybook
import DaybookDomain
import DaybookEvents
import DaybookIngest
import Testing

/// Ollie's purchase for one dog, as Apple signs it.
@Suite("App Store: one purchase for each dog")
struct AssignmentTests {
    static let product = "com.ollie.premium.perdog"

    /// Ada has two dogs and one purchase.
    private func bench() async throws -> AppStoreBench {
        let bench = try await AppStoreBench("ollie")
        for dog in ["rex", "bella"] {
            try await bench.perform(
                .createProfile(profile: dog, kind: "puppy", freeStartedAt: nil), for: "ada")
        }
        try await bench.restore([AppStoreBench.forever("3000", Self.product)], for: "ada")
        return bench
    }

    private func isPremium(_ bench: AppStoreBench, _ dog: String) throws -> Bool {
        try bench.fixture.ledger.check(
            CheckQuestion("export", profile: dog), for: "ada", environment: .test
        ).decision.allowed
    }

    private func assign(
        _ bench: AppStoreBench, _ dog: String, _ transaction: String = "3000",
        for subject: String = "ada"
    ) async throws -> String? {
        try await bench.refusal {
            try await bench.perform(
                .assignPurchase(transaction: transaction, profile: dog), for: subject)
        }
    }

    @Test(
        "OL-09 OL-14 A restored purchase asks for a dog and serves the one that it is assigned to")
    func needsAssignment() async throws {
        let bench = try await bench()
        let device = [AppStoreBench.forever("3000", Self.product)]
        let waiting = try await bench.restore(device, for: "ada")
        #expect(waiting.lineages[0].source?.why == .needsAssignment)
        #expect(try await assign(bench, "rex") == nil)
        let restored = try await bench.restore(device, for: "ada")
        #expect(restored.lineages[0].source?.profile == "rex")
        #expect(restored.lineages[0].source?.isActive == true)
        let dogs = try #require(restored.customers.first?.after.profiles)
        #expect(dogs.map(\.profile) == ["rex", "bella"])
        #expect(dogs.map { $0.entitlements.contains(where: \.isActive) } == [true, false])
    }

    @Test("OL-10 A life of two dogs, as Apple signs it")
    func twoDogs() async throws {
        let bench = try await bench()
        #expect(try await assign(bench, "rex") == nil)
        // The same product again is the same purchase, signed later: it serves no other profile.
        var again = AppStoreBench.forever("3000", Self.product)
        again.signedAt = AppStoreBench.now
        try await bench.post(again, by: "ada")
        #expect(try await assign(bench, "bella") == "transaction_already_assigned")
        try await bench.post(AppStoreBench.forever("3001", Self.product + ".2"), by: "ada")
        #expect(try await assign(bench, "bella", "3001") == nil)
        #expect(try isPremium(bench, "rex") && isPremium(bench, "bella"))
        var refunded = AppStoreBench.forever("3001", Self.product + ".2")
        refunded.revokedAt = AppStoreBench.now
        refunded.signedAt = AppStoreBench.now
        refunded.revocationReason = .other
        let refund = AppStoreBench.notification(
            .refund, nil, refunded, nil, signedAt: AppStoreBench.now)
        try await bench.take(refund)
        #expect(try isPremium(bench, "rex"))
        #expect(try !isPremium(bench, "bella"))
        // Restored on a new phone, the first purchase is still rex's.
        try await bench.restore([again], for: "ada")
        #expect(try isPremium(bench, "rex"))
    }

    @Test(
        "OL-09 A signed purchase claimed by a second dog is a conflict, recorded, and moves nothing"
    )
    func conflict() async throws {
        let bench = try await bench()
        #expect(try await assign(bench, "rex") == nil)
        for _ in 0..<2 {
            #expect(try await assign(bench, "bella") == "transaction_already_assigned")
        }
        let conflicts = try bench.fixture.ledger.history(of: "ada", environment: .test)
            .map(\.event.draft).filter { $0.type == .assignmentConflict }
        #expect(conflicts.count == 1)
        #expect(conflicts.first?.data["assigned_profile"] == "rex")
        #expect(try isPremium(bench, "rex"))
        #expect(try !isPremium(bench, "bella"))
    }

    @Test("Only a purchase that the store told of, and that is the customer's now, can be assigned")
    func ownOnly() async throws {
        let bench = try await bench()
        #expect(try await assign(bench, "rex", "4000") == "unknown_transaction")
        #expect(try await assign(bench, "max") == "unknown_profile")
        try await bench.perform(
            .createProfile(profile: "fido", kind: "puppy", freeStartedAt: nil), for: "bob")
        #expect(try await assign(bench, "fido", for: "bob") == "unknown_transaction")
        #expect(try await assign(bench, "rex") == nil)
        try await bench.transfer("apple:3000", from: "ada", .to("bob"))
        #expect(try await assign(bench, "bella") == "unknown_transaction")
        #expect(try !isPremium(bench, "rex"))
        #expect(try await assign(bench, "fido", for: "bob") == nil)
        // After the transfer is undone, it serves the same profile again.
        bench.fixture.clock.now += 1
        try await bench.transfer("apple:3000", from: "bob", .undo(isForced: false))
        #expect(try isPremium(bench, "rex"))
    }

    @Test("OL-28 A signed purchase goes on to another dog when its own is gone")
    func movesOn() async throws {
        let bench = try await bench()
        #expect(try await assign(bench, "rex") == nil)
        bench.fixture.clock.now += 1
        try await bench.perform(.deleteProfile(profile: "rex"), for: "ada")
        #expect(try await assign(bench, "bella") == nil)
        #expect(try isPremium(bench, "bella"))
    }

    @Test("OL-26 A family member's signed share serves a dog only where the catalog says so")
    func family() async throws {
        var share = AppStoreBench.forever("3000", Self.product)
        share.ownership = .familyShared
        for (isOn, refusal) in [(false, "family_not_shareable"), (true, nil)] {
            let bench = try await AppStoreBench(
                "ollie",
                replacing: [
                    "familyShareable: false": "familyShareable: \(isOn)",
                    "familyServesOneProfile: false": "familyServesOneProfile: \(isOn)",
                ])
            try await bench.perform(
                .createProfile(profile: "rex", kind: "puppy", freeStartedAt: nil), for: "ada")
            try await bench.restore([share], for: "ada")
            #expect(try await assign(bench, "rex") == refusal)
            #expect(try isPremium(bench, "rex") == isOn)
        }
    }
}
