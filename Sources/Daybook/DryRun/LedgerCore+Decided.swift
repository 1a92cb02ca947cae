import DaybookDomain
package import DaybookEvents
import DaybookStore

extension LedgerCore {
    /// Decides facts as a commit would, upon any state, and appends nothing.
    /// - Parameters:
    ///   - lines: The line of each event in its file, for messages; 1-based.
    ///   - state: Gets the names and streams that the events bring.
    /// - Returns: The rows that would be appended, in order; and the receipt.
    /// - Throws: `LedgerError.badInput` with every mistake, `.store`.
    package func decided(
        _ drafts: [EventDraft], lines: [Int], upon state: inout LedgerState
    ) throws -> (rows: [EventRow], receipt: ReportReceipt) {
        let reports = drafts.map { PreparedEvent.preparing($0, store.header.secret) }
        var group = GroupDecision(
            store: store, head: state.head.position,
            time: LedgerClock(wall: clock(), last: state.head.recordedAt), bounds: bounds)
        let step = ReportStep(
            reports: PreparedReports(reports), options: ReportOptions(lines: lines), store: store,
            catalogCache: catalogCache)
        let receipt = try step.run(&group, &state).get()
        return (group.rows, receipt)
    }
}
