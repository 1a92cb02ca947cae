import DaybookDomain
import DaybookEvents

/// The uses of one counter, before they burn anything (rule 12).
struct CounterUses {
    /// Units that count at the asked time.
    struct Use {
        let event: KnownEvent
        let amount: Int64
        let isReserved: Bool
        var at: Int64 { event.occurredAt }
    }

    /// In canonical order, without what is covered by an unlimited source.
    let all: [Use]

    init(_ meter: Meter, _ context: ReferenceCase) {
        let usage = context.customerEvents.filter { $0.type.isOf(.usage) }
        let meters = [meter.name] + meter.aliases
        var refs: Set<String> = []
        var reservations: Set<String> = []
        var uses: [Use] = []
        for event in usage {
            switch event.type {
            case .usageRecorded where meters.contains(event.text("meter") ?? ""):
                // The same meter and ref counts once per unit, whatever the source.
                if let ref = event.text("ref"), !refs.insert(ref).inserted { continue }
                guard let amount = event.integer("amount"), amount >= 1 else { continue }
                let names = [event.key, event.text("ref")]
                guard !Self.isReversed(names, on: meters, usage) else { continue }
                uses.append(Use(event: event, amount: amount, isReserved: false))
            case .usageReserved:
                guard let id = event.text("reservation_id"), reservations.insert(id).inserted,
                    meters.contains(event.text("meter") ?? ""),
                    let use = Self.reserved(event, id, meters, usage, context.at)
                else { continue }
                uses.append(use)
            default: break
            }
        }
        // What an unlimited source covered burns no quota; the fold never recomputes it.
        all = uses.filter { $0.event.text("covered_by") == nil }
    }

    /// A reservation counts until its commit, release or end (exclusive), a commit for ever.
    private static func reserved(
        _ event: KnownEvent, _ id: String, _ meters: [String], _ usage: [KnownEvent],
        _ instant: Int64
    ) -> Use? {
        guard let amount = event.integer("amount"), amount >= 1,
            let expiresAt = event.integer("expires_at")
        else { return nil }
        let outcome = usage.first {
            $0.text("reservation_id") == id && $0.occurredAt < expiresAt
                && ($0.type == .usageCommitted || $0.type == .usageReleased)
        }
        guard !isReversed([event.key, id, outcome?.key], on: meters, usage) else { return nil }
        switch outcome?.type {
        case .usageCommitted:
            let committed = outcome?.integer("amount") ?? amount
            return committed < 1 ? nil : Use(event: event, amount: committed, isReserved: false)
        case .usageReleased: return nil
        default:
            return instant < expiresAt
                ? Use(event: event, amount: amount, isReserved: true) : nil
        }
    }

    /// `usage.reversed` names the key or the ref of the usage; only its own meter and period get it back.
    static func isReversed(
        _ names: [String?], on meters: [String], _ usage: [KnownEvent]
    ) -> Bool {
        usage.contains {
            guard $0.type == .usageReversed, let target = $0.text("target"),
                names.contains(target),
                let meter = $0.text("meter") ?? firstMeter(of: target, usage)
            else { return false }
            return meters.contains(meter)
        }
    }

    /// A reversal that names no meter means that of the first use with the key, else with the ref, else of the first
    /// reservation of that name, with that key, or committed under that key.
    private static func firstMeter(of target: String, _ usage: [KnownEvent]) -> String? {
        let uses = usage.filter { $0.type == .usageRecorded }
        if let use = uses.first(where: { $0.key == target })
            ?? uses.first(where: { $0.text("ref") == target })
        {
            return use.text("meter")
        }
        // An id reserves once.
        var ids: Set<String> = []
        let reservations = usage.filter {
            $0.type == .usageReserved && ids.insert($0.text("reservation_id") ?? "").inserted
        }
        let commits = usage.filter { $0.type == .usageCommitted && $0.key == target }
        let committed = commits.compactMap { commit in
            reservations.first { $0.text("reservation_id") == commit.text("reservation_id") }
        }
        let found =
            reservations.first { $0.text("reservation_id") == target }
            ?? reservations.first { $0.key == target } ?? committed.first
        return found?.text("meter")
    }
}
