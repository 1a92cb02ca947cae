import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookTesting
import Testing

/// The state table (docs/rules.md#states), every row with the moments before, at and after its boundary.
@Suite("The state table")
struct StateTableTests {
    static let start = instant("2026-01-10T10:00:00Z")
    static let end = instant("2026-02-10T10:00:00Z")
    static let day = LedgerFixture.day

    /// What is expected at one moment.
    struct Expected: Sendable {
        var at: Int64
        var state: SourceState
        var access: Bool
        var willRenew: Bool

        init(_ at: Int64, _ state: SourceState, _ access: Bool, renews willRenew: Bool) {
            self.at = at
            self.state = state
            self.access = access
            self.willRenew = willRenew
        }
    }

    /// A history and what it means over time.
    struct Row: Sendable, CustomTestStringConvertible {
        var name: String
        var expected: [Expected]
        var events: @Sendable (LineageFixture) -> [EventDraft]
        var testDescription: String { name }
    }

    static func paid(_ lineage: LineageFixture) -> EventDraft {
        lineage.started("1", from: start, until: end)
    }

    static let rows: [Row] = runningRows + lapsedRows + withdrawnRows

    static let runningRows = [
        Row(
            name: "none: never subscribed",
            expected: [.init(start, .none, false, renews: false)], events: { _ in [] }),
        Row(
            name: "active",
            expected: [
                .init(start - 1, .none, false, renews: false),
                .init(start, .active, true, renews: true),
                .init(end - 1, .active, true, renews: true),
                .init(end, .expired, false, renews: false),
            ], events: { [paid($0)] }),
        Row(
            name: "active_canceling",
            expected: [
                .init(start + day - 1, .active, true, renews: true),
                .init(start + day, .activeCanceling, true, renews: false),
                .init(end - 1, .activeCanceling, true, renews: false),
                .init(end, .expired, false, renews: false),
            ], events: { [paid($0), $0.autoRenew(false, at: start + day)] }),
        Row(
            name: "active again after renewal was switched on again (E17)",
            expected: [
                .init(start + 2 * day - 1, .activeCanceling, true, renews: false),
                .init(start + 2 * day, .active, true, renews: true),
            ],
            events: {
                [
                    paid($0), $0.autoRenew(false, at: start + day),
                    $0.autoRenew(true, at: start + 2 * day),
                ]
            }),
        Row(
            name: "trial, which stays a trial when it is cancelled",
            expected: [
                .init(start, .trial, true, renews: true),
                .init(start + day - 1, .trial, true, renews: true),
                .init(start + day, .trial, true, renews: false),
                .init(start + 7 * day - 1, .trial, true, renews: false),
                .init(start + 7 * day, .expired, false, renews: false),
            ],
            events: {
                [
                    $0.started("1", from: start, until: start + 7 * day, freeTrial),
                    $0.autoRenew(false, at: start + day),
                ]
            }),
        Row(
            name: "a paid introductory offer is no trial (T27)",
            expected: [.init(start, .active, true, renews: true)],
            events: {
                [
                    $0.started(
                        "1", from: start, until: end,
                        ["offer": ["type": "introductory", "discount": "pay_as_you_go"]])
                ]
            }),
    ]

    static let freeTrial: JSONObject = [
        "offer": ["type": "introductory", "discount": "free_trial"]
    ]

    static let lapsedRows = [
        Row(
            name: "grace before billing_retry before expired",
            expected: [
                .init(end - 1, .active, true, renews: true),
                .init(end, .grace, true, renews: true),
                .init(end + 16 * day - 1, .grace, true, renews: true),
                .init(end + 16 * day, .billingRetry, false, renews: true),
                .init(end + 60 * day - 1, .billingRetry, false, renews: true),
                .init(end + 60 * day, .expired, false, renews: false),
            ],
            events: { [paid($0), $0.billingFailed(at: end, graceUntil: end + 16 * day)] }),
        Row(
            name: "grace in which renewal is switched off",
            expected: [
                .init(end, .grace, true, renews: true),
                .init(end + day - 1, .grace, true, renews: true),
                .init(end + day, .grace, true, renews: false),
                .init(end + 2 * day, .grace, true, renews: true),
                .init(end + 16 * day - 1, .grace, true, renews: true),
                .init(end + 16 * day, .billingRetry, false, renews: true),
            ],
            events: {
                [
                    paid($0), $0.billingFailed(at: end, graceUntil: end + 16 * day),
                    $0.autoRenew(false, at: end + day), $0.autoRenew(true, at: end + 2 * day),
                ]
            }),
        Row(
            name: "grace that is in billing retry too is grace",
            expected: [
                .init(end, .grace, true, renews: true),
                .init(end + 3 * day, .billingRetry, false, renews: true),
            ],
            events: {
                [
                    paid($0),
                    $0.event(
                        .storeRenewalStated, at: end,
                        [
                            "auto_renew": true, "in_billing_retry": true,
                            "grace_expires_at": .integer(end + 3 * day),
                        ]),
                ]
            }),
        Row(
            name: "billing_retry without grace",
            expected: [
                .init(end - 1, .active, true, renews: true),
                .init(end, .billingRetry, false, renews: true),
                .init(end + 60 * day, .expired, false, renews: false),
            ], events: { [paid($0), $0.billingFailed(at: end, graceUntil: nil)] }),
        Row(
            name: "expired by the store's word",
            expected: [
                .init(end - 1, .active, true, renews: true),
                .init(end, .expired, false, renews: false),
            ], events: { [paid($0), $0.expired("voluntary", at: end)] }),
    ]

