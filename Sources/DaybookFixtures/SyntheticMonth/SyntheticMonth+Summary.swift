public import Daybook
import DaybookDomain
public import DaybookEvents
public import Foundation

/// What a ledger says of a month when it is over: the golden state that `snapshots/<app>/synthetic-month.json` keeps.
extension SyntheticMonth {
    /// The name of the golden files, without folder and ending.
    public static let goldenName = "synthetic-month"

    /// The golden file of an app.
    public static func golden(_ app: String) -> URL {
        Fixtures.root.appending(path: "snapshots/\(app)/\(goldenName).json")
    }

    /// The digest, and what can be counted, at the end of the month.
    /// - Parameter ledger: Holds the app's catalog and this month, and nothing else.
    /// - Returns: The same for any order of delivery.
    public func summary(of ledger: Ledger, seed: UInt64) throws -> JSONObject {
        let (digest, aggregateCount) = try ledger.digest()
        let counts = eventCounts
        var tally = MonthTally()
        for customer in customers {
            let (status, _) = try ledger.status(of: customer, moment: Moment(at: Self.end))
            tally.add(status)
        }
        var funnels = JSONObject()
        for funnel in try ledger.catalogs().newest?.catalog.funnels ?? [] {
            let report = try ledger.funnel(FunnelRequest(funnel.name, until: Self.end))
            funnels[funnel.name] = .array(report.steps.map { .integer(Int64($0.count)) })
        }
        return [
            "seed": .string(String(seed)), "digest": .string(digest.description),
            "aggregates": .integer(Int64(aggregateCount)),
            "customers": .integer(Int64(customers.count)),
            "deliveries": .integer(Int64(deliveries.count)),
            "duplicates": .integer(Int64(duplicateCount)),
            // The first event of the ledger is its catalog.
            "events": .integer(try ledger.head().position - 1),
            "types": .object(
                JSONObject(counts.map { .init(name: $0.key, value: .integer(Int64($0.value))) })),
            "entitlements": .object(tally.entitlements), "meters": .object(tally.meters),
            "statuses": .object(tally.statuses), "funnels": .object(funnels),
        ]
    }

    /// How many different events of each type were delivered.
    public var eventCounts: [String: Int] {
        var seen: Set<String> = []
        var counts: [String: Int] = [:]
        for draft in deliveries {
            let name = "\(draft.environment.name)/\(draft.source.kind)/\(draft.source.key ?? "")"
            if seen.insert(name).inserted { counts[draft.type.rawValue, default: 0] += 1 }
        }
        return counts
    }
}

/// Sums over all customers.
private struct MonthTally {
    private(set) var entitlements = JSONObject()
    private(set) var meters = JSONObject()
    private(set) var statuses = JSONObject()

    mutating func add(_ status: Status) {
        for answer in status.entitlements {
            // Several states are on: `on` is every customer who has access, by whatever source.
            Self.add(answer.isActive ? 1 : 0, to: &entitlements, answer.name, "on")
            Self.add(1, to: &entitlements, answer.name, answer.state.rawValue)
        }
        for meter in status.meters {
            Self.add(meter.used, to: &meters, meter.name, "used")
            Self.add(meter.reserved, to: &meters, meter.name, "reserved")
            Self.add(meter.overage, to: &meters, meter.name, "overage")
            Self.add(meter.granted, to: &meters, meter.name, "granted")
            Self.add(meter.remaining == 0 ? 1 : 0, to: &meters, meter.name, "exhausted")
            Self.add(meter.limit == nil ? 1 : 0, to: &meters, meter.name, "unlimited")
            Self.add(meter.excess > 0 ? 1 : 0, to: &meters, meter.name, "over_limit")
        }
        let word = status.status ?? "none"
        statuses[word] = .integer((statuses[word]?.integer ?? 0) + 1)
    }

    private static func add(
        _ amount: Int64, to object: inout JSONObject, _ name: String, _ member: String
    ) {
        var inner = object[name]?.object ?? JSONObject()
        inner[member] = .integer((inner[member]?.integer ?? 0) + amount)
        object[name] = .object(inner)
    }
}
