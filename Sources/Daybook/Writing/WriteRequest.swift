public import DaybookDomain
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
        case tick(at: Int64?, units: ArraySlice<UInt32>)
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

/// How reports are taken in.
public struct ReportOptions: Sendable, Equatable {
    /// Keep the `recorded_at` that each event carries (rule 28).
    public var isAsRecorded = false
    /// The line of each event in its file, in the order of the events, for messages; 1-based. Events beyond the last
    /// one have no line.
    public var lines: [Int] = []
    /// Also compute what the events changed about the past, after the commit (rule 24).
    public var isRestating = false
    /// Refuse new events with something that this does not know; `nil`: keep them.
    package var names: UnknownNames?

    public init(isAsRecorded: Bool = false, lines: [Int] = [], isRestating: Bool = false) {
        self.isAsRecorded = isAsRecorded
        self.lines = lines
        self.isRestating = isRestating
    }
}

/// A catalog on its way into the ledger.
public struct CatalogPublication: Sendable {
    public var document: [UInt8]
    public var scope: CatalogScope
    /// `nil`: now.
    public var effectiveAt: Int64?
    /// Allows an effective time in the past.
    public var isRetroactive: Bool
    /// An older version takes effect again instead of a document.
    public var rollBackTo: Int64?
    public var actor: String?

    public init(
        document: [UInt8] = [], scope: CatalogScope = .all, effectiveAt: Int64? = nil,
        isRetroactive: Bool = false, rollBackTo: Int64? = nil, actor: String? = nil
    ) {
        self.document = document
        self.scope = scope
        self.effectiveAt = effectiveAt
        self.isRetroactive = isRetroactive
        self.rollBackTo = rollBackTo
        self.actor = actor
    }
}
