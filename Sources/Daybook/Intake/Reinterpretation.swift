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
    /// The ticket that every correction names.
    public var ticket = "reinterpret"
    /// The actor whom every correction names.
    public var actor = "daybook"
    /// How many differences and unreadable payloads are listed; the counts are complete.
    public var listCountMax = 1_000

    /// Reads every payload again and writes nothing.
    public init() {}
}

/// An event that another reading of its payload would not leave as it is.
public struct ReinterpretedEvent: Sendable, Equatable {
    /// What becomes of the event; each raw value is the word in JSON.
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
        /// The path of the field in the event.
        public var name: String
        /// The value as it counts now, corrections included; `nil`: it has none.
        public var recorded: JSONValue?
        /// The value by the other reading; `nil`: it gives none.
        public var now: JSONValue?

        /// Creates a difference; the two values are not compared.
        public init(name: String, recorded: JSONValue?, now: JSONValue?) {
            self.name = name
            self.recorded = recorded
            self.now = now
        }
    }

    /// What becomes of the event.
    public var change: Change
    /// Lower-case hexadecimal SHA-256 of the payload.
    public var sha256: String
    /// The environment of the payload and of its events.
    public var environment: Environment
    /// The source kind of the payload's events, such as `apple_asn_v2`.
    public var source: String
    /// Of the event as it counts now; of one that is added, its own.
    public var key: String
    /// `nil` for one that is added.
    public var position: Int64?
    /// The type as recorded, and of one that is added its own.
    public var type: EventTypeName
    /// The customer whom the event names, as recorded; of one that is added its own. `nil`: it names none.
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
        /// Lower-case hexadecimal SHA-256 of the payload.
        public var sha256: String
        /// The first event that was read from it.
        public var position: Int64
        /// Why it could not be read, or why the ledger could not take its corrections.
        public var reason: String
    }

    /// Payloads that were read again.
    public var payloads = 0
    /// Their recorded events.
    public var events = 0
    /// How many differences there are of each kind, complete; a kind without any has no entry.
    public var changes: [ReinterpretedEvent.Change: Int] = [:]
    /// At most `listCountMax`, in the order of the ledger.
    public var differences: [ReinterpretedEvent] = []
    /// How many payloads are unreadable, complete.
    public var unreadableCount = 0
    /// At most `listCountMax`, in the order of the ledger.
    public var unreadable: [Unreadable] = []
    /// Events that a person voided, or whose reinterpretation a person voided: they are left as they are.
    public var settled = 0
    /// Events from elsewhere whose payload is not in the ledger, by source: nothing of them can be read again.
    public var withoutPayload: [String: Int] = [:]
    /// Events that were appended: corrections and what takes the place of others.
    public var appended = 0
    /// The first position that was appended; `nil`: nothing was.
    public var firstPosition: Int64?
    /// The last position that was appended; `nil`: nothing was.
    public var lastPosition: Int64?

    /// How many differences there are of all kinds, also those that are not listed.
    public var differenceCount: Int { changes.values.reduce(0, +) }

    /// A report of nothing so far: all counts 0.
    public init() {}
}

/// How far reading again is.
public struct ReinterpretProgress: Sendable, Equatable {
    /// Events of the ledger that were looked at.
    public var events: Int64
    /// The head of the ledger when the run began.
    public var total: Int64
    /// Payloads that were read again so far.
    public var payloads: Int
    /// Differences that were found so far, also those that are not listed.
    public var differences: Int
}
