import Daybook
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookTesting
import Testing

/// The names of Nuzzle's documents, derived from store facts on the way out (NZ-12, NZ-13).
@Suite("Nuzzle: analytics on export")
struct NuzzleAnalyticsTests {
    let fixture: LedgerFixture
    let day = NuzzleFixture.day
    let start = NuzzleFixture.start
    let trialEnd = NuzzleFixture.trialEnd
    let yearEnd = NuzzleFixture.yearEnd
    let yearly = NuzzleFixture.yearly
    let monthly = NuzzleFixture.monthly
    var monthEnd: Int64 { start + 31 * day }

    init() async throws { fixture = try await LedgerFixture("nuzzle") }

    /// The lines of an export under the app's names.
    private func exported(
        _ ledger: Ledger? = nil, after position: Int64 = 0, subject: String? = nil,
        environment: Environment? = nil
    ) throws -> [JSONObject] {
        var lines: [JSONObject] = []
        try (ledger ?? fixture.ledger).export(
            after: position, subject: subject, environment: environment, names: .app
        ) {
            let object = try JSONReader.read(Array($0.dropLast())).object
            lines.append(try #require(object))
        }
        return lines
    }

    private func derived(_ lines: [JSONObject]) -> [JSONObject] {
        lines.filter { $0["derived_from"] != nil }
    }

    /// Name and time of each derived line, in the order of time.
    private func names(_ lines: [JSONObject]? = nil) throws -> [String] {
        derived(try lines ?? exported()).sorted {
            ($0["occurred_at"]?.integer ?? 0) < ($1["occurred_at"]?.integer ?? 0)
        }.map { $0["type"]?.text?.replacing("subscription_", with: "") ?? "" }
    }

    @Test("NZ-12 A trial that converts gives its events in the document's order")
    func conversion() async throws {
        try await fixture.record(
            NuzzleFixture.trial(), NuzzleFixture.converted(),
            yearly.renewed("9003", from: yearEnd, until: yearEnd + 365 * day),
            yearly.renewed("9004", from: yearEnd + 365 * day, until: yearEnd + 730 * day))
        #expect(
            try names() == ["purchased", "trial_started", "activated", "renewed", "renewed"])
        let lines = derived(try exported())
        #expect(
            lines.map { $0["occurred_at"]?.integer } == [
                start, start, trialEnd, yearEnd, yearEnd + 365 * day,
            ])
        #expect(
            lines.map { $0["data"]?.object?["transaction_id"]?.text } == [
                "9001", "9001", "9002", "9003", "9004",
            ])
    }

    @Test("NZ-13 A derived line says what happened to whom, when, and from which event")
    func content() async throws {
        try await fixture.record(NuzzleFixture.trial(), NuzzleFixture.converted())
        let lines = try exported()
        let types = lines.compactMap { $0["type"]?.text }
        #expect(
            types == [
                "catalog.published", "subscription.started", "subscription_purchased",
                "subscription_trial_started", "subscription.renewed", "subscription_activated",
            ])
        let line = try #require(lines.last)
        #expect(line["subject"] == "ada")
        #expect(line["environment"] == "production")
        #expect(line["occurred_at"] == .integer(trialEnd))
        #expect(line["recorded_at"] == .integer(Fixtures.now))
        #expect(
            line["source"]
                == ["kind": "derived", "key": "subscription_activated/apple:9000/9002"])
        #expect(
            line["data"] == [
                "product": .string(yearly.product), "group": "Nuzzle Pro",
                "original_transaction_id": "9000", "transaction_id": "9002",
                "price_milli": 8990, "currency": "USD",
            ])
        #expect(line["derived_from"]?.object?["position"] == 3)
        #expect(line["derived_from"]?.object?["type"] == "subscription.renewed")
        #expect(line["position"] == nil)
    }

    @Test("NZ-13 Paid from the first day there is no trial, and the first payment activates")
    func direct() async throws {
        try await fixture.record(
            NuzzleFixture.month(),
            monthly.renewed("9102", from: monthEnd, until: monthEnd + 30 * day)
        )
        #expect(try names() == ["purchased", "activated", "renewed"])
    }

    @Test("NZ-13 T27 A paid introductory offer is no trial; a free one of another kind no payment")
    func offers() async throws {
        try await fixture.record(
            yearly.started(
                "9001", from: start, until: trialEnd,
                ["offer": ["type": "introductory", "discount": "pay_as_you_go"]]))
        #expect(try names() == ["purchased", "activated"])
        let other = LineageFixture("9200", product: monthly.product, subject: "bob")
        try await fixture.record(
            other.started(
                "9201", from: start, until: monthEnd,
                ["offer": ["type": "win_back", "discount": "free_trial"], "price_milli": 0]),
            other.renewed("9202", from: monthEnd, until: monthEnd + 30 * day))
        #expect(try names(exported(subject: "bob")) == ["purchased", "activated"])
    }

    @Test(
        "NZ-13 NZ-14 Switched off is cancelled, each time; back on is nothing, and so is an expiry")
    func cancelled() async throws {
        try await fixture.record(
            NuzzleFixture.month(), monthly.autoRenew(false, at: start + day),
            monthly.autoRenew(true, at: start + 2 * day),
            monthly.autoRenew(false, at: start + 3 * day),
            monthly.event(
                .storeRenewalStated, at: start + 3 * day + 1, ["auto_renew": false]),
            monthly.expired("voluntary", at: monthEnd))
        #expect(try names() == ["purchased", "activated", "cancelled", "cancelled"])
        let silent = LineageFixture("9300", product: monthly.product, subject: "bob")
        try await fixture.record(
            silent.started("9301", from: start, until: monthEnd),
            silent.billingFailed(at: monthEnd, graceUntil: nil),
            silent.expired("billing_retry_ended", at: monthEnd + 60 * day))
        #expect(try names(exported(subject: "bob")) == ["purchased", "activated"])
    }

    @Test("NZ-13 After an expiry the next payment activates again, and is no first purchase")
    func reactivated() async throws {
        let back = monthEnd + 9 * day
        try await fixture.record(
            NuzzleFixture.month(), monthly.expired("voluntary", at: monthEnd),
            monthly.started("9102", from: back, until: back + 30 * day, ["reason": "resubscribe"]))
        #expect(try names() == ["purchased", "activated", "activated"])
        // Without the store's word it expired by time alone.
        let silent = LineageFixture("9300", product: monthly.product, subject: "bob")
        try await fixture.record(
            silent.started("9301", from: start, until: monthEnd),
            silent.renewed("9302", from: back, until: back + 30 * day))
        #expect(try names(exported(subject: "bob")) == ["purchased", "activated", "activated"])
        // Free again, then paid: it is the payment that activates.
        let free = LineageFixture("9400", product: monthly.product, subject: "cy")
        try await fixture.record(
            free.started("9401", from: start, until: monthEnd),
            free.started(
                "9402", from: back, until: back + 30 * day,
                ["offer": ["type": "win_back", "discount": "free_trial"], "price_milli": 0]),
            free.renewed("9403", from: back + 30 * day, until: back + 60 * day))
        let lines = derived(try exported(subject: "cy"))
        #expect(
            lines.map { $0["data"]?.object?["transaction_id"]?.text } == [
                "9401", "9401", "9403",
            ])
        #expect(try names(lines) == ["purchased", "activated", "activated"])
    }

    @Test(
        "NZ-13 Recovered in grace or while the store still tried, it renews; after that it activates",
        arguments: [
            (5, true, "renewed"), (20, true, "renewed"), (59, false, "renewed"),
            (61, false, "activated"),
        ])
    func recovered(_ days: Int64, _ hasGrace: Bool, _ expected: String) async throws {
        let back = monthEnd + days * day
        try await fixture.record(
            NuzzleFixture.month(),
            monthly.billingFailed(at: monthEnd, graceUntil: hasGrace ? monthEnd + 16 * day : nil),
            monthly.renewed(
                "9102", from: back, until: back + 30 * day, ["recovery": true]))
        #expect(try names() == ["purchased", "activated", expected])
    }

    @Test("NZ-13 An upgrade at once is no renewal; another product at the renewal is one")
    func products() async throws {
        let upgrade = start + 9 * day
        var yearlyHere = yearly
        yearlyHere.lineage = monthly.lineage
        try await fixture.record(
            NuzzleFixture.month(),
            yearlyHere.event(
                .subscriptionProductChanged, at: upgrade,
                [
                    "from": .string(monthly.product), "to": .string(yearly.product),
                    "effective": "now",
                ]),
            yearlyHere.renewed("9102", from: upgrade, until: upgrade + 365 * day),
            monthly.renewed(
                "9103", from: upgrade + 365 * day, until: upgrade + 395 * day))
        #expect(try names() == ["purchased", "activated", "renewed"])
    }

    @Test("NZ-13 A second subscription beside a running one activates no customer anew")
    func beside() async throws {
        try await fixture.record(
            NuzzleFixture.month(),
            yearly.started("9001", from: start + day, until: start + 366 * day),
            monthly.renewed("9102", from: monthEnd, until: monthEnd + 30 * day))
        #expect(try names() == ["purchased", "activated", "renewed"])
    }

    @Test("NZ-13 What only a client claims, and what the family shares, derives nothing")
    func unfounded() async throws {
        var claimed = monthly
        claimed.trust = .clientAsserted
        claimed.source = "app"
        try await fixture.record(
            claimed.started("9101", from: start, until: monthEnd),
            claimed.autoRenew(false, at: start + day))
        #expect(try names().isEmpty)
        // Once the store states it, it has the purchase's date and belongs to the store's event.
        try await fixture.record(NuzzleFixture.month())
        let lines = derived(try exported())
        #expect(try names(lines) == ["purchased", "activated"])
        #expect(lines.allSatisfy { $0["derived_from"]?.object?["position"] == 4 })
        let shared = LineageFixture("9500", product: yearly.product, subject: "bob")
        try await fixture.record(
            shared.started(
                "9501", from: start, until: yearEnd, ["ownership": "FAMILY_SHARED"]))
        #expect(try names(exported(subject: "bob")).isEmpty)
    }

    @Test("NZ-13 A fact counts once, whatever its source, and goes when it is voided")
    func facts() async throws {
        let posted = yearly.stated(
            "9001", from: start, until: trialEnd, signedAt: start + 5,
            ["offer": ["type": "introductory", "discount": "free_trial"]])
        try await fixture.record(posted)
        #expect(try names() == ["purchased", "trial_started"])
        let keys = derived(try exported()).map { $0["source"] }
        try await fixture.record(NuzzleFixture.trial())
        #expect(derived(try exported()).map { $0["source"] } == keys)
        for draft in [posted, NuzzleFixture.trial()] {
            try await fixture.perform(
                .voidEvent(
                    source: draft.source.kind, key: try #require(draft.source.key)))
        }
        #expect(try names().isEmpty)
    }

    @Test("NZ-13 A person with two ids buys for the first time once; a new owner does not buy")
    func people() async throws {
        var anonymous = monthly
        anonymous.subject = "anon"
        try await fixture.record(
            anonymous.started("9101", from: start, until: monthEnd),
            yearly.started("9001", from: monthEnd + day, until: monthEnd + 366 * day))
        try await fixture.ledger.perform(CommandRequest(.alias(to: "ada"), subject: "anon"))
        #expect(try names() == ["purchased", "activated", "activated"])
        #expect(derived(try exported()).allSatisfy { $0["subject"] == "ada" })
        let handover = monthEnd + 30 * day
        try await fixture.record(
            yearly.event(.purchaseTransferred, at: handover, ["from": "ada", "to": "bob"]),
            yearly.renewed("9002", from: monthEnd + 366 * day, until: monthEnd + 731 * day))
        fixture.clock.now = monthEnd + 400 * day
        let lines = derived(try exported())
        #expect(lines.count { $0["subject"] == "ada" } == 3)
        // For the new owner it is the first paid period that began.
        #expect(
            lines.filter { $0["subject"] == "bob" }.compactMap { $0["type"]?.text } == [
                "subscription_purchased", "subscription_activated",
            ])
    }

    @Test("NZ-21 Overrides change nothing of it, and environments do not mix")
    func overrides() async throws {
        var sandbox = monthly
        sandbox.environment = .sandbox
        try await fixture.record(sandbox.started("9101", from: start, until: monthEnd))
        #expect(try names(exported(environment: .production)).isEmpty)
        let before = derived(try exported(environment: .sandbox))
        #expect(try names(before) == ["purchased", "activated"])
        fixture.clock.now += day
        for kind in ["clear_subscription", "reset_trial_eligibility", "force_entitlement"] {
            try await fixture.ledger.perform(
                CommandRequest(
                    .setOverride(kind: kind, value: nil, expiresAt: nil), subject: "ada",
                    environment: .sandbox))
        }
        #expect(derived(try exported(environment: .sandbox)) == before)
        #expect(derived(try exported(subject: "ada")) == before)
    }

    @Test("NZ-13 In any order of arrival the same lines are derived")
    func anyOrder() async throws {
        let drafts = [
            NuzzleFixture.trial(), NuzzleFixture.converted(),
            yearly.stated("9002", from: trialEnd, until: yearEnd, signedAt: trialEnd + 9),
            yearly.autoRenew(false, at: trialEnd + day),
            yearly.autoRenew(true, at: trialEnd + 2 * day),
            yearly.billingFailed(at: yearEnd, graceUntil: yearEnd + 6 * day),
            yearly.renewed("9003", from: yearEnd + 2 * day, until: yearEnd + 365 * day),
            yearly.refunded("9003", at: yearEnd + 90 * day),
            yearly.started("9004", from: yearEnd + 200 * day, until: yearEnd + 565 * day),
        ]
        print("seed \(LawTests.seed)")
        var random = SplitMix64(seed: LawTests.seed)
        var expected: Set<String>?
        for _ in 0..<LawTests.permutations {
            let other = try await LedgerFixture("nuzzle", now: start)
            let repeated = drafts + drafts.prefix(3)
            for draft in repeated.shuffled(using: &random) { try await other.record(draft) }
            let lines = derived(try exported(other.ledger)).map { line -> String in
                var line = line
                line["derived_from"] = nil
                return JSONValue.object(line).canonicalText
            }
            #expect(Set(lines).count == lines.count)
            #expect(Set(lines) == expected ?? Set(lines), "seed \(LawTests.seed)")
            expected = Set(lines)
        }
        #expect(try #require(expected).count == 6)
    }

    @Test("NZ-13 An export that goes on behind a position repeats no derived line and loses none")
    func resumed() async throws {
        try await fixture.record(
            NuzzleFixture.trial(), NuzzleFixture.converted(),
            yearly.autoRenew(false, at: trialEnd + day))
        let whole = derived(try exported())
        for position in 0...(try fixture.ledger.head().position) {
            let rest = derived(try exported(after: position))
            let begun = whole.filter {
                ($0["derived_from"]?.object?["position"]?.integer ?? 0) <= position
            }
            #expect(begun + rest == whole)
        }
    }

    @Test("NZ-13 A derived export that is taken in again gives no customer anything")
    func takenInAgain() async throws {
        try await fixture.record(
            NuzzleFixture.trial(), NuzzleFixture.converted(),
            .reported(
                .paywallShown, at: start - 1, key: "p1", ["context": "aiAssistant"]))
        let lines = derived(try exported())
        let other = try await LedgerFixture("nuzzle")
        var chunks = [lines.flatMap { JSONValue.object($0).canonicalText.utf8 + [0x0A] }]
        let report = try await other.ledger.importLines { chunks.popLast() }
        #expect(report.appended == lines.count)
        #expect(try other.status().status == "notSubscribed")
        #expect(try other.count(of: .checkoutCompleted) == 0)
        // They are kept as they came, each with a place of its own, and nothing is derived from them.
        let kept = derived(try exported(other.ledger))
        #expect(kept.count == lines.count)
        #expect(kept.allSatisfy { $0["position"] != nil })
        #expect(
            try exported().contains { $0["type"] == "paywall_viewed" })
    }

    @Test(
        "NZ-13 The document's purchase comes in as a checkout and leaves as one: no fact, no claim")
    func checkouts() async throws {
        try await fixture.record(
            .reported(
                .checkoutCompleted, at: start, key: "c1",
                ["product": .string(yearly.product)]))
        let types = try exported().compactMap { $0["type"]?.text }
        #expect(types == ["catalog.published", "checkout.completed"])
    }

    @Test(
        "Apps whose documents derive nothing get no derived lines", arguments: ["magical-stories"])
    func otherApps(_ app: String) async throws {
        let other = try await LedgerFixture(app)
        let lineage = LineageFixture("1", product: "com.magicalstories.premium.monthly")
        try await other.record(lineage.started("1", from: start, until: monthEnd))
        #expect(derived(try exported(other.ledger)).isEmpty)
    }
}
