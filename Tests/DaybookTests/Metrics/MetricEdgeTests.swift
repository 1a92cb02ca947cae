import Daybook
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookTesting
import Testing

/// What an unlucky store, clock or customer does to a number.
@Suite("Metrics: edges")
struct MetricEdgeTests {
    private typealias Bench = MetricBench
    private let monthly = "com.nestling.pro.monthly"

    private func lineage(_ name: String) -> LineageFixture {
        LineageFixture(name, product: monthly, subject: name)
    }

    @Test("A trial whose customer came back later is given up, whatever was renewed after that")
    func cameBack() async throws {
        let bench = try await Bench("nuzzle")
        let one = lineage("t")
        let end = Bench.january + 7 * Bench.day
        let again = end + 5 * Bench.day
        try await bench.record([
            one.started("t", from: Bench.january, until: end, Bench.price(5_990, trial: true)),
            one.autoRenew(false, at: Bench.january + Bench.day),
            one.expired("voluntary", at: end),
            one.started(
                "t-2", from: again, until: again + 30 * Bench.day, Bench.price(5_990)),
            one.renewed(
                "t-3", from: again + 30 * Bench.day, until: again + 60 * Bench.day,
                Bench.price(5_990)),
        ])
        #expect(try bench.micros("trials_converted", "2026-01") == 0)
        #expect(try bench.micros("trials_abandoned", "2026-01") == 1_000_000)
        let byLineage = try bench.micros("trials_converted", "2026-01") {
            $0.rules.attribution = .lineage
        }
        #expect(byLineage == 1_000_000)
    }

    @Test("A renewal after a trial that was given up is none, where no charge had failed")
    func renewedWithoutRetry() async throws {
        let bench = try await Bench("nuzzle")
        let (back, late) = (lineage("back"), lineage("late"))
        let end = Bench.january + 7 * Bench.day
        let again = end + 12 * Bench.day
        for one in [back, late] {
            try await bench.record([
                one.started(
                    one.lineage, from: Bench.january, until: end, Bench.price(5_990, trial: true)),
                one.renewed(
                    "\(one.lineage)-2", from: again, until: again + 30 * Bench.day,
                    Bench.price(5_990)),
            ])
        }
        try await bench.record([late.billingFailed(at: end, graceUntil: nil)])
        #expect(try bench.micros("trials_converted", "2026-01") == 1_000_000)
        #expect(try bench.micros("trials_abandoned", "2026-01") == 1_000_000)
        // While a trial runs it may still be kept, also where renewal is off.
        try await bench.record([back.autoRenew(false, at: Bench.january + Bench.day)])
        let during = try bench.value("trial_conversion", "2026-01") {
            $0.moment = Moment(at: Bench.january + 3 * Bench.day)
        }
        #expect(during?.isComplete == false)
    }

    @Test("A first payment that went back is no conversion where refunds are taken back to it")
    func firstWentBack() async throws {
        let bench = try await Bench("nuzzle")
        let one = lineage("t")
        let end = Bench.january + 7 * Bench.day
        try await bench.record([
            one.started("t", from: Bench.january, until: end, Bench.price(5_990, trial: true)),
            one.renewed("t-2", from: end, until: end + 30 * Bench.day, Bench.price(5_990)),
            one.refunded("t-2", at: Bench.february + 3 * Bench.day),
            one.renewed(
                "t-3", from: end + 30 * Bench.day, until: end + 60 * Bench.day,
                Bench.price(5_990)),
        ])
        let expected: [(MetricRules.Refunds, Int64)] = [
            (.atRefundDate, 1_000_000), (.retroactive, 0), (.ignore, 1_000_000),
        ]
        for (refunds, converted) in expected {
            let found = try bench.micros("trials_converted", "2026-01") {
                $0.rules.refunds = refunds
            }
            #expect(found == converted, "\(refunds)")
        }
    }

    @Test("Grace that the store tells of a little after the end keeps the subscription")
    func lateGrace() async throws {
        let bench = try await Bench("nuzzle")
        let one = lineage("g")
        let end = Bench.february - 60_000
        try await bench.record([
            one.started("g", from: Bench.january, until: end, Bench.price(5_990)),
            one.billingFailed(at: end + 30_000, graceUntil: end + 16 * Bench.day),
            one.renewed(
                "g-2", from: end, until: end + 30 * Bench.day, signedAt: end + 9 * Bench.day,
                Bench.price(5_990)),
        ])
        #expect(try bench.micros("active_subscriptions", "2026-01") == 1_000_000)
        for period in ["2026-01", "2026-02"] {
            #expect(try bench.micros("churned_subscriptions", period) == 0, "\(period)")
            #expect(try bench.micros("resubscribed", period) == 0, "\(period)")
        }
    }

