import Daybook
import DaybookDomain
import DaybookEvents
import DaybookIngest
import Testing

/// E51: bob restores what is ada's.
@Suite("App Store: restores of another customer's purchases")
struct RestorePolicyTests {
    static let now = AppStoreBench.now
    static let day = AppStoreBench.day
    static let expires = AppStoreBench.expires

    /// What became of ada's subscription before bob restores it.
    enum Condition: String, Sendable, CaseIterable {
        case running, ending, grace, retrying, expired, refunded
    }

    struct Row: Sendable, CustomTestStringConvertible {
        var policy: String
        var condition: Condition
        var outcome: RestoreOutcome
        var testDescription: String { "\(policy), \(condition.rawValue)" }
    }

    static let rows: [Row] =
        Condition.allCases.flatMap { condition in
            [
                Row(policy: "keep", condition: condition, outcome: .ownedByOther),
                Row(policy: "transfer", condition: condition, outcome: .transferred),
                Row(policy: "share", condition: condition, outcome: .shared),
            ]
        } + [
            Row(policy: "transferIfInactive", condition: .running, outcome: .ownedByOther),
            Row(policy: "transferIfInactive", condition: .ending, outcome: .ownedByOther),
            // Grace and billing retry count as active (E51).
            Row(policy: "transferIfInactive", condition: .grace, outcome: .ownedByOther),
            Row(policy: "transferIfInactive", condition: .retrying, outcome: .ownedByOther),
            Row(policy: "transferIfInactive", condition: .expired, outcome: .transferred),
            Row(policy: "transferIfInactive", condition: .refunded, outcome: .transferred),
        ]

    /// Brings ada's subscription there and says what her device hands over then.
    private static func prepare(
        _ bench: AppStoreBench, _ condition: Condition
    ) async throws -> SandboxTransaction {
        var device = AppStoreBench.anonymous()
        try await bench.restore([device], for: "ada")
        var renewal = AppStoreBench.renewal(signedAt: now)
        func tell(
            _ type: AppStoreNotificationType, _ subtype: AppStoreNotificationSubtype? = nil
        ) async throws {
            try await bench.take(
                AppStoreBench.notification(type, subtype, device, renewal, signedAt: now))
        }
        switch condition {
        case .running: break
        case .ending:
            renewal.willRenew = false
            try await tell(.didChangeRenewalStatus, .autoRenewDisabled)
        case .grace:
            renewal.isInBillingRetry = true
            renewal.graceExpiresAt = expires + 16 * day
            renewal.signedAt = expires - day
            try await tell(.didFailToRenew, .gracePeriod)
            bench.fixture.clock.now = expires + day
        case .retrying:
            renewal.isInBillingRetry = true
            renewal.signedAt = expires - day
            try await tell(.didFailToRenew)
            bench.fixture.clock.now = expires + day
        case .expired: bench.fixture.clock.now = expires + 61 * day
        case .refunded:
            device.revokedAt = now
            device.signedAt = now
            try await tell(.refund)
        }
        return device
    }

