import DaybookDomain
import DaybookEvents

/// What only the catalog can tell of an event: a gauge needs a ref, a counter a positive amount (rules 12 and 13).
enum StructureRules {
    /// - Parameter meter: The meter of a name, where a catalog has it.
    static func check(
        _ draft: EventDraft, _ meter: (String) -> Meter?
    ) throws(EventProblem) {
        guard draft.type == "usage.recorded" else { return }
        let amount = draft.data["amount"]?.integer ?? 0
        if amount == 0 {
            throw EventProblem(.outOfBounds, "data.amount", "0 units are no usage")
        }
        guard let meter = meter(draft.data["meter"]?.text ?? "") else { return }
        switch meter.kind {
        case .gauge:
            if draft.data["ref"] == nil {
                throw EventProblem(
                    .missingField, "data.ref",
                    "\(meter.name) is a gauge: say which one came or went")
            }
        case .counter, .window:
            if amount < 1 {
                throw EventProblem(
                    .outOfBounds, "data.amount",
                    "\(amount) on a counter; use usage.reversed to take usage back")
            }
        }
    }
}
