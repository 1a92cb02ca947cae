import DaybookDomain
import DaybookEvents
import DaybookStore

/// Writes the scheduled resets that are due, once per customer, meter and period (rule 14).
struct TickStep {
    let at: Int64?
    let store: any EventStore

    func run(_ group: inout GroupDecision, _ state: inout LedgerState) throws -> ReportReceipt {
        let instant = at ?? group.recordedAt
        let first = group.rows.count
        var bound = UnitBound(eventsMax: group.eventsPerUnitMax)
        for unit in state.units.ids + state.late.sorted() {
            let record = state.stream(unit)
            guard record.kind == .customer else { continue }
            let question = try group.customerCase(
                state, record.environment, state.names[record.name], at: instant)
            guard let check = Check(question) else { continue }
            let resets = ScheduledResets(question, check)
            for meter in check.catalog.meters {
                guard let draft = resets.due(meter, at: instant) else { continue }
                let key = EventKey(
                    draft.environment, state.names.intern(draft.source.kind),
                    Reference(draft.source.key ?? ""))
                if try group.position(of: key, state) != nil { continue }
                do throws(EventProblem) {
                    try bound.take(draft, group, state)
                } catch {
                    // A reset is evidence of what time does by itself: a full unit goes without.
                    continue
                }
                group.add(
                    draft, requestDigest: EventJSON.requestDigest(EventJSON.object(of: draft)),
                    state: &state, isCommand: true)
            }
        }
        let count = group.rows.count - first
        let position = count == 0 ? nil : group.rows[first].event.position
        return ReportReceipt(
            appended: count, duplicates: 0, firstPosition: position,
            lastPosition: position.map { $0 + Int64(count) - 1 }, durability: store.durability)
    }
}
