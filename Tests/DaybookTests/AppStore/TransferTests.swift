import Daybook
import DaybookAudit
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookIngest
import DaybookTesting
import Testing

@Suite("App Store: transfers")
struct TransferTests {
    static let now = AppStoreBench.now
    static let day = AppStoreBench.day
    static let expires = AppStoreBench.expires

    /// Ada's subscription.
    private func bench() async throws -> AppStoreBench {
        let bench = try await AppStoreBench()
        try await bench.restore([AppStoreBench.anonymous()], for: "ada")
        return bench
    }

    @Test(
        "A transfer moves the lineage from its moment on; the past, and what was known then, stay")
    func moves() async throws {
        let bench = try await bench()
        let ledger = bench.fixture.ledger
        let moment = bench.fixture.clock.now
        let before = try ledger.head().position
        let dryRun = try await bench.transfer(from: "ada", .to("bob"), key: "t1", isDryRun: true)
        #expect(try ledger.head().position == before)
        let receipt = try await bench.transfer(from: "ada", .to("bob"), key: "t1")
        #expect(receipt == dryRun)
        #expect(receipt.receipt.positions == [before + 1])
        #expect(receipt.customers.change(of: "ada") == "active+ → none")
        #expect(receipt.customers.change(of: "bob") == "none → active+")
        #expect(receipt.reversibleUntil == moment + 30 * Self.day)
        func premium(_ subject: String, _ at: Int64, _ known: Int64) throws -> Bool {
            try ledger.status(
                of: subject, environment: .test,
                moment: Moment(at: at, knownAt: .position(known))
            ).status.entitlements.contains(where: \.isActive)
        }
        let rows: [(String, Int64, Int64, Bool)] = [
            ("ada", moment - 1, before, true), ("ada", moment - 1, before + 1, true),
            ("ada", moment, before, true), ("ada", moment, before + 1, false),
            ("bob", moment - 1, before, false), ("bob", moment - 1, before + 1, false),
            ("bob", moment, before, false), ("bob", moment, before + 1, true),
        ]
        for (subject, at, known, expected) in rows {
            #expect(try premium(subject, at, known) == expected, "\(subject) \(at) @\(known)")
        }
        for subject in ["ada", "bob"] {
            #expect(
                try ledger.history(of: subject, environment: .test)
                    .count { $0.event.draft.type == .purchaseTransferred } == 1)
        }
    }

    @Test(
        "A renewal after a transfer lands with the new owner, whichever customer its device names")
    func renewals() async throws {
        let bench = try await bench()
        try await bench.transfer(from: "ada", .to("bob"))
        let next = AppStoreBench.anonymous(
            "1002", from: Self.expires, to: Self.expires + 30 * Self.day)
        try await bench.take(
            AppStoreBench.notification(
                .didRenew, nil, next, AppStoreBench.renewal(signedAt: Self.expires - 1),
                signedAt: Self.expires - 1))
        try await bench.restore([next], for: "ada")
        #expect(try bench.premium(at: Self.expires, of: "bob") == "active+~")
        #expect(try bench.premium(at: Self.expires) == "none")
        #expect(try bench.premium(at: AppStoreBench.bought) == "active+~")
    }

    @Test("The same key is the same transfer; another payload is a conflict")
    func repeated() async throws {
        let bench = try await bench()
        let first = try await bench.transfer(from: "ada", .to("bob"), key: "t1")
        let head = try bench.fixture.ledger.head()
        bench.fixture.clock.now += Self.day
        #expect(try await bench.transfer(from: "ada", .to("bob"), key: "t1") == first)
        #expect(try bench.fixture.ledger.head() == head)
        let code = try await bench.refusal {
            try await bench.transfer(from: "ada", .to("cleo"), key: "t1")
        }
        #expect(code == "idempotency_conflict")
    }

    @Test("What cannot be moved is refused with its reason, and nothing is recorded")
    func refusals() async throws {
        let bench = try await bench()
        try await bench.alias("device-1", to: "ada")
        let head = try bench.fixture.ledger.head()
        func refused(
            lineage: String = "apple:1001", from: String = "ada",
            _ direction: TransferRequest.Direction = .to("bob"), reason: String = "why"
        ) async throws -> String? {
            try await bench.refusal {
                try await bench.transfer(lineage, from: from, direction, reason: reason)
            }
        }
        #expect(try await refused(lineage: "apple:9999") == "unknown_line")
        #expect(try await refused(lineage: "1001") == "unknown_line")
        #expect(try await refused(from: "bob", .to("ada")) == "not_owner")
        #expect(try await refused(.to("ada")) == "same_customer")
        #expect(try await refused(.to("device-1")) == "same_customer")
        #expect(try await refused(.to("guest")) == "junk_subject")
        #expect(try await refused(.to("kim@example.com")) == "pii_forbidden")
        #expect(try await refused(reason: "") == "reason_needed")
        #expect(try await refused(.undo(isForced: false)) == "nothing_to_undo")
        #expect(try await refused(.undo(isForced: true)) == "nothing_to_undo")
        #expect(try bench.fixture.ledger.head() == head)
        // Stale: another transfer came in between.
        try await bench.transfer(from: "device-1", .to("cleo"))
        #expect(try await refused() == "not_owner")
    }

    @Test("Where unknown customers are refused, a transfer makes none")
    func unknownRecipient() async throws {
        let bench = try await bench()
        bench.fixture.clock.now += 1
        try await bench.fixture.publish(replacing: [
            "transfer: transferIfInactive":
                "transfer: transferIfInactive\n  refusesUnknownSubjects: true"
        ])
        let code = try await bench.refusal { try await bench.transfer(from: "ada", .to("bob")) }
        #expect(code == "not_found")
        #expect(try bench.owner() == "ada")
    }

    @Test("A transfer is taken back once, within its time, and both histories keep both")
    func undone() async throws {
        let bench = try await bench()
        let moment = bench.fixture.clock.now
        let made = try await bench.transfer(from: "ada", .to("bob"))
        let until = try #require(made.reversibleUntil)
        bench.fixture.clock.now = until - 1
        let stale = try await bench.refusal {
            try await bench.transfer(from: "ada", .undo(isForced: false))
        }
        #expect(stale == "not_owner")
        let dryRun = try await bench.transfer(
            from: "bob", .undo(isForced: false), key: "u1", isDryRun: true)
        let undone = try await bench.transfer(from: "bob", .undo(isForced: false), key: "u1")
        #expect(undone == dryRun)
        #expect((undone.from, undone.to, undone.reversibleUntil) == ("bob", "ada", nil))
        #expect(try bench.owner() == "ada")
        #expect(try bench.owner(at: moment) == "bob")
        #expect(try bench.owner(at: moment - 1) == "ada")
        for subject in ["ada", "bob"] {
            let moves = try bench.fixture.ledger.history(of: subject, environment: .test)
                .map(\.event.draft).filter { $0.type == .purchaseTransferred }
            #expect(moves.count == 2)
            #expect(
                moves.last?.data.value(at: ["undoes", "key"])
                    == moves.first?.source.key.map(JSONValue.string))
        }
        let again = try await bench.refusal {
            try await bench.transfer(from: "ada", .undo(isForced: true))
        }
        #expect(again == "nothing_to_undo")
    }

    @Test("After its time a transfer is taken back only by force")
    func tooLate() async throws {
        let bench = try await bench()
        let made = try await bench.transfer(from: "ada", .to("bob"))
        bench.fixture.clock.now = try #require(made.reversibleUntil)
        let code = try await bench.refusal {
            try await bench.transfer(from: "bob", .undo(isForced: false))
        }
        #expect(code == "transfer_final")
        #expect(try bench.owner() == "bob")
        try await bench.transfer(from: "bob", .undo(isForced: true))
        #expect(try bench.owner() == "ada")
    }

    @Test("A restore that moved a lineage is taken back like any other transfer")
    func undoneRestore() async throws {
        let bench = try await AppStoreBench(transfer: "transfer")
        try await bench.restore([AppStoreBench.anonymous()], for: "ada")
        try await bench.restore([AppStoreBench.anonymous()], for: "bob")
        let undone = try await bench.transfer(from: "bob", .undo(isForced: false))
        #expect(undone.to == "ada")
        #expect(try bench.owner() == "ada")
    }

    @Test("What a customer gave away whole is the receiver's, and is moved on from there")
    func handover() async throws {
        let bench = try await bench()
        let moment = bench.fixture.clock.now
        try await bench.fixture.ledger.record([
            EventDraft(
                type: .purchaseTransferred, environment: .test, subject: "ada",
                occurredAt: moment, source: EventSource(kind: "revenuecat", key: "evt-1"),
                trust: .imported, data: ["from": "ada", "to": "bob"])
        ])
        #expect(try bench.owner() == "bob")
        #expect(try bench.owner(at: moment - 1) == "ada")
        #expect(try bench.premium(at: moment, of: "bob") == "active+~")
        let restored = try await bench.restore([AppStoreBench.anonymous()], for: "bob")
        #expect(restored.outcomes == ["apple:1001": .alreadyYours])
        #expect(
            try await bench.restore([AppStoreBench.anonymous()], for: "ada").outcomes
                == ["apple:1001": .ownedByOther])
        for subject in ["ada", "bob"] {
            let types = try bench.fixture.ledger.history(of: subject, environment: .test)
                .map(\.event.draft.type.rawValue)
            #expect(types.contains("purchase.transferred"), "\(subject): \(types)")
        }
        bench.fixture.clock.now += 1
        // A transfer of everything cannot be taken back for one lineage, but the lineage can be moved on.
        let code = try await bench.refusal {
            try await bench.transfer(from: "bob", .undo(isForced: true))
        }
        #expect(code == "nothing_to_undo")
        try await bench.transfer(from: "bob", .to("cleo"))
        #expect(try bench.owner() == "cleo")
        #expect(try bench.premium(at: Self.expires - 1, of: "cleo") == "active+~")
    }

    @Test("A voided transfer never was, and there is nothing to take back")
    func voided() async throws {
        let bench = try await bench()
        try await bench.transfer(from: "ada", .to("bob"), key: "t1")
        try await bench.fixture.ledger.perform(
            CommandRequest(
                .voidEvent(source: "ledger", key: "t1"), subject: "bob",
                environment: .test, actor: "kim", reason: "wrong line"))
        #expect(try bench.owner() == "ada")
        let code = try await bench.refusal {
            try await bench.transfer(from: "ada", .undo(isForced: true))
        }
        #expect(code == "nothing_to_undo")
    }

    @Test(
        "In whatever order they arrive elsewhere, the same events give the same digest and owners")
    func arrival() async throws {
        let bench = try await AppStoreBench(transfer: "transfer")
        try await bench.restore([AppStoreBench.anonymous()], for: "ada")
        try await bench.restore([AppStoreBench.anonymous()], for: "bob")
        try await bench.transfer(from: "bob", .undo(isForced: false))
        bench.fixture.clock.now += 1
        try await bench.transfer(from: "ada", .to("cleo"))
        let next = AppStoreBench.anonymous(
            "1002", from: Self.expires, to: Self.expires + 30 * Self.day)
        try await bench.restore([next], for: "dan")
        let digest = try bench.fixture.ledger.digest().digest
        var events: [EventDraft] = []
        for position in 2...(try bench.fixture.ledger.head().position) {
            events.append(try #require(try bench.fixture.ledger.event(at: position)).draft)
        }
        #expect(events.count { $0.type == .purchaseTransferred } == 4)
        var random = SplitMix64(seed: 11)
        for _ in 0..<8 {
            let copy = try await AppStoreBench(transfer: "transfer")
            copy.fixture.clock.now = bench.fixture.clock.now
            for draft in events.shuffled(using: &random) {
                try await copy.fixture.ledger.record([draft])
            }
            #expect(try copy.fixture.ledger.digest().digest == digest)
            #expect(try copy.owner() == "dan")
            #expect(try copy.owner(at: bench.fixture.clock.now - 1) == "ada")
        }
    }

    @Test("Law 4: the naive model says the same of restores, transfers and what was taken back")
    func model() async throws {
        let bench = try await AppStoreBench(transfer: "transfer")
        try await bench.restore([AppStoreBench.anonymous()], for: "device-1")
        try await bench.alias("device-1", to: "ada")
        try await bench.restore([AppStoreBench.anonymous(signedAt: Self.now)], for: "bob")
        bench.fixture.clock.now += 1
        try await bench.transfer(from: "bob", .undo(isForced: false))
        bench.fixture.clock.now += 1
        try await bench.transfer(from: "ada", .to("cleo"))
        let next = AppStoreBench.anonymous(
            "1002", from: Self.expires, to: Self.expires + 30 * Self.day)
        try await bench.restore([next], for: "bob")
        let comparison = try ModelComparison(bench.fixture.ledger)
        for cut in 1...Int64(comparison.events.count) {
            let found = try comparison.differences(
                in: .test, at: comparison.moments, cut: cut)
            #expect(found == [])
        }
    }
}
