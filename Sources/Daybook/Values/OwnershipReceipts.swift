public import DaybookDomain
public import DaybookEvents

/// What one customer has, before and after lines moved or would move.
public struct CustomerChange: Sendable, Equatable {
    /// As the customer is shown.
    public var subject: String
    public var before: Holdings
    public var after: Holdings

    public struct Holdings: Sendable, Equatable {
        /// Every entitlement of the catalog, in its order.
        public var entitlements: [EntitlementAnswer]
        /// The same for each living profile, in the order of their creation.
        public var profiles: [Profile]

        public struct Profile: Sendable, Equatable {
            public var profile: String
            public var entitlements: [EntitlementAnswer]
        }
    }
}

/// What became of a restore. The same one again appends nothing and moves nothing.
public struct RestoreReceipt: Sendable, Equatable {
    /// Signed texts that were handed over.
    public var texts = 0
    public var appended = 0
    /// Facts that were there already.
    public var duplicates = 0
    public var firstPosition: Int64?
    public var lastPosition: Int64?
    /// The ledger's clock, by which everything was decided.
    public var at: Int64 = 0
    /// One for each line and each consumable, in the order in which they were handed over; empty: nothing to restore.
    public var lines: [Line] = []
    /// The customer who restores, then whoever owned one of the lines.
    public var customers: [CustomerChange] = []
    /// What could not be read or verified; kept as it came (`deadLetters`), but not of a preview.
    public var refused: [IngestReceipt.RefusedText] = []
    /// Digests of dead letters that had waited for one of the lines and were taken in with it; their events are not
    /// among `appended`.
    public var retried: [String] = []

    /// What became of one purchase.
    public struct Line: Sendable, Equatable {
        /// `apple:2000000123`.
        public var name: String
        public var product: String?
        public var outcome: RestoreOutcome
        /// Whose it was; `nil`: nobody's.
        public var ownerBefore: String?
        public var ownerAfter: String?
        /// What it gives its owner now; `nil`: nothing is known of it.
        public var source: Source?
        /// Until when the transfer can be taken back, exclusive.
        public var reversibleUntil: Int64?
    }

    public init() {}
}

/// What became of a transfer, or of one that was taken back.
public struct TransferReceipt: Sendable, Equatable {
    public var receipt: Receipt
    /// `apple:2000000123`.
    public var line: String
    public var from: String
    public var to: String
    /// Until when it can be taken back, exclusive; `nil`: it takes an earlier one back.
    public var reversibleUntil: Int64?
    /// Whoever had it, then whoever has it.
    public var customers: [CustomerChange]
}

/// A line on its way from one customer to another.
public struct TransferRequest: Sendable, Equatable {
    public enum Direction: Sendable, Equatable {
        case to(String)
        /// The latest transfer is taken back; forced also when its time is over.
        case undo(isForced: Bool)
    }
    public var environment: Environment
    /// `apple:2000000123`.
    public var line: String
    /// Whose it is; refused when it is not.
    public var from: String
    public var direction: Direction
    /// Why; needed.
    public var reason: String
    public var actor: String?
    /// The same key and body again return the first receipt (law 7). `nil`: one is given.
    public var key: String?

    public init(
        of line: String, from: String, _ direction: Direction, reason: String,
        environment: Environment = .production, actor: String? = nil, key: String? = nil
    ) {
        self.line = line
        self.from = from
        self.direction = direction
        self.reason = reason
        self.environment = environment
        self.actor = actor
        self.key = key
    }

    var command: CommandRequest {
        let command: Command =
            switch direction {
            case .to(let recipient): .transferLine(line, to: recipient)
            case .undo(let isForced): .undoTransfer(line: line, isForced: isForced)
            }
        return CommandRequest(
            command, subject: from, environment: environment, key: key, actor: actor,
            reason: reason)
    }
}