    @Test("A subscription that goes to another customer goes on")
    func transferred() async throws {
        let bench = try await Bench("nuzzle")
        let one = LineageFixture("x", product: monthly, subject: "ada")
        let end = Bench.january + 30 * Bench.day
        try await bench.record([
            one.started("x", from: Bench.january, until: end, Bench.price(5_990)),
            one.event(
                .purchaseTransferred, at: Bench.january + 10 * Bench.day,
                ["from": "ada", "to": "bob", "transaction_id": "x"]),
            one.renewed("x-2", from: end, until: Bench.march, Bench.price(5_990)),
        ])
        #expect(try bench.micros("new_subscriptions", "2026-01") == 1_000_000)
        for name in ["new_subscriptions", "resubscribed", "churned_subscriptions"] {
            let sum = try ["2026-01", "2026-02"].reduce(Int64(0)) {
                $0 + (try bench.micros(name, $1) ?? 0)
            }
            #expect(sum == (name == "new_subscriptions" ? 1_000_000 : 0), "\(name)")
        }
        #expect(try bench.micros("active_subscriptions", "2026-02") == 1_000_000)
        #expect(try bench.micros("gross_revenue", "2026-01", of: "USD") == 11_980_000)
        #expect(try bench.micros("paying_customers", "2026-01") == 2_000_000)
    }

    @Test("A month for nothing within a subscription is no end, and no payment")
    func freeMonth() async throws {
        let bench = try await Bench("nuzzle")
        let one = lineage("w")
        try await bench.record([
            one.started("w", from: Bench.january, until: Bench.february, Bench.price(5_990)),
            one.renewed("w-2", from: Bench.february, until: Bench.march, Bench.price(0)),
            one.renewed("w-3", from: Bench.march, until: Bench.april, Bench.price(5_990)),
        ])
        for period in ["2026-01", "2026-02", "2026-03"] {
            #expect(try bench.micros("churned_subscriptions", period) == 0, "\(period)")
            #expect(try bench.micros("resubscribed", period) == 0, "\(period)")
        }
        #expect(try bench.micros("active_subscriptions", "2026-02") == 0)
        #expect(try bench.micros("mrr", "2026-02", of: "USD") == 0)
        #expect(try bench.micros("paying_customers", "2026-02") == 0)
        #expect(try bench.micros("customer_churn_rate", "2026-02") == 0)
        // A later refund would change all of it, where it is taken back to the payment.
        let retroactive = try bench.value("net_revenue", "2026-01", of: "USD") {
            $0.rules.refunds = .retroactive
        }
        #expect(retroactive?.isComplete == false)
        #expect(try bench.value("net_revenue", "2026-01", of: "USD")?.isComplete == true)
    }

    @Test("A subscription whose price no store told is paid, and its money is not known")
    func unknownPrice() async throws {
        let bench = try await Bench("nuzzle")
        let one = lineage("u")
        try await bench.record([
            one.started(
                "u", from: Bench.january, until: Bench.february,
                ["price_milli": 0, "currency": "XXX"])
        ])
        #expect(try bench.micros("active_subscriptions", "2026-01") == 1_000_000)
        #expect(try bench.micros("new_subscriptions", "2026-01") == 1_000_000)
        #expect(try bench.micros("gross_revenue", "2026-01", of: "XXX") == nil)
        #expect(try bench.micros("paying_customers", "2026-01") == 0)
    }

    @Test("What begins, ends and comes back within a period is in neither part of churn")
    func withinPeriod() async throws {
        let bench = try await Bench("nuzzle")
        let (stays, hops) = (lineage("stays"), lineage("hops"))
        try await bench.record([
            stays.started(
                "stays", from: Bench.february, until: Bench.may, Bench.price(5_990)),
            hops.started(
                "hops", from: Bench.march + Bench.day, until: Bench.march + 8 * Bench.day,
                Bench.price(5_990)),
            hops.expired("voluntary", at: Bench.march + 8 * Bench.day),
            hops.started(
                "hops-2", from: Bench.march + 19 * Bench.day, until: Bench.may,
                Bench.price(5_990)),
        ])
        let value = try #require(try bench.value("churn_rate", "2026-03"))
        #expect((value.numerator, value.denominator) == (0, 1))
        // What comes back and ends again in the period has not come back.
        let once = lineage("once")
        try await bench.record([
            once.started(
                "once", from: Bench.february, until: Bench.march + Bench.day, Bench.price(5_990)),
            once.expired("voluntary", at: Bench.march + Bench.day),
            once.started(
                "once-2", from: Bench.march + 3 * Bench.day, until: Bench.march + 10 * Bench.day,
                Bench.price(5_990)),
            once.expired("voluntary", at: Bench.march + 10 * Bench.day),
        ])
        let again = try #require(try bench.value("churn_rate", "2026-03"))
        #expect((again.numerator, again.denominator) == (1, 2))
    }

