import DaybookDomain
import DaybookEvents
import DaybookTesting
import Testing

/// What is refused about profiles, ids, lineages and codes, and both sides of every bound.
@Suite("Decisions about who has what, without a ledger")
struct DeciderOwnershipTests {
    // MARK: Profiles

    @Test("Profiles are created once, up to their gauge, and a purchase serves one of them")
    func profiles() throws {
        let puppies = try Scenario().given(
            Scenario.profile("rex"), Scenario.profile("tim"), Scenario.profile("mia", "child"),
            Scenario.bought("dog", "5"), Scenario.bought("forever", "6"))
        func create(_ name: String, _ kind: String) throws -> Rejection? {
            try puppies.when(.createProfile(profile: name, kind: kind, freeStartedAt: nil))
                .rejection
        }
        #expect(try create("rex", "puppy") == .profileExists("rex"))
        #expect(try create("new", "puppy") == nil)
        #expect(
            try create("leo", "child")
                == .limitReached(
                    meter: "kids", limit: 1, used: 1, reserved: 0, requested: 1, resetsAt: nil))
        func assign(_ id: String, _ profile: String) throws -> Rejection? {
            try puppies.when(.assignPurchase(transaction: id, profile: profile)).rejection
        }
        #expect(try assign("5", "rex") == nil)
        #expect(try assign("5", "max") == .unknownProfile("max"))
        #expect(try assign("9", "rex") == .unknownTransaction("9"))
        #expect(try assign("6", "rex") == .productMismatch(transaction: "6", product: "forever"))
        #expect(
            try puppies.when(.unassignPurchase(transaction: "5")).rejection
                == .unknownTransaction("5"))
        let shared = try Scenario().given(
            Scenario.profile("rex"), Scenario.bought("dog", "5", shared: true))
        guard
            case .familyNotServed("5", "dog", _)? = try shared.when(
                .assignPurchase(transaction: "5", profile: "rex")
            ).rejection
        else { return #expect(Bool(false), "a family member's share served a profile") }
    }

    @Test("A purchase goes on to another profile as often as the catalog lets it")
    func reassignments() throws {
        let first = try Scenario().given(
            Scenario.profile("rex"), Scenario.profile("tim"), Scenario.profile("max"),
            Scenario.bought("dog", "5"), Scenario.assigned("5", "rex", at: Scenario.now - 70))
        #expect(
            try first.when(.assignPurchase(transaction: "5", profile: "tim")).rejection
                == .transactionAlreadyAssigned(transaction: "5", profile: "rex"))
        let freed = first.given(Scenario.assigned("5", "rex", at: Scenario.now - 60, isEnd: true))
        #expect(try freed.when(.assignPurchase(transaction: "5", profile: "tim")).rejection == nil)
        let second = freed.given(
            Scenario.assigned("5", "tim", at: Scenario.now - 50),
            Scenario.assigned("5", "tim", at: Scenario.now - 40, isEnd: true))
        #expect(
            try second.when(.assignPurchase(transaction: "5", profile: "max")).rejection
                == .reassignmentsUsed(transaction: "5", profiles: ["rex", "tim"], max: 1))
        #expect(try second.when(.assignPurchase(transaction: "5", profile: "rex")).rejection == nil)
    }

    // MARK: Ids, transfers, codes

    @Test("An alias joins two customers once, and is taken back where it joins them")
    func aliases() throws {
        let alone = try Scenario()
        #expect(try alone.when(.alias(to: "ada")).rejection == .aliasToItself("ada"))
        #expect(try alone.when(.alias(to: "bob")).rejection == nil)
        #expect(try alone.when(.unalias(from: "bob")).rejection == .unknownAlias("ada"))
        let joined = alone.with { $0.person = ["ada", "bob", "eve"] }
        #expect(
            try joined.when(.alias(to: "bob")).rejection == .aliasCycle("ada", canonical: "bob"))
        let other = joined.with { $0.shown = "bob" }
        #expect(
            try other.when(.alias(to: "bob")).rejection == .alreadyAliased("ada", canonical: "bob"))
        let linked = joined.with { $0.links = [AliasLink(other: "bob", isAlias: true)] }
        #expect(try linked.when(.unalias(from: "bob")).rejection == nil)
        #expect(
            try linked.when(.unalias(from: "eve")).rejection
                == .indirectAlias("ada", canonical: "eve", links: ["bob"]))
    }

    @Test("A lineage is given by its owner, with a reason, and taken back within thirty days")
    func transfers() throws {
        let give = Command.transferLineage("apple:1", to: "bob")
        let undo = Command.undoTransfer(lineage: "apple:1", isForced: false)
        var known = LineageCase(name: "apple:1", isKnown: true, owner: "ada", isSubjects: true)
        func rejection(_ command: Command, _ reason: String? = "asked") throws -> Rejection? {
            try Scenario().with { $0.lineage = known }.when(command, reason: reason).rejection
        }
        #expect(try rejection(give) == nil)
        #expect(try rejection(give, nil) == .reasonNeeded)
        #expect(try rejection(give, "") == .reasonNeeded)
        #expect(
            try rejection(.transferLineage("apple:1", to: "ada")) == .sameCustomer("ada", "ada"))
        #expect(try rejection(undo) == .nothingToUndo(lineage: "apple:1"))
        for (offset, isOpen) in [(-1, false), (0, false), (1, true)] as [(Int64, Bool)] {
            known.latest = .init(
                source: "ledger", key: "t", from: "bob", to: "ada",
                reversibleUntil: Scenario.now + offset, isUndo: false)
            #expect(
                try rejection(undo)
                    == (isOpen
                        ? nil : .transferFinal(lineage: "apple:1", until: Scenario.now + offset)))
        }
        #expect(try rejection(.undoTransfer(lineage: "apple:1", isForced: true)) == nil)
        known.isSubjects = false
        known.owner = "eve"
        #expect(
            try rejection(give) == .notOwner(lineage: "apple:1", subject: "ada", owner: "eve"))
        known.isKnown = false
        #expect(try rejection(give) == .unknownLineage("apple:1"))
        let strict = Scenario.document.replacing(
            "policies:\n", with: "policies:\n  refusesUnknownSubjects: true\n")
        #expect(try Scenario(strict).when(Scenario.consume(1)).rejection == .unknownSubject("ada"))
    }

    @Test("A code gives once, to one customer and profile, before its end")
    func codes() throws {
        let catalog = try CatalogReader.read(Array(Scenario.document.utf8))
        func asked(_ name: String, _ change: (inout PromotionCase) -> Void = { _ in }) throws
            -> Scenario
        {
            var found = PromotionCase(name: name, number: 1)
            found.promotion = catalog.promotions.first { $0.name == name }
            change(&found)
            return try Scenario().given(Scenario.profile("rex")).with { $0.promotion = found }
        }
        let redeem = Command.redeem(code: "CODE")
        let end = Scenario.now
        #expect(try Scenario().when(redeem).rejection == .unknownCode)
        #expect(try asked("reviewers").at(end - 1).when(redeem).rejection == nil)
        #expect(
            try asked("reviewers").at(end).when(redeem).rejection
                == .promotionOver(promotion: "reviewers", until: end))
        #expect(
            try asked("reviewers") { $0.redeemedBy = "eve" }.when(redeem).rejection
                == .codeRedeemed(promotion: "reviewers"))
        #expect(
            try asked("breeders").when(redeem).rejection == .profileNeeded(promotion: "breeders"))
        #expect(try asked("breeders").when(redeem, profile: "rex").rejection == nil)
        let served = try asked("breeders") {
            $0.redeemedBy = "ada"
            $0.redeemedFor = "rex"
        }
        #expect(try served.when(redeem, profile: "rex").isRepeated)
        #expect(
            try served.when(redeem, profile: "tim").rejection
                == .codeServes(promotion: "breeders", profile: "rex"))
    }
}
