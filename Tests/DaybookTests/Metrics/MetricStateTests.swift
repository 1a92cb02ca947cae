import Daybook
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookTesting
import Testing

@Suite("Metrics: subscriptions, trials, refunds")
struct MetricStateTests {
    private typealias Bench = MetricBench
    private let monthly = "com.nestling.pro.monthly"
    private let yearly = "com.nestling.pro.yearly"

    private func month(_ lineage: LineageFixture, _ id: String, _ from: Int64, _ until: Int64)
        -> EventDraft
    {
        lineage.renewed(id, from: from, until: until, Bench.price(5_990))
    }

    @Test(
        "MS-41 MS-42 MS-51 Trials are converted, pending or abandoned, and these add up to all of them"
    )
    func trials() async throws {
        let bench = try await Bench("nuzzle", now: Bench.january + 20 * Bench.day)
        let end = Bench.january + 7 * Bench.day
        func trial(_ name: String) -> (LineageFixture, EventDraft) {
            let lineage = LineageFixture(name, product: yearly, subject: name)
            return (
                lineage,
                lineage.started(
                    name, from: Bench.january, until: end, Bench.price(39_990, trial: true))
            )
        }
        let (paid, paidTrial) = trial("paid")
        let (cancelled, cancelledTrial) = trial("cancelled")
        let (failing, failingTrial) = trial("failing")
        let (back, backTrial) = trial("back")
        let (_, forgotten) = trial("forgotten")
        try await bench.record([
            paidTrial, cancelledTrial, failingTrial, backTrial, forgotten,
            paid.renewed("paid-2", from: end, until: end + 365 * Bench.day, Bench.price(39_990)),
            cancelled.autoRenew(false, at: Bench.january + 2 * Bench.day),
            cancelled.expired("voluntary", at: end),
            failing.billingFailed(at: end, graceUntil: end + 16 * Bench.day),
            back.autoRenew(false, at: Bench.january + 2 * Bench.day),
            back.expired("voluntary", at: end),
            // Bought anew later: no conversion of the trial.
            back.started(
                "back-2", from: end + 5 * Bench.day, until: end + 370 * Bench.day,
                Bench.price(39_990)),
        ])
        for (name, count) in [
            ("trials", 5), ("trials_converted", 1), ("trials_pending", 1), ("trials_abandoned", 3),
        ] {
            #expect(
                try bench.micros(name, "2026-01") == Int64(count) * 1_000_000, "\(name)")
        }
        #expect(try bench.micros("trial_conversion", "2026-01") == 200_000)
        #expect(try bench.micros("trial_mature_conversion", "2026-01") == 250_000)
        // While it ran, each that would renew was pending.
        let during = Moment(at: Bench.january + 3 * Bench.day)
        #expect(try bench.micros("trials_pending", "2026-01") { $0.moment = during } == 3_000_000)
        #expect(try bench.micros("active_trials", "2026-01") { $0.moment = during } == 5_000_000)
        // Grace is over without a payment: given up.
        let later = Moment(at: end + 90 * Bench.day)
        #expect(try bench.micros("trials_pending", "2026-01") { $0.moment = later } == 0)
    }

    @Test("OL-27 Ollie's free days are no trial; who paid after them counts by the first day")
    func freeDays() async throws {
        let bench = try await Bench("ollie", now: Bench.may)
        let created = EventTypeName.profileCreated
        let assigned = EventTypeName.purchaseAssigned
        let first: Int64 = Bench.january + Bench.day
        let later: Int64 = Bench.january + 20 * Bench.day
        var drafts: [EventDraft] = []
        drafts.append(
            .reported(created, at: first, key: "p1", ["profile": "rex", "kind": "puppy"]))
        drafts.append(
            .reported(
                created, at: first, key: "p2", subject: "bob", ["profile": "fido", "kind": "puppy"])
        )
        drafts.append(
            Bench.bought(
                "com.ollie.premium.perdog", by: "ada", at: later, milli: 19_000, currency: "EUR"))
        drafts.append(
            .reported(
                assigned, at: later, key: "a1", ["profile": "rex", "transaction_id": "once-ada"]))
        try await bench.record(drafts)
        #expect(try bench.micros("trials", "2026-01") == 0)
        let value = try #require(try bench.value("free_period_conversion", "2026-01"))
        #expect((value.numerator, value.denominator, value.micros) == (1, 2, 500_000))
        // Who pays later still counts.
        #expect(!value.isComplete)
        let early = try #require(
            try bench.value("free_period_conversion", "2026-01") {
                $0.moment = Moment(at: Bench.january + 10 * Bench.day)
            })
        #expect((early.numerator, early.denominator) == (0, 2))
    }

    @Test("DZ-34 A refund counts on its day, in the period of the payment, or not at all")
    func refunds() async throws {
        let bench = try await Bench("nuzzle")
        let lineage = LineageFixture("s1", product: yearly)
        try await bench.record([
            lineage.started(
                "s1", from: Bench.january, until: Bench.january + 365 * Bench.day,
                Bench.price(39_990)),
            lineage.refunded("s1", at: Bench.march + Bench.day),
        ])
        let expected: [MetricRules.Refunds: [String: [Int64]]] = [
            .atRefundDate: [
                "net_revenue": [39_990_000, 0, -39_990_000], "refunds": [0, 0, 39_990_000],
                "mrr": [3_332_500, 3_332_500, 0],
            ],
            .retroactive: [
                "net_revenue": [0, 0, 0], "refunds": [39_990_000, 0, 0], "mrr": [0, 0, 0],
            ],
            .ignore: [
                "net_revenue": [39_990_000, 0, 0], "refunds": [0, 0, 0],
                "mrr": [3_332_500, 3_332_500, 3_332_500],
            ],
        ]
        for (refunds, metrics) in expected {
            for (name, values) in metrics {
                let found = try ["2026-01", "2026-02", "2026-03"].map {
                    try bench.micros(name, $0, of: "USD") { $0.rules.refunds = refunds } ?? 0
                }
                #expect(found == values, "\(refunds) \(name)")
            }
        }
        #expect(try bench.micros("refund_rate", "2026-01") == 1_000_000)
        #expect(try bench.micros("refund_rate", "2026-03") == nil)
    }

    @Test("MS-52 Churn: who ended, less who came back, of those who were there")
    func churn() async throws {
        let bench = try await Bench("nuzzle", now: Bench.april + Bench.day)
        func lineage(_ name: String) -> LineageFixture {
            LineageFixture(name, product: monthly, subject: name)
        }
        let middle = 14 * Bench.day
        var drafts: [EventDraft] = []
        // Ten who run through, one who ends in February, one who ended in January and is back in February.
        for index in 0..<10 {
            let one = lineage("stay\(index)")
            drafts += [
                one.started(
                    "stay\(index)", from: Bench.january - middle, until: Bench.january + middle,
                    Bench.price(5_990)),
                month(one, "stay\(index)-1", Bench.january + middle, Bench.february + middle),
                month(one, "stay\(index)-2", Bench.february + middle, Bench.march + middle),
            ]
        }
        let ends = lineage("ends")
        drafts.append(
            ends.started(
                "ends", from: Bench.january + middle, until: Bench.february + middle,
                Bench.price(5_990)))
        let back = lineage("back")
        drafts += [
            back.started(
                "back", from: Bench.january - middle, until: Bench.january + middle,
                Bench.price(5_990)),
            back.started(
                "back-2", from: Bench.february + middle, until: Bench.march + middle,
                Bench.price(5_990)),
        ]
        try await bench.record(drafts)
        let net = try #require(try bench.value("churn_rate", "2026-02"))
        #expect((net.numerator, net.denominator) == (0, 11))
        let gross = try #require(try bench.value("gross_churn_rate", "2026-02"))
        #expect((gross.numerator, gross.denominator, gross.micros) == (1, 11, 90_909))
        #expect(try bench.micros("resubscribed", "2026-02") == 1_000_000)
        #expect(try bench.micros("mrr_reactivation", "2026-02", of: "USD") == 5_990_000)
        #expect(try bench.micros("mrr_churn", "2026-02", of: "USD") == 5_990_000)
        #expect(try bench.micros("mrr_new", "2026-01", of: "USD") == 5_990_000)
    }

    @Test("In grace a subscription counts, while the store only tries again it does not")
    func grace() async throws {
        let bench = try await Bench("nuzzle")
        let (graced, tried) = (
            LineageFixture("g", product: monthly, subject: "g"),
            LineageFixture("t", product: monthly, subject: "t")
        )
        let end = Bench.february - 3 * Bench.day
        for lineage in [graced, tried] {
            try await bench.record([
                lineage.started(
                    lineage.lineage, from: Bench.january - 3 * Bench.day, until: end,
                    Bench.price(5_990))
            ])
        }
        try await bench.record([
            graced.billingFailed(at: end, graceUntil: end + 16 * Bench.day),
            tried.billingFailed(at: end, graceUntil: nil),
        ])
        #expect(try bench.micros("active_subscriptions", "2026-01") == 1_000_000)
        #expect(try bench.micros("churned_subscriptions", "2026-01") == 1_000_000)
        #expect(try bench.micros("churned_subscriptions", "2026-02") == 1_000_000)
    }

    @Test(
        "NZ-21 X-08 What a developer pretends, a family shares or a sandbox sells is in no metric")
    func leftOut() async throws {
        let bench = try await Bench("nuzzle")
        var shared = Bench.price(5_990)
        shared["ownership"] = "family_shared"
        try await bench.record([
            LineageFixture("f", product: monthly, subject: "kim").started(
                "f", from: Bench.january, until: Bench.february, shared),
            LineageFixture("s", product: monthly, subject: "sam", environment: .sandbox).started(
                "s", from: Bench.january, until: Bench.february, Bench.price(5_990)),
            LineageFixture("c", product: monthly, subject: "cat", trust: .clientAsserted).started(
                "c", from: Bench.january, until: Bench.february, Bench.price(5_990)),
        ])
        for name in ["gross_revenue", "mrr"] {
            #expect(try bench.micros(name, "2026-01", of: "USD") == nil, "\(name)")
        }
        for name in ["active_subscriptions", "new_subscriptions", "trials", "paying_customers"] {
            #expect(try bench.micros(name, "2026-01") == 0, "\(name)")
        }
        // Nor is what is so changed by what a developer pretends.
        for kind in ["clear_subscription", "expire_trial"] {
            try await bench.ledger.perform(
                CommandRequest(
                    .setOverride(kind: kind, value: nil, expiresAt: nil), subject: "sam",
                    environment: .sandbox, actor: "dev", reason: "test"))
        }
        for (name, group) in [("gross_revenue", "USD"), ("mrr", "USD")] {
            #expect(
                try bench.micros(name, "2026-01", of: group) { $0.environment = .sandbox }
                    == 5_990_000)
        }
    }

    @Test("Revenue of a purchase without a customer counts once, also after it was given to one")
    func ownerless() async throws {
        let bench = try await Bench("nuzzle")
        let orphan = LineageFixture("o", product: monthly, subject: nil)
        try await bench.record([
            orphan.started("o", from: Bench.january, until: Bench.february, Bench.price(5_990))
        ])
        #expect(try bench.micros("gross_revenue", "2026-01", of: "USD") == 5_990_000)
        #expect(try bench.micros("paying_customers", "2026-01") == 0)
        try await bench.record([
            LineageFixture("o", product: monthly, subject: "ada").renewed(
                "o-2", from: Bench.february, until: Bench.march, Bench.price(5_990))
        ])
        let values = try ["2026-01", "2026-02"].map {
            try bench.micros("gross_revenue", $0, of: "USD")
        }
        #expect(values == [5_990_000, 5_990_000])
    }
}
