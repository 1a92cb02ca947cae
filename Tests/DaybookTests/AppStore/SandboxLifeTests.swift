import Daybook
import DaybookDomain
import DaybookEvents
import DaybookIngest
import DaybookTesting
import Testing

/// A whole life as `daybook sandbox life` signs it, through verification and mapping.
@Suite("App Store: a whole life of the sandbox")
struct SandboxLifeTests {
    /// 2026-01-15T12:00:00Z, on the bench's clock.
    private static let start = AppStoreBench.now

    static func life(_ change: (inout SandboxLife) -> Void = { _ in }) -> SandboxLife {
        var life = SandboxLife(
            bundleID: AppStoreBench.bundleID, productID: AppStoreBench.monthly, start: start)
        life.appAccountToken = "ada"
        life.groupID = "Premium"
        life.price = 8_990
        life.currency = "USD"
        change(&life)
        return life
    }

    /// The states that docs/rules.md#states and docs/app-store.md give after each step of the whole plan.
    private static let states: [(SandboxLife.Step, String)] = [
        (.trial, "trial+~"), (.conversion, "active+~"), (.grace, "grace+~"),
        (.recovery, "active+~"), (.renewal, "active+~"), (.cancel, "active_canceling+"),
        (.uncancel, "active+~"), (.refund, "refunded~"), (.reversal, "active+~"),
        (.cancel, "active_canceling+"), (.expiry, "expired"),
    ]

    @Test("After each step the state is the one of the rules, and nothing is refused")
    func states() async throws {
        let bench = try await AppStoreBench()
        let moments = try Self.life().moments()
        #expect(moments.map(\.step) == Self.states.map(\.0))
        for (moment, (_, state)) in zip(moments, Self.states) {
            let receipt = try await bench.take(moment.notification)
            #expect(receipt.refused == [])
            #expect(receipt.appended > 0)
            #expect(try bench.premium(at: moment.at) == state, "\(moment.step)")
        }
        // Half an hour for a life that would take half a year.
        let length = try #require(moments.last).at - Self.start
        #expect(length > 15 * 60_000)
        #expect(length < 60 * 60_000)
    }

    @Test("A charge that fails without grace ends access, and goes through later or never")
    func retry() async throws {
        let plans: [([SandboxLife.Step], [String])] = [
            (
                [.purchase, .retry, .recovery, .cancel, .expiry, .purchase],
                [
                    "active+~", "billing_retry~", "active+~", "active_canceling+", "expired",
                    "active+~",
                ]
            ),
            (
                [.purchase, .renewal, .grace, .retry, .expiry],
                ["active+~", "active+~", "grace+~", "billing_retry~", "expired"]
            ),
        ]
        for (plan, states) in plans {
            let bench = try await AppStoreBench()
            for (moment, state) in zip(try Self.life { $0.plan = plan }.moments(), states) {
                #expect(try await bench.take(moment.notification).refused == [])
                #expect(try bench.premium(at: moment.at) == state, "\(moment.step)")
            }
        }
    }

    @Test("Any order and any number of its notifications give the same digest and the same states")
    func anyOrder() async throws {
        let moments = try Self.life().moments()
        var random = SplitMix64(seed: 4_711)
        var orders = [moments, moments.reversed(), moments + moments]
        for _ in 0..<5 { orders.append((moments + moments.prefix(4)).shuffled(using: &random)) }
        var digests: Set<String> = []
        for order in orders {
            let bench = try await AppStoreBench()
            for moment in order { try await bench.take(moment.notification) }
            digests.insert("\(try bench.fixture.ledger.digest().digest)")
            for (moment, (_, state)) in zip(moments, Self.states) {
                let found = try bench.premium(at: moment.at).prefix { $0 != "~" && $0 != "+" }
                let expected: Substring =
                    switch moment.step {
                    // What is known later: the charge went through for the day on which it was due, and the refund
                    // never held.
                    case .grace, .refund: "active"
                    default: state.prefix { $0 != "~" && $0 != "+" }
                    }
                #expect(found == expected, "\(moment.step)")
            }
        }
        #expect(digests.count == 1)
    }

    @Test("Step by step, as known then, the life is told again")
    func replay() async throws {
        let bench = try await AppStoreBench()
        var known: [Int64] = []
        let moments = try Self.life().moments()
        for moment in moments {
            try await bench.take(moment.notification)
            known.append(try bench.fixture.ledger.head().position)
        }
        for (index, moment) in moments.enumerated() {
            let status = try bench.fixture.ledger.status(
                of: "ada", environment: .test,
                moment: Moment(at: moment.at, knownAt: .position(known[index]))
            ).status
            let answer = try #require(status.entitlements.first { $0.name == "premium" })
            let expected = Self.states[index].1
            #expect(
                answer.state.rawValue + (answer.isActive ? "+" : "")
                    + (answer.willRenew ? "~" : "") == expected)
        }
        #expect(try bench.fixture.ledger.replay().agrees)
    }

    @Test("A month is five minutes and a year an hour, or what the calendar says")
    func speeds() throws {
        let month = CivilDuration(months: 1)
        let expected: [(SandboxSpeed, CivilDuration, Int64)] = [
            (.minutes5, CivilDuration(days: 7), 3), (.minutes5, month, 5),
            (.minutes5, CivilDuration(months: 3), 15), (.minutes5, CivilDuration(years: 1), 60),
            (.minutes3, CivilDuration(months: 6), 18), (.minutes15, CivilDuration(days: 7), 5),
            (.minutes30, CivilDuration(years: 1), 360), (.minutes60, CivilDuration(days: 7), 15),
            (.real, CivilDuration(days: 7), 7 * 1_440), (.real, month, 31 * 1_440),
        ]
        for (speed, period, minutes) in expected {
            #expect(speed.end(of: period, from: Self.start) == Self.start + minutes * 60_000)
        }
    }

    @Test(
        "A life that ends by now has no notification of the future",
        arguments: SandboxSpeed.allCases)
    func ending(speed: SandboxSpeed) throws {
        let life = try Self.life { $0.speed = speed }.ending(by: Self.start)
        let last = try #require(try life.moments().last)
        #expect(last.at <= Self.start)
        #expect(last.at > Self.start - 4 * LedgerFixture.day)
    }

    @Test("A plan in which a step cannot follow is refused with the step and why")
    func plans() throws {
        let wrong: [([SandboxLife.Step], Int)] = [
            ([.renewal], 1), ([.trial, .renewal], 2), ([.trial, .trial], 2),
            ([.purchase, .recovery], 2), ([.purchase, .uncancel], 2),
            ([.purchase, .cancel, .cancel], 3), ([.purchase, .cancel, .renewal], 3),
            ([.purchase, .expiry], 2), ([.purchase, .reversal], 2), ([.trial, .refund], 2),
            ([.purchase, .cancel, .expiry, .renewal], 4), ([.purchase, .grace, .cancel], 3),
        ]
        for (plan, number) in wrong {
            let problem = #expect(throws: SandboxLife.PlanProblem.self) {
                try Self.life { $0.plan = plan }.moments()
            }
            #expect(problem?.number == number)
            #expect(problem?.reason.isEmpty == false)
        }
    }
}
