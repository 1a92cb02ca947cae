import DaybookDomain
import DaybookEvents
import DaybookStore

/// One thing to be written, with the place where its answer goes.
///
/// A reference: it goes through many hands before it is answered.
final class WriteRequest: Sendable {
    enum Content: Sendable {
        case command(PreparedCommand)
        case reports(PreparedReports, ReportOptions)
        case publish(PreparedPublication)
        case restore(RestoreRequest)
        /// A command that moves a lineage.
        case transfer(PreparedCommand)
        /// The due resets of some aggregates.
        case tick(at: Int64?, aggregates: ArraySlice<UInt32>)
    }
    enum Answer: Sendable {
        case receipt(PendingReceipt)
        indirect case reports(ReportReceipt)
        indirect case restore(RestoreReceipt)
        indirect case transfer(TransferReceipt)
    }

    /// The customer upon whose case it is decided; `nil`: none.
    var customer: (environment: Environment, name: String)? {
        switch content {
        case .command(let command), .transfer(let command):
            (command.request.environment, command.request.subject)
        case .restore(let request): (request.environment, request.subject)
        case .reports, .publish, .tick: nil
        }
    }

    /// The command, if its customer's own case alone decides it; it closes no group then.
    var foreseeable: PreparedCommand? {
        guard case .command(let command) = content, command.request.command.restsOnCustomer else {
            return nil
        }
        return command
    }

    var isCommand: Bool {
        if case .command = content { true } else { false }
    }

    let content: Content
    let answer: @Sendable (Result<Answer, LedgerError>) -> Void

    init(content: Content, answer: @escaping @Sendable (Result<Answer, LedgerError>) -> Void) {
        self.content = content
        self.answer = answer
    }
}

/// Requests that are committed together, or as many of them as may be.
struct WriteGroup {
    let requests: [WriteRequest]
    /// The clock when they were taken while the commit before was written; `nil`: they were not.
    let takenAt: Int64?
    /// Of the first of them, where it was begun then.
    let foresight: Foresight?

    init(_ requests: [WriteRequest], takenAt: Int64? = nil, _ foresight: Foresight? = nil) {
        self.requests = requests
        self.takenAt = takenAt
        self.foresight = foresight
    }
}
