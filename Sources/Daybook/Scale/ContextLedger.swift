import DaybookDomain
import DaybookEvents
import DaybookStore

/// Makes ledgers in memory that hold a context and some cases, and nothing else.
struct ContextLedger: Sendable {
    let context: FoldContext
    let zones: ZoneTables
    /// The context's events that concern every case.
    private let shared: [ContextEvent]
    private let corrections: [ContextEvent.WhatIsCorrected: [ContextEvent]]

    init(context: FoldContext, zones: ZoneTables) {
        self.context = context
        self.zones = zones
        shared = context.events.filter { $0.target == nil }
        var corrections: [ContextEvent.WhatIsCorrected: [ContextEvent]] = [:]
        for event in context.events {
            if let target = event.target { corrections[target, default: []].append(event) }
        }
        self.corrections = corrections
    }

    /// A ledger with the context and some events, in the order and at the times in which they were recorded.
    ///
    /// Events go into the store as they are, as if it had been copied: what was recorded is not judged again, whatever
    /// this build would say of a report, and no bound of a ledger's customers is asked for.
    /// - Parameter lines: Of whole cases, in any order; `nil`: the context alone, with what was measured elsewhere,
    ///   which otherwise comes with its own case.
    /// - Returns: With the original positions of its events, in their order.
    /// - Throws: `LedgerError.badInput` for a catalog without its document.
    func ledger(
        holding lines: [CaseLine]? = nil
    ) throws -> (ledger: Ledger, positions: [Int64]) {
        var events = (lines ?? []).map {
            Recorded(position: $0.position, draft: $0.event, isUnknown: $0.isUnknown)
        }
        for own in shared where lines == nil || own.draft.type != .kpiRecorded {
            events.append(Recorded(position: own.position, draft: own.draft))
        }
        events += correcting(events.map(\.draft)).map {
            Recorded(position: $0.position, draft: $0.draft)
        }
        events.sort { $0.position < $1.position }
        let last = max(context.at, events.last?.draft.recordedAt ?? context.at)
        // A wrong clock says nothing about what is ahead.
        let clock = last < LedgerClock.plausible.upperBound ? last : 0
        let store = InMemoryEventStore(app: context.app)
        try append(events, to: store)
        let ledger = try Ledger(store: store, zones: zones, clock: { clock })
        return (ledger, events.map(\.position))
    }

    private struct Recorded {
        let position: Int64
        let draft: EventDraft
        var isUnknown = false
    }

    private func append(_ events: [Recorded], to store: InMemoryEventStore) throws {
        var state = LedgerState(log: EventLog(store: store, segments: nil))
        var group = GroupDecision(
            store: store, head: state.head.position, time: LedgerClock(wall: 0, last: 0),
            bounds: AggregateBounds(eventsMax: Int64.max, idsMax: Int.max))
        let prepared = try events.map { event in
            var draft = event.draft
            do {
                let document = try CatalogReports.takeDocument(&draft, store)
                return PreparedEvent(
                    draft, requestDigest: 0, store.header.secret, document: document,
                    isUnknown: event.isUnknown)
            } catch let problem as EventProblem {
                throw LedgerError.bad("damaged_context", problem.reason)
            }
        }
        group.add(
            prepared, [UInt32?](repeating: nil, count: prepared.count), keepsRecordedAt: true,
            state: &state)
        let batch = group.batch(state)
        try store.exclusively { _ = try $0.append(batch) }
    }

    /// The corrections that are about one of some events, and those that are about these.
    private func correcting(_ drafts: [EventDraft]) -> [ContextEvent] {
        guard !corrections.isEmpty else { return [] }
        var found: [ContextEvent] = []
        var open = drafts
        var seen: Set<ContextEvent.WhatIsCorrected> = []
        while let next = open.popLast() {
            guard let name = ContextEvent.WhatIsCorrected(namedBy: next),
                let own = corrections[name], seen.insert(name).inserted
            else { continue }
            found += own
            open += own.map(\.draft)
        }
        return found
    }
}