    @Test("Uses count once for each ref, and not when they were taken back or committed too late")
    func uses() async throws {
        let bench = try await Bench("dozzi", now: Bench.january + Bench.day)
        try await bench.fixture.use("stories", "s1")
        try await bench.fixture.perform(.reverseUsage(target: "s1", meter: "stories"))
        try await bench.record([
            .used("stories", at: Bench.january, ref: "s2"),
            .used("stories", at: Bench.january + 1, ref: "s2"),
        ])
        #expect(try bench.micros("uses", "2026-01", of: "stories") == 1_000_000)
        #expect(try bench.micros("usage_cost", "2026-01", of: "USD") == 12_000)
    }

    @Test("Attempts without an id end with the event that ends them")
    func checkoutsWithoutID() async throws {
        let bench = try await Bench("dozzi")
        let product = "com.dozzi.unlimited_stories"
        func told(_ type: EventTypeName, _ minute: Int64) -> EventDraft {
            .reported(
                type, at: Bench.january + minute * 60_000, key: "\(type.rawValue)/\(minute)",
                ["product": .string(product)])
        }
        try await bench.record([
            told(.checkoutStarted, 0), told(.checkoutFailed, 1), told(.checkoutStarted, 2),
            told(.checkoutCompleted, 3), told(.checkoutCompleted, 4),
            Bench.bought(product, by: "ada", at: Bench.january + 180_000, milli: 2_990),
        ])
        let rate = try #require(try bench.value("purchase_completion_rate", "2026-01"))
        #expect((rate.numerator, rate.denominator) == (1, 2))
        // Failed, completed, and completed without a beginning; the store knows of one.
        let success = try #require(try bench.value("storekit_success", "2026-01"))
        #expect((success.numerator, success.denominator) == (1, 3))
    }

    @Test("Dates from Apple's year 1 to the end of time stop no question")
    func wildDates() async throws {
        let bench = try await Bench("nuzzle")
        var upFront = Bench.price(5_990)
        upFront["offer"] = ["type": "introductory", "discount": "pay_up_front"]
        upFront["transaction_id"] = "y"
        upFront["product"] = .string(monthly)
        upFront["starts_at"] = -62_135_596_800_000
        upFront["expires_at"] = .integer(Int64.max - 1)
        try await bench.record([
            lineage("y").event(.subscriptionStarted, at: Bench.january, upFront),
            Bench.bought(monthly, by: "z", at: Bench.january, milli: 1_000_000_000_000_000),
            .reported(
                .checkoutCompleted, at: Bench.january, key: "c", subject: "y",
                ["product": .string(monthly)]),
        ])
        let report = try bench.ledger.metrics(MetricsRequest())
        #expect(report.series.count == Metric.all.count)
        var request = MetricsRequest(["mrr"])
        request.from = Int64.min
        request.until = Int64.max
        request.resolution = .whole
        #expect(try bench.ledger.metrics(request).series.count == 1)
    }

    @Test("A renewal that says it is one counts once")
    func renewalReason() async throws {
        let bench = try await Bench("nuzzle", now: Bench.march)
        let one = lineage("s")
        var renewal = Bench.price(5_990)
        renewal["transaction_reason"] = "RENEWAL"
        try await bench.record([
            one.started("s", from: Bench.january, until: Bench.february, Bench.price(5_990)),
            one.renewed("s-2", from: Bench.february, until: Bench.march, renewal),
        ])
        #expect(try bench.micros("gross_revenue", "2026-02", of: "USD") == 5_990_000)
        #expect(try bench.micros("mrr", "2026-02", of: "USD") == 5_990_000)
    }

    @Test("What the developer withdraws ends, and no money goes back")
    func withdrawn() async throws {
        let bench = try await Bench("nuzzle", now: Bench.march)
        let one = lineage("s")
        try await bench.record([
            one.started("s", from: Bench.january, until: Bench.march, Bench.price(5_990)),
            one.event(
                .purchaseRevoked, at: Bench.february - Bench.day,
                [
                    "transaction_id": "s", "revoked_at": .integer(Bench.february - Bench.day),
                    "reason": "developer",
                ]),
        ])
        #expect(try bench.micros("refunds", "2026-01", of: "USD") ?? 0 == 0)
        #expect(try bench.micros("net_revenue", "2026-01", of: "USD") == 5_990_000)
        #expect(try bench.micros("active_subscriptions", "2026-01") == 0)
    }

