import DaybookDomain
import DaybookStore

/// Writes the scheduled resets that are due.
struct Tick {
    let writer: LedgerWriter

    private var core: LedgerCore { writer.core }

    /// Aggregates of one commit of a tick: some ten milliseconds, so that others get their turn.
    private static let aggregatesPerCommit = 1_024

    /// Writes the scheduled resets that are due; doing it twice adds nothing.
    func tick(
        at instant: Int64? = nil,
        progress: @Sendable (_ done: Int, _ total: Int) -> Void = { _, _ in }
    ) async throws -> ReportReceipt {
        try core.refresh()
        let aggregates = core.state.withLock { $0.aggregateIDs }
        var sum = ReportReceipt(durability: core.store.durability)
        var start = 0
        repeat {
            let end = min(start + Self.aggregatesPerCommit, aggregates.count)
            let content = WriteRequest.Content.tick(
                at: instant, aggregates: aggregates[start..<end])
            guard case .reports(let receipt) = try await writer.submit(content) else {
                preconditionFailure("a tick is answered with its receipt")
            }
            sum.add(receipt)
            progress(end, aggregates.count)
            start = end
        } while start < aggregates.count
        return sum
    }
}
