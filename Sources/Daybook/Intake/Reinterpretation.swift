public import DaybookEvents

/// Which payloads are read again, and what becomes of the differences.
public struct ReinterpretOptions: Sendable, Equatable {
    /// `nil`: all of them.
    public var environment: Environment?
    /// Only payloads that were taken in at this time or later.
    public var since: Int64?
    /// Only payloads with an event of this customer: one that names the customer, or one of a lineage that does.
    public var subject: String?
    /// Only payloads with an event that was recorded as this type.
    public var type: EventTypeName?
    /// Record the differences as corrections; else nothing is written.
    public var isApplied = false
    /// Stand in every correction.
    public var reason = "read again by other code"
    public var ticket = "reinterpret"
    public var actor = "daybook"
    /// How many differences and unreadable payloads are listed; the counts are complete.
    public var listCountMax = 1_000

    public init() {}
}

/// An event that another reading of its payload would not leave as it is.
public struct ReinterpretedEvent: Sendable, Equatable {
    public enum Change: String, Sendable, CaseIterable {
        /// Fields of it are replaced: `correction.amended`.
        case amended
        /// It is voided, and another one takes its place under a key of its own. So it is for what is signed (rule 20),
        /// and for what no amendment may change.
        case replaced
        /// The payload does not say it any more: `correction.voided`.
        case voided
        /// The payload says more than was recorded.
        case added
    }
    /// A field that differs, `data.product` or `occurred_at`; `nil` where there is none.
    public struct Field: Sendable, Equatable {
        public var name: String
        public var recorded: JSONValue?
        public var now: JSONValue?

        public init(name: String, recorded: JSONValue?, now: JSONValue?) {
            self.name = name
            self.recorded = recorded
            self.now = now
        }
    }

    public var change: Change
    /// Lower-case hexadecimal SHA-256 of the payload.
    public var sha256: String
    public var environment: Environment
    public var source: String
    /// Of the event as it counts now; of one that is added, its own.
    public var key: String
    /// `nil` for one that is added.
    public var position: Int64?
    /// The type as recorded, and of one that is added its own.
    public var type: EventTypeName
    public var subject: String?
    /// The key of the event that takes its place or is added.
    public var newKey: String?
    /// In the order of their names; all of them for what is added, none for what is voided.
    public var fields: [Field]
}

/// What came of reading the payloads again.
public struct ReinterpretationReport: Sendable, Equatable {
    /// A payload that could not be read again, or whose corrections the ledger cannot take; its events stay as they
    /// are.
    public struct Unreadable: Sendable, Equatable {
        public var sha256: String
        /// The first event that was read from it.
        public var position: Int64
        public var reason: String
    }

    /// Payloads that were read again.
    public var payloads = 0
    /// Their recorded events.
    public var events = 0
    public var changes: [ReinterpretedEvent.Change: Int] = [:]
    /// At most `listCountMax`, in the order of the ledger.
    public var differences: [ReinterpretedEvent] = []
    public var unreadableCount = 0
    public var unreadable: [Unreadable] = []
    /// Events that a person voided, or whose reinterpretation a person voided: they are left as they are.
    public var settled = 0
    /// Events from elsewhere whose payload is not in the ledger, by source: nothing of them can be read again.
    public var withoutPayload: [String: Int] = [:]
    /// Events that were appended: corrections and what takes the place of others.
    public var appended = 0
    public var firstPosition: Int64?
    public var lastPosition: Int64?

    public var differenceCount: Int { changes.values.reduce(0, +) }

    public init() {}
}

/// How far reading again is.
public struct ReinterpretProgress: Sendable, Equatable {
    /// Events of the ledger that were looked at.
    public var events: Int64
    public var total: Int64
    public var payloads: Int
    public var differences: Int
}
