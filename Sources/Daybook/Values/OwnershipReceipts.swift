public import DaybookDomain
public import DaybookEvents

/// What one customer has, before and after lineages moved or would move.
public struct CustomerChange: Sendable, Equatable {
    /// As the customer is shown.
    public var subject: String
    /// What the customer had before.
    public var before: Holdings
    /// What the customer has after it, at the same time.
    public var after: Holdings

    /// What a customer is entitled to.
    public struct Holdings: Sendable, Equatable {
        /// Every entitlement of the catalog, in its order.
        public var entitlements: [EntitlementAnswer]
        /// The same for each living profile, in the order of their creation.
        public var profiles: [Profile]

        /// One profile that was not deleted, with what it is entitled to.
        public struct Profile: Sendable, Equatable {
            /// The profile's id.
            public var profile: String
            /// Every entitlement of the catalog, in its order.
            public var entitlements: [EntitlementAnswer]
        }
    }
}

/// What became of a restore. The same one again appends nothing and moves nothing.
public struct RestoreReceipt: Sendable, Equatable {
    /// How many signed payloads were handed over.
    public var texts = 0
    /// Events that were appended; of a dry run those that would be.
    public var appended = 0
    /// Facts that were there already.
    public var duplicates = 0
    /// The first and the last position that were appended; `nil`: nothing was.
    public var firstPosition: Int64?
    /// The last of these positions.
    public var lastPosition: Int64?
    /// The ledger's clock, by which everything was decided.
    public var at: Int64 = 0
    /// One for each lineage and each consumable, in the order in which they were handed over; empty: nothing to
    /// restore.
    public var lineages: [Lineage] = []
    /// The customer who restores, then the customers who owned one of the lineages.
    public var customers: [CustomerChange] = []
    /// What could not be read or verified; kept as it came (`deadLetters`), but not of a dry run.
    public var refused: [IngestReceipt.RefusedText] = []
    /// Digests of dead letters that had waited for one of the lineages and were taken in with it; their events are not
    /// among `appended`.
    public var retried: [String] = []

    /// What became of one purchase.
    public struct Lineage: Sendable, Equatable {
        /// `apple:2000000123`.
        public var name: String
        /// The product's id at the store; `nil`: no payload of the lineage names one.
        public var product: String?
        /// What became of it.
        public var outcome: RestoreOutcome
        /// The owner before; `nil`: there was none.
        public var ownerBefore: String?
        /// The owner after it; `nil`: there is none, or the purchase is a consumable.
        public var ownerAfter: String?
        /// What it gives its owner now; `nil`: nothing is known of it.
        public var source: Source?
        /// Until when the transfer can be taken back, exclusive.
        public var reversibleUntil: Int64?
    }

    /// A receipt of nothing so far: all counts 0.
    public init() {}
}

/// What became of a transfer, or of one that was taken back.
public struct TransferReceipt: Sendable, Equatable {
    /// The receipt of the command that recorded it.
    public var receipt: Receipt
    /// `apple:2000000123`.
    public var lineage: String
    /// The customer who gives the lineage away, by the id that the event names.
    public var from: String
    /// The customer who receives it, by the id that the event names.
    public var to: String
    /// Until when it can be taken back, exclusive; `nil`: it takes an earlier one back.
    public var reversibleUntil: Int64?
    /// The former owner, then the new one.
    public var customers: [CustomerChange]
}

/// A request to move a lineage from one customer to another, or back.
public struct TransferRequest: Sendable, Equatable {
    /// Whether the lineage is to move on or back.
    public enum Direction: Sendable, Equatable {
        case to(String)
        /// The latest transfer is taken back; forced also when its time is over.
        case undo(isForced: Bool)
    }
    /// The environment of the lineage and its customers.
    public var environment: Environment
    /// `apple:2000000123`.
    public var lineage: String
    /// The owner; the request is refused when another customer owns it.
    public var from: String
    /// Where it is to go.
    public var direction: Direction
    /// Why; needed.
    public var reason: String
    /// Who asks for it; `nil`: none is named.
    public var actor: String?
    /// The same request with the same key again returns the first receipt (law 7). `nil`: the ledger gives one.
    public var key: String?

    /// Creates a request; owner, recipient and reason are checked when it is decided.
    public init(
        of lineage: String, from: String, _ direction: Direction, reason: String,
        environment: Environment = .production, actor: String? = nil, key: String? = nil
    ) {
        self.lineage = lineage
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
            case .to(let recipient): .transferLineage(lineage, to: recipient)
            case .undo(let isForced): .undoTransfer(lineage: lineage, isForced: isForced)
            }
        return CommandRequest(
            command, subject: from, environment: environment, key: key, actor: actor,
            reason: reason)
    }
}
