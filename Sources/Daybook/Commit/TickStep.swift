import DaybookDomain
import DaybookEvents
import DaybookStore

/// Writes the scheduled resets that are due, once per customer, meter and period (rule 14).
struct TickStep {
    let at: Int64?
    let aggregates: ArraySlice<UInt32>
    let store: any EventStore
    let zones: ZoneTables

    func run(
        _ group: inout GroupDecision, _ state: inout LedgerState
    ) throws -> Result<ReportReceipt, LedgerError> {
        let instant = at ?? group.now
        // A reset dated in the future would make everything until then late.
        guard instant <= group.now else { return .failure(Self.ahead(instant, group)) }
        let first = group.rows.count
        var bound = AggregateBound(group.bounds)
        // All cases first: one that is still there while names are added costs a copy of the names.
        for draft in try due(by: instant, group, state) {
            let key = EventKey(
                draft.environment, state.names.intern(draft.source.kind),
                Reference(draft.source.key ?? ""))
            if try group.position(of: key, state) != nil { continue }
            let stream = EventRouter.stream(of: draft)
            do throws(EventProblem) {
                try bound.take(draft, in: stream, group, state)
            } catch {
                // A reset is evidence of what time does by itself: a full aggregate goes without.
                continue
            }
            group.add(
                draft, in: stream, requestDigest: EventJSON.requestDigest(of: draft), state: &state,
                isCommand: true)
        }
        let count = group.rows.count - first
        let position = count == 0 ? nil : group.rows[first].event.position
        return .success(ReportReceipt(count, from: position, durability: store.durability))
    }

    private func due(
        by instant: Int64, _ group: GroupDecision, _ state: LedgerState
    ) throws -> [EventDraft] {
        var drafts: [EventDraft] = []
        for aggregate in aggregates {
            let record = state.stream(aggregate)
            guard record.kind == .customer else { continue }
            let context = try zones.customerCase(
                state.names[record.name], record.environment, group, state, at: instant)
            guard let check = Check(context) else { continue }
            let resets = ScheduledResets(context, check)
            drafts += check.catalog.meters.compactMap { resets.due($0, at: instant) }
        }
        return drafts
    }

    private static func ahead(_ instant: Int64, _ group: GroupDecision) -> LedgerError {
        let (asked, now) = (RFC3339.format(instant), RFC3339.format(group.now))
        return .bad(
            "out_of_bounds",
            "\(asked) is ahead of the ledger's clock, which says \(now); a reset is written when it is due"
        )
    }
}