    @Test("After an introductory price and a break the later payment begins the cohort")
    func introductory() async throws {
        let bench = try await Bench("nuzzle", now: Bench.may)
        let one = lineage("s")
        var offer = Bench.price(1_990)
        offer["offer"] = ["type": "introductory", "discount": "pay_as_you_go"]
        try await bench.record([
            one.started("s", from: Bench.january, until: Bench.february, offer),
            one.expired("voluntary", at: Bench.february),
            one.renewed("s-2", from: Bench.march, until: Bench.april, Bench.price(5_990)),
        ])
        let report = try bench.report("subscription_retention")
        let march = report.series[0].values.first {
            report.periods[$0.bucket].name == "2026-03" && $0.age == 0
        }
        #expect(march?.numerator == 1 && march?.denominator == 1)
    }

    @Test("What is bought after everything was given away stays with who bought it")
    func boughtLater() async throws {
        let bench = try await Bench("nuzzle", now: Bench.march)
        let (before, after) = (
            LineageFixture("before", product: "com.nestling.pro.monthly", subject: "ada"),
            LineageFixture("after", product: "com.nestling.pro.monthly", subject: "ada")
        )
        try await bench.record([
            before.started(
                "before", from: Bench.january, until: Bench.april, Bench.price(5_990)),
            .reported(
                .purchaseTransferred, at: Bench.january + 14 * Bench.day, key: "t", subject: "ada",
                ["from": "ada", "to": "bea"]),
            after.started(
                "after", from: Bench.february, until: Bench.april, Bench.price(5_990)),
        ])
        for customer in ["ada", "bea"] {
            let asked = CheckQuestion("aiAssistant")
            #expect(try bench.ledger.check(asked, for: customer).decision.allowed, "\(customer)")
        }
        #expect(try bench.micros("active_subscriptions", "2026-02") == 2_000_000)
    }

    @Test("One who came back twice in the period in which it was lost has come back")
    func twice() async throws {
        let bench = try await Bench("nuzzle", now: Bench.april)
        let one = LineageFixture("s", product: "com.nestling.pro.monthly", subject: "c0")
        let lost = Bench.february + 3 * Bench.day
        let spans = [
            (Bench.january + 3 * Bench.day, lost), (lost + Bench.day, lost + 5 * Bench.day),
            (lost + 9 * Bench.day, Bench.march + 12 * Bench.day),
        ]
        for (index, (start, end)) in spans.enumerated() {
            let id = "s-\(index)"
            try await bench.record([
                index == 0
                    ? one.started(id, from: start, until: end, Bench.price(5_990))
                    : one.renewed(id, from: start, until: end, Bench.price(5_990))
            ])
        }
        let value = try #require(try bench.value("churn_rate", "2026-02"))
        #expect(value.numerator == 0 && value.denominator == 1)
        #expect(try bench.micros("gross_churn_rate", "2026-02") == 1_000_000)
    }

    @Test("Targets are those of the catalog that was known, and numbers those of the period")
    func knownTargets() async throws {
        let bench = try await Bench("dozzi", now: Bench.february + 5 * Bench.day)
        func told(_ value: String, at instant: Int64) -> EventDraft {
            .reported(
                .kpiRecorded, at: instant, key: value,
                ["name": "app_rating", "value": .number(value)])
        }
        try await bench.record([
            told("4.4", at: Bench.january), told("4.9", at: Bench.february + Bench.day),
        ])
        func rating(_ moment: Moment) throws -> Int64? {
            var request = MetricsRequest()
            request.moment = moment
            return try bench.ledger.kpis(request).rows.first {
                $0.target.name == "appRating"
            }?.micros
        }
        #expect(try rating(.now) == 4_400_000)
        let known = Moment(knownAt: .position(try bench.ledger.head().position))
        let text = String(decoding: try Fixtures.catalogDocument("dozzi"), as: UTF8.self)
        let other = text.replacing(/\n  appRating:.*\n/, with: "\n")
        #expect(other != text)
        bench.fixture.clock.now += Bench.day
        try await bench.fixture.publish(Array(other.utf8))
        #expect(try rating(known) == 4_400_000)
        #expect(try rating(.now) == nil)
    }
}
