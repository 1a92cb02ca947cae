import DaybookDomain
import DaybookEvents
import DaybookStore

/// Moves a lineage by command, and says what giver and recipient have before and after.
struct TransferStep {
    let command: PreparedCommand
    let store: any EventStore
    let zones: ZoneTables

    func run(
        _ group: inout GroupDecision, _ state: inout LedgerState
    ) throws -> Result<TransferReceipt, LedgerError> {
        let request = command.request
        let step = CommandStep(command: command, store: store, zones: zones)
        let receipt: Receipt
        switch try step.run(&group, &state) {
        case .error(let error): return .failure(error)
        case .receipt(let made): receipt = made.receipt
        }
        // The event itself is asked, so that a repeated key gets the first answer (law 7).
        guard let position = receipt.positions.first, let row = try group.row(at: position) else {
            throw StoreError(.damaged, "the transfer \(receipt.key) left no event")
        }
        let draft = try state.recorded(row).draft
        let (from, to) = (draft.data["from"]?.text ?? "", draft.data["to"]?.text ?? "")
        let change = OwnershipChange(
            group: group, state: state, zones: zones, environment: request.environment,
            at: row.event.occurredAt)
        return .success(
            TransferReceipt(
                receipt: receipt, lineage: request.command.lineage ?? "", from: from, to: to,
                reversibleUntil: draft.data["reversible_until"]?.integer,
                customers: try change.changes(of: [from, to], from: position, through: position)))
    }
}
