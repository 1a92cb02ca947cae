import DaybookDomain
import DaybookEvents

/// What only the catalog can tell of an event: a gauge needs a ref, a counter a positive amount (rules 12 and 13).
enum StructureRules {
    /// What is asked of a meter: its own name, whatever it was called by, and its kind.
    struct KnownMeter {
        var name: String
        var kind: Meter.Kind

        init(_ meter: Meter) {
            name = meter.name
            kind = meter.kind
        }
    }

    /// The last meter that was asked for: neighbours mostly ask for the same one.
    struct MeterMemo {
        private var last: (name: String, meter: KnownMeter?)?

        mutating func meter(_ name: String, in catalogs: CatalogHistory) -> KnownMeter? {
            if let last, haveSameBytes(last.name, name) { return last.meter }
            let meter = catalogs.meter(named: name).map(KnownMeter.init)
            last = (name, meter)
            return meter
        }

        /// Catalogs changed.
        mutating func forget() { last = nil }
    }

    /// - Parameter meter: The meter of a name, where a catalog has it.
    static func check(
        _ draft: EventDraft, _ meter: (String) -> KnownMeter?
    ) throws(EventProblem) {
        // What was recorded before there were these rules stays what it is; folds pass over it.
        if draft.recordedAt == nil {
            if draft.type == .usageReset { return try checkReset(draft, meter) }
            if draft.type == .grantIssued { return try checkRecurrence(draft.data) }
        }
        guard draft.type == .usageRecorded else { return }
        let amount = draft.data["amount"]?.integer ?? 0
        let meter = meter(draft.data["meter"]?.text ?? "")
        try EventProblem.require(
            amount != 0 || meter?.kind == .reading, .outOfBounds, "data.amount",
            "0 units are no usage")
        guard let meter else { return }
        switch meter.kind {
        case .gauge:
            try EventProblem.require(
                draft.data["ref"] != nil, .missingField, "data.ref",
                "\(meter.name) is a gauge: say which one came or went")
        case .counter, .window:
            try EventProblem.require(
                amount >= 1, .outOfBounds, "data.amount",
                "\(amount) on a counter; use usage.reversed to take usage back")
        case .reading:
            try EventProblem.require(
                amount >= 0, .outOfBounds, "data.amount",
                "\(amount) is no reading; it is 0 or more")
        }
    }

    /// Only units come again, and from a time on that has a place in the calendar.
    private static func checkRecurrence(_ data: JSONObject) throws(EventProblem) {
        guard data["every"] != nil else { return }
        try EventProblem.require(
            (data["meter"] != nil || data["feature"] != nil) && data["entitlement"] == nil
                && (data["amount"]?.integer ?? 0) > 0 && data["unlimited"]?.bool != true,
            .missingField, "data.amount",
            "only units come again: a grant with every needs a meter and an amount above 0")
        let start = data["starts_at"]?.integer ?? 0
        try EventProblem.require(
            EventBounds.times.contains(start), .outOfBounds, "data.starts_at",
            "\(start) is no time from which units could come again")
    }

    /// Only what counts can begin to count anew.
    private static func checkReset(
        _ draft: EventDraft, _ meter: (String) -> KnownMeter?
    ) throws(EventProblem) {
        guard let meter = meter(draft.data["meter"]?.text ?? ""), meter.kind != .counter else {
            return
        }
        throw EventProblem(
            .forbidden, "data.meter",
            "\(meter.name) is a \(meter.kind.rawValue), which counts nothing that could begin anew")
    }
}