    static let withdrawnRows = [
        Row(
            name: "refunded in full",
            expected: [
                .init(start + 5 * day - 1, .active, true, renews: true),
                .init(start + 5 * day, .refunded, false, renews: true),
                .init(end + 1, .refunded, false, renews: true),
            ], events: { [paid($0), $0.refunded("1", at: start + 5 * day)] }),
        Row(
            name: "refunded in part (E34)",
            expected: [
                .init(start + 5 * day - 1, .active, true, renews: true),
                .init(start + 5 * day, .refunded, false, renews: true),
            ],
            events: {
                [
                    paid($0),
                    $0.refunded(
                        "1", at: start + 5 * day, ["type": "prorated", "pct_milli": 40_000]),
                ]
            }),
        Row(
            name: "refunded, with renewal switched off",
            expected: [.init(start + 5 * day, .refunded, false, renews: false)],
            events: {
                [
                    paid($0), $0.autoRenew(false, at: start + day),
                    $0.refunded("1", at: start + 5 * day),
                ]
            }),
        Row(
            name: "revoked by family sharing (E45)",
            expected: [
                .init(start + 5 * day - 1, .active, true, renews: true),
                .init(start + 5 * day, .revoked, false, renews: false),
            ],
            events: {
                [
                    $0.started("1", from: start, until: end, ["ownership": "family_shared"]),
                    $0.event(
                        .purchaseRevoked, at: start + 5 * day,
                        [
                            "transaction_id": "1", "revoked_at": .integer(start + 5 * day),
                            "reason": "family",
                        ]),
                ]
            }),
    ]

    /// One app with its words for the states.
    struct App: Sendable, CustomTestStringConvertible {
        var name: String
        var entitlement: String
        var product: String
        var words: @Sendable (SourceState) -> String
        var testDescription: String { name }
    }

    static let apps = [
        App(name: "nuzzle", entitlement: "pro", product: "com.nestling.pro.monthly") { state in
            switch state {
            case .none: "notSubscribed"
            case .grace: "inGracePeriod"
            case .billingRetry: "inBillingRetryPeriod"
            case .trial, .active, .activeCanceling: "subscribed"
            default: "expired"
            }
        },
        App(
            name: "magical-stories", entitlement: "premium",
            product: "com.magicalstories.premium.monthly"
        ) { state in
            switch state {
            case .none: "free"
            case .trial, .active, .activeCanceling, .grace: "premiumMonthly"
            default: "expired"
            }
        },
        App(
            name: "fork-in-the-road", entitlement: "premium",
            product: "com.forkintheroad.app.premium.monthly"
        ) { state in
            switch state {
            case .trial, .active, .activeCanceling, .grace: "premium"
            default: "free"
            }
        },
    ]

    @Test("Every row gives its state, access, renewal and the apps' words", arguments: rows, apps)
    func table(_ row: Row, _ app: App) async throws {
        let fixture = try await LedgerFixture(
            app.name, now: instant("2026-06-01T00:00:00Z"),
            replacing: ["group: ": "familyShareable: true\n    group: "])
        try await fixture.ledger.record(row.events(LineageFixture("1", product: app.product)))
        for expected in row.expected {
            let time = RFC3339.format(expected.at)
            let answer = try #require(try fixture.entitlement(app.entitlement, at: expected.at))
            #expect(answer.state == expected.state, "\(time)")
            #expect(answer.isActive == expected.access, "\(time)")
            #expect(answer.willRenew == expected.willRenew, "\(time)")
            let word = try fixture.status(at: expected.at).status
            #expect(word == app.words(expected.state), "\(time)")
        }
    }

    @Test("With access in billing retry, the catalog's choice, it lasts its sixty days")
    func retryAccess() async throws {
        let fixture = try await LedgerFixture(
            "nuzzle", now: instant("2026-06-01T00:00:00Z"),
            replacing: ["billingRetryAccess: false": "billingRetryAccess: true"])
        let lineage = LineageFixture("1", product: "com.nestling.pro.monthly")
        try await fixture.record(
            Self.paid(lineage), lineage.billingFailed(at: Self.end, graceUntil: nil))
        #expect(try fixture.entitlement("pro", at: Self.end)?.isActive == true)
        let last = Self.end + 60 * Self.day
        #expect(try fixture.entitlement("pro", at: last - 1)?.state == .billingRetry)
        #expect(try fixture.entitlement("pro", at: last)?.isActive == false)
    }

    @Test("After a prorated refund access goes on where the catalog says so (E34)")
    func proratedAccess() async throws {
        let fixture = try await LedgerFixture(
            "nuzzle", now: instant("2026-06-01T00:00:00Z"),
            replacing: ["policies:\n": "policies:\n  proratedRefundKeepsAccess: true\n"])
        let lineage = LineageFixture("1", product: "com.nestling.pro.monthly")
        try await fixture.record(
            Self.paid(lineage),
            lineage.refunded("1", at: Self.start + Self.day, ["type": "prorated"]))
        #expect(try fixture.entitlement("pro", at: Self.end - 1)?.isActive == true)
        #expect(try fixture.entitlement("pro", at: Self.end)?.state == .expired)
    }
}
