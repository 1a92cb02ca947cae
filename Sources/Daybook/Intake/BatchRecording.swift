import DaybookEvents

/// Takes in batches of reports one after the other. While one is written the next is prepared, so that neither
/// processor waits for the other.
struct BatchRecording {
    let writer: LedgerWriter

    func record(
        _ batches: some Sequence<[EventDraft]>, isAsRecorded: Bool,
        progress: (ReportReceipt) -> Void
    ) async throws -> ReportReceipt {
        let core = writer.core
        var sum = ReportReceipt(durability: core.store.durability)
        var options = ReportOptions(isAsRecorded: isAsRecorded)
        var turn = WriteTurn()
        var rest = batches.makeIterator()
        var prepared = PreparedReports([])
        var count = 0
        while true {
            let batch = rest.next()
            async let next = PreparedReports.preparing(batch ?? [], core)
            if !prepared.events.isEmpty {
                try await turn.giveWay()
                // Its place among all events, for messages.
                options.lines = Array(count + 1...count + prepared.events.count)
                count += prepared.events.count
                sum.add(try await writer.record(prepared, options))
                progress(sum)
            }
            prepared = await next
            if batch == nil { return sum }
        }
    }
}
