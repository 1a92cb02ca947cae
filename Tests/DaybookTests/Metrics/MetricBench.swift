import Daybook
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookTesting

/// A ledger of an app and questions about its metrics.
struct MetricBench {
    static let day = LedgerFixture.day
    /// 2026-01-01T00:00:00Z
    static let january: Int64 = 1_767_225_600_000
    static let february = january + 31 * day
    static let march = february + 28 * day
    static let april = march + 31 * day
    static let may = april + 30 * day

    let fixture: LedgerFixture
    var ledger: Ledger { fixture.ledger }

    init(_ app: String, now: Int64 = Self.april) async throws {
        fixture = try await LedgerFixture(app, now: now)
    }

    func record(_ drafts: [EventDraft]) async throws { try await ledger.record(drafts) }

    /// The first sight of some customers, `c0` and so on.
    static func seen(_ count: Int, at instant: Int64) -> [EventDraft] {
        (0..<count).map {
            .reported(
                .appLaunched, at: instant + Int64($0), key: "c\($0)",
                subject: "c\($0)")
        }
    }

    /// A purchase of something that is bought once.
    static func bought(
        _ product: String, by subject: String, at instant: Int64, milli: Int64,
        currency: String = "USD"
    ) -> EventDraft {
        let lineage = LineageFixture("once-\(subject)", product: product, subject: subject)
        return lineage.event(
            .purchaseCompleted, at: instant,
            [
                "product": .string(product), "kind": "non_consumable",
                "transaction_id": .string("once-\(subject)"), "price_milli": .integer(milli),
                "currency": .string(currency),
            ])
    }

    static func price(_ milli: Int64, trial isTrial: Bool = false) -> JSONObject {
        var data: JSONObject = ["price_milli": .integer(milli), "currency": "USD"]
        if isTrial {
            data["offer"] = ["type": "introductory", "discount": "free_trial"]
        }
        return data
    }

    func report(_ names: String..., change: (inout MetricsRequest) -> Void = { _ in })
        throws -> MetricsReport
    {
        var request = MetricsRequest(names)
        request.from = Self.january
        change(&request)
        return try ledger.metrics(request)
    }

    /// A value in millionths.
    func micros(
        _ name: String, _ period: String, of group: String = "",
        change: (inout MetricsRequest) -> Void = { _ in }
    ) throws -> Int64? {
        try value(name, period, of: group, change: change)?.micros
    }

    func value(
        _ name: String, _ period: String, of group: String = "",
        change: (inout MetricsRequest) -> Void = { _ in }
    ) throws -> MetricSeries.Value? {
        let report = try report(name, change: change)
        return report.series[0].values.first {
            $0.group == group && report.periods[$0.bucket].name == period
        }
    }
}
