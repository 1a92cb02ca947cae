import DaybookDomain
import DaybookEvents
import DaybookStore

/// One thing that wants to be written, with the place where its answer goes.
struct WriteRequest: Sendable {
    enum Content: Sendable {
        case command(PreparedCommand)
        case reports(PreparedReports, ReportOptions)
        case publish(PreparedPublication)
        case restore(RestoreRequest)
        /// A command that moves a line.
        case transfer(PreparedCommand)
        /// The due resets of some units.
        case tick(at: Int64?, aggregates: ArraySlice<UInt32>)
    }
    enum Answer: Sendable {
        case receipt(Receipt)
        case reports(ReportReceipt)
        case restore(RestoreReceipt)
        case transfer(TransferReceipt)
    }

    /// Upon whose case it is decided; `nil`: upon nobody's.
    var customer: (environment: Environment, name: String)? {
        switch content {
        case .command(let command), .transfer(let command):
            (command.request.environment, command.request.subject)
        case .restore(let request): (request.environment, request.subject)
        case .reports, .publish, .tick: nil
        }
    }

    var content: Content
    var answer: @Sendable (Result<Answer, LedgerError>) -> Void
}

/// Facts that somebody else established, on their way into the ledger.
enum Reports: Sendable {
    /// As they came.
    case drafts([EventDraft])
    /// Checked before; only whether their keys are still free is asked again.
    case checked([CheckedReport])

    var count: Int {
        switch self {
        case .drafts(let drafts): drafts.count
        case .checked(let reports): reports.count
        }
    }
}
