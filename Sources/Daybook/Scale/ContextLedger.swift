import DaybookDomain
import DaybookEvents
import DaybookStore

/// Makes ledgers in memory that hold a context and some cases, and nothing else.
struct ContextLedger: Sendable {
    let context: FoldContext
    let zones: ZoneTables

    /// A ledger with the context and some events, in the order and at the times in which they were recorded.
    /// - Parameter drafts: With their positions in the ledger that they are from, in any order; `nil`: the context
    ///   alone, with what was measured elsewhere, which otherwise comes with its own case.
    /// - Returns: With the original positions of its events, in their order.
    /// - Throws: `LedgerError.badInput` for an event that is refused.
    func ledger(
        holding drafts: [(position: Int64, draft: EventDraft)]? = nil
    ) async throws -> (ledger: Ledger, positions: [Int64]) {
        let own = concerning((drafts ?? []).map(\.draft)).filter {
            drafts == nil || $0.draft.type != .kpiRecorded
        }
        var events = (drafts ?? []) + own.map { ($0.position, $0.draft) }
        events.sort { $0.position < $1.position }
        let last = max(context.at, events.last?.draft.recordedAt ?? context.at)
        // A wrong clock says nothing about what is ahead.
        let clock = last < LedgerClock.plausible.upperBound ? last : 0
        let ledger = try Ledger(
            store: InMemoryEventStore(app: context.app), zones: zones,
            idsPerPersonMax: Int.max, clock: { clock })
        let receipt = try await ledger.record(
            events.map(\.draft), options: ReportOptions(isAsRecorded: true))
        guard receipt.appended == events.count else {
            throw FoldContext.bad(
                nil, "repeated_event",
                "\(events.count - receipt.appended) events are there more than once")
        }
        return (ledger, events.map(\.position))
    }

    /// The context's own events, with those of its corrections that are about one of them, or of some others.
    private func concerning(_ drafts: [EventDraft]) -> [ContextEvent] {
        typealias Target = ContextEvent.WhatIsCorrected
        let corrections = context.events.filter { $0.target != nil }
        let others = context.events.filter { $0.target == nil }
        guard !corrections.isEmpty else { return others }
        var known = Set(
            (drafts + others.map(\.draft)).compactMap { draft in
                draft.source.key.map {
                    Target(
                        environment: draft.environment, source: draft.source.kind, key: $0)
                }
            })
        var found = others
        var rest = corrections
        // A correction may be corrected by another one, which may have come before it.
        while true {
            let concerned = rest.filter { $0.target.map(known.contains) ?? false }
            if concerned.isEmpty { return found }
            rest.removeAll { $0.target.map(known.contains) ?? false }
            found += concerned
            for draft in concerned.map(\.draft) {
                guard let key = draft.source.key else { continue }
                known.insert(
                    Target(environment: draft.environment, source: draft.source.kind, key: key))
            }
        }
    }
}