    @Test("E51 The catalog's policy decides, and a dry run says so before", arguments: rows)
    func policy(_ row: Row) async throws {
        let bench = try await AppStoreBench(transfer: row.policy)
        var device = try await Self.prepare(bench, row.condition)
        device.signedAt = max(device.signedAt ?? 0, Self.now) + 1
        let ledger = bench.fixture.ledger
        let (head, digest) = (try ledger.head(), try ledger.digest().digest)
        let ada = try bench.premium(at: bench.fixture.clock.now)
        let dryRun = try await bench.restore([device], for: "bob", isDryRun: true)
        #expect(try ledger.head() == head)
        #expect(try ledger.digest().digest == digest)
        let receipt = try await bench.restore([device], for: "bob")
        #expect(receipt == dryRun)
        #expect(receipt.outcomes == ["apple:1001": row.outcome])
        #expect(receipt.lineages[0].ownerBefore == "ada")
        let bob = try bench.premium(at: bench.fixture.clock.now, of: "bob")
        switch row.outcome {
        case .ownedByOther:
            #expect(try bench.premium(at: bench.fixture.clock.now) == ada)
            #expect(bob == "none")
            #expect(receipt.lineages[0].ownerAfter == "ada")
        case .transferred:
            #expect(try bench.premium(at: bench.fixture.clock.now) == "none")
            #expect(bob == ada)
            #expect(receipt.lineages[0].ownerAfter == "bob")
            #expect(
                receipt.lineages[0].reversibleUntil
                    == bench.fixture.clock.now + 30 * Self.day)
            #expect(try bench.premium(at: bench.fixture.clock.now - 1) == ada)
        default:
            #expect(try bench.premium(at: bench.fixture.clock.now) == ada)
            #expect(bob == ada)
        }
        let moved = try bench.types(after: head.position).filter {
            $0 == "purchase.transferred" || $0 == "subject.aliased"
        }
        #expect(moved.count == (row.outcome == .ownedByOther ? 0 : 1))
        // Once more: nothing is appended, and what moved is bob's.
        let position = try ledger.head()
        let again = try await bench.restore([device], for: "bob")
        #expect(try ledger.head() == position)
        #expect(
            again.outcomes["apple:1001"]
                == (row.outcome == .ownedByOther ? .ownedByOther : .alreadyYours))
    }

    @Test("E51 Both customers' histories show a transfer")
    func bothHistories() async throws {
        let bench = try await AppStoreBench(transfer: "transfer")
        try await bench.restore([AppStoreBench.anonymous()], for: "ada")
        let receipt = try await bench.restore([AppStoreBench.anonymous()], for: "bob")
        #expect(receipt.customers.map(\.subject) == ["bob", "ada"])
        #expect(receipt.change(of: "bob") == "none → active+")
        #expect(receipt.change(of: "ada") == "active+ → none")
        for subject in ["ada", "bob"] {
            let moves = try bench.fixture.ledger.history(of: subject, environment: .test)
                .map(\.event.draft).filter { $0.type == .purchaseTransferred }
            #expect(moves.count == 1)
            #expect(moves.first?.data["rule"] == "restore")
            #expect(moves.first?.data["from"] == "ada")
            #expect(moves.first?.data["to"] == "bob")
            #expect(
                moves.first?.data["reversible_until"]
                    == .integer(bench.fixture.clock.now + 30 * Self.day))
        }
        // Ada's device restores in turn, as on a device that two people share.
        bench.fixture.clock.now += 1
        let back = try await bench.restore([AppStoreBench.anonymous()], for: "ada")
        #expect(back.outcomes == ["apple:1001": .transferred])
        #expect(try bench.owner() == "ada")
    }

    @Test("What is shared is one customer's until the alias is taken back")
    func unshared() async throws {
        let bench = try await AppStoreBench(transfer: "share")
        try await bench.restore([AppStoreBench.anonymous()], for: "ada")
        let receipt = try await bench.restore([AppStoreBench.anonymous()], for: "bob")
        #expect(receipt.lineages[0].ownerAfter == "ada")
        #expect(receipt.change(of: "bob") == "none → active+")
        #expect(receipt.change(of: "ada") == "active+ → active+")
        #expect(
            try bench.fixture.ledger.status(of: "bob", environment: .test).status.subject == "ada")
        try await bench.perform(.unalias(from: "ada"), for: "bob")
        #expect(try bench.premium(at: Self.now) == "active+~")
        #expect(try bench.premium(at: Self.now, of: "bob") == "none")
    }

    @Test("A refused restore leaves the claim as evidence, and both are told")
    func evidence() async throws {
        let bench = try await AppStoreBench(transfer: "keep")
        try await bench.restore([AppStoreBench.anonymous()], for: "ada")
        try await bench.restore([AppStoreBench.anonymous(signedAt: Self.now)], for: "bob")
        let status = try bench.fixture.ledger.status(of: "bob", environment: .test).status
        #expect(status.warnings == ["owned_by_other"])
        let history = try bench.fixture.ledger.history(of: "bob", environment: .test)
        #expect(
            history.filter { $0.event.draft.type == .purchaseClaimed }
                .map(\.event.draft.subject) == ["ada", "bob"])
    }

    @Test(
        "A restore takes nothing by being older than what is known, or by its name",
        arguments: ["keep", "transferIfInactive"], ["aaron", "zoe"])
    func notOlder(_ policy: String, _ restorer: String) async throws {
        let bench = try await AppStoreBench(transfer: policy)
        let second = AppStoreBench.anonymous(
            "1002", from: Self.now - Self.day, to: Self.expires)
        try await bench.post(second, by: "mia")
        // The first period was never told before, and the second one comes in the very same bytes.
        let receipt = try await bench.restore(
            [AppStoreBench.anonymous(to: Self.now - Self.day), second], for: restorer)
        #expect(receipt.outcomes == ["apple:1001": .ownedByOther])
        #expect(receipt.appended >= 1)
        for instant in [AppStoreBench.bought, Self.now, Self.expires - 1] {
            #expect(try bench.owner(at: instant) == "mia")
            #expect(try bench.premium(at: instant, of: restorer) == "none")
            #expect(try bench.premium(at: instant, of: "mia") == "active+~")
        }
        let head = try bench.fixture.ledger.head()
        try await bench.restore(
            [AppStoreBench.anonymous(to: Self.now - Self.day), second], for: restorer)
        #expect(try bench.fixture.ledger.head() == head)
    }

    @Test("A purchase that waits for its dog is in use, and is not taken away")
    func waiting() async throws {
        let bench = try await AppStoreBench("ollie")
        let device = [AppStoreBench.forever("3000", "com.ollie.premium.perdog")]
        let first = try await bench.restore(device, for: "ada")
        #expect(first.lineages[0].source?.why == .needsAssignment)
        #expect(
            try await bench.restore(device, for: "bob").outcomes
                == ["apple:3000": .ownedByOther])
    }

    @Test("Each of two lineages is decided by itself, in one commit")
    func severalLineages() async throws {
        let bench = try await AppStoreBench("dozzi")
        var refunded = AppStoreBench.forever("8", signedAt: Self.now)
        refunded.revokedAt = Self.now
        try await bench.restore([AppStoreBench.forever("7"), refunded], for: "ada")
        let receipt = try await bench.restore(
            [AppStoreBench.forever("7"), refunded, AppStoreBench.forever("9")], for: "bob")
        #expect(
            receipt.outcomes == [
                "apple:7": .ownedByOther, "apple:8": .transferred, "apple:9": .restored,
            ])
        #expect(receipt.change(of: "bob", "unlimited") == "none → lifetime+")
        #expect(receipt.change(of: "ada", "unlimited") == "lifetime+ → lifetime+")
    }

    @Test("One lineage that many restore at once has one owner, whatever the order")
    func atOnce() async throws {
        for policy in ["keep", "transfer"] {
            let bench = try await AppStoreBench(transfer: policy)
            let texts = try bench.texts([AppStoreBench.anonymous()])
            let found = try await withThrowingTaskGroup(of: RestoreOutcome?.self) { group in
                for index in 0..<12 {
                    group.addTask {
                        try await bench.restore(texts, for: "u\(index)").lineages.first?.outcome
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(found.count { $0 == .restored } == 1)
            let other: RestoreOutcome = policy == "keep" ? .ownedByOther : .transferred
            #expect(found.count { $0 == other } == 11)
            let owners = try (0..<12).filter {
                try bench.premium(at: bench.fixture.clock.now, of: "u\($0)") == "active+~"
            }
            #expect(owners.count == 1)
            #expect(try bench.owner() == "u\(owners[0])")
        }
    }
}
