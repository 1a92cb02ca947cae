import DaybookDomain
import DaybookEvents
import DaybookStore

/// A copy of a ledger that goes on in memory alone: it says what a request would come to, and the ledger that it began
/// with is not changed.
package struct DryRun {
    package let writer: LedgerWriter

    /// Begins with everything that a ledger holds now.
    package init(_ core: LedgerCore) throws {
        try core.refresh()
        try core.readKeys()
        writer = LedgerWriter(LedgerCore(goingOnFrom: core, core.state.withLock { $0 }))
    }

    /// What a request would come to: `perform` upon everything that the ledger holds now, of which nothing is written.
    func dryRun(_ request: CommandRequest, isRestating: Bool) async throws -> Receipt {
        var receipt = try await writer.perform(request)
        if isRestating { try Differences(core: writer.core).tell(in: &receipt) }
        return receipt
    }
}
