public import DaybookEvents

/// A place in a store up to which something was read.
public struct Checkpoint: Sendable, Hashable, Comparable {
    /// The last position that was read; 0: none. A range may end far beyond the last event, at `Int64.max`.
    public let position: Int64

    /// After the event at a position.
    public init(position: Int64) { self.position = position }

    /// Before the first event.
    public static let start = Checkpoint(position: 0)

    /// Whether the left checkpoint has the lower position.
    public static func < (left: Checkpoint, right: Checkpoint) -> Bool {
        left.position < right.position
    }
}

/// What a ledger file says about itself.
public struct StoreHeader: Sendable, Equatable {
    /// The app whose events these are; one ledger is one app.
    public var app: String
    /// Random, given at `init`: snapshots of another ledger are recognised by it.
    public var ledgerID: String
    /// The version of the file's tables, from 1 on.
    public var schemaVersion: Int
    /// Given at `init`, and in no answer of the ledger.
    public var secret: LedgerSecret

    /// Creates a header; nothing is checked.
    public init(app: String, ledgerID: String, schemaVersion: Int, secret: LedgerSecret) {
        self.app = app
        self.ledgerID = ledgerID
        self.schemaVersion = schemaVersion
        self.secret = secret
    }
}

/// A stream by number.
public struct StreamRecord: Sendable, Equatable {
    /// 1-based, without gaps, in order of first use.
    public var id: UInt32
    /// Part of the stream's identity (rule 9).
    public var environment: Environment
    /// Whether it is the stream of a customer, of a lineage or of the ledger.
    public var kind: StreamKind
    /// The number of the stream's name.
    public var name: NameID

    /// Creates a record; nothing is checked.
    public init(id: UInt32, environment: Environment, kind: StreamKind, name: NameID) {
        self.id = id
        self.environment = environment
        self.kind = kind
        self.name = name
    }
}

/// What one commit adds: wholly there or wholly absent.
public struct AppendBatch: Sendable {
    /// The head that the batch was decided upon.
    public var expectedHead: Int64
    /// The history that it was decided upon; `nil`: whatever the store has up to `expectedHead`.
    public var expectedHistory: HistoryHash?
    /// How many names the store has before this batch; `names` follow them.
    public var nameCount: Int
    /// New names, in the order of their numbers.
    public var names: [String]
    /// New streams, in the order of their numbers, which follow the last one of the store.
    public var streams: [StreamRecord]
    /// In position order, from `expectedHead + 1` on. `recordedAt` never falls; it is one for the whole batch, unless
    /// an import keeps the times of its file (rule 28).
    public var rows: [EventRow]
    /// Of each row, worked out by the caller (`RowDigest`); empty: by the store.
    public var digests: [HistoryHash]
    /// Documents by lower-case hexadecimal SHA-256.
    public var documents: [StoredDocument]

    /// - Parameter digests: As many as rows, or none.
    public init(
        expectedHead: Int64, expectedHistory: HistoryHash? = nil, nameCount: Int, names: [String],
        streams: [StreamRecord], rows: [EventRow], digests: [HistoryHash] = [],
        documents: [StoredDocument]
    ) {
        precondition(
            digests.isEmpty || digests.count == rows.count, "a digest for each row, or none")
        self.expectedHead = expectedHead
        self.expectedHistory = expectedHistory
        self.nameCount = nameCount
        self.names = names
        self.streams = streams
        self.rows = rows
        self.digests = digests
        self.documents = documents
    }
}

/// Bytes that events name by their digest, such as a catalog, a frozen report or a payload.
public struct StoredDocument: Sendable, Equatable {
    /// 64 lower-case hexadecimal digits.
    public var sha256: String
    /// The document as it came.
    public var bytes: [UInt8]
    /// Creates a document; that the digest fits the bytes is not checked.
    public init(sha256: String, bytes: [UInt8]) {
        self.sha256 = sha256
        self.bytes = bytes
    }
}

/// One fact about a store, for people.
public struct StoreProperty: Sendable, Equatable {
    /// The label of the value, such as `SQLite version`.
    public var name: String
    /// The value as it is shown.
    public var value: String
    /// Creates a property; the texts are taken as they are.
    public init(name: String, value: String) {
        self.name = name
        self.value = value
    }
}

/// The last event of a store.
public struct StoreHead: Sendable, Equatable {
    /// 0 in an empty store.
    public var position: Int64
    /// 0 in an empty store.
    public var recordedAt: Int64

    /// Creates a head; nothing is checked.
    public init(position: Int64, recordedAt: Int64) {
        self.position = position
        self.recordedAt = recordedAt
    }

    /// The place after the last event.
    public var checkpoint: Checkpoint { Checkpoint(position: position) }
}

/// The last event of a store, and the name of everything up to it, as they were at one moment.
public struct StoreEnd: Sendable, Equatable {
    /// The last event.
    public var head: StoreHead
    /// The name of everything up to the last event.
    public var history: HistoryPoint

    /// Creates an end; that the two fit is not checked.
    public init(head: StoreHead, history: HistoryPoint) {
        self.head = head
        self.history = history
    }
}

/// Remembers events: append-only, in one total order, whole batches at a time.
///
/// What every store must do is written as the contract suite in `DaybookTesting`.
public protocol EventStore: Sendable {
    /// What the store says about the ledger, as it was when the store was made or opened.
    var header: StoreHeader { get }
    /// `FULL`, `NORMAL`, `memory`: what an acknowledgement is worth (law 5).
    var durability: String { get }

    /// What a person who looks into a problem wants to know: versions, options, sizes.
    var properties: [StoreProperty] { get }

    /// The last event; position and time are 0 in an empty store.
    func head() throws -> StoreHead
    /// The head with the name of its history.
    func end() throws -> StoreEnd

    /// The name of the history up to a position; `nil` beyond the end.
    /// - Parameters:
    ///   - names: How many of the names it covers; `nil`: as many as its mark has, at every `HistoryCursor.markCount`
    ///     positions, else all that the store has now.
    ///   - streams: The same for streams.
    func point(at position: Int64, names: Int64?, streams: Int64?) throws -> HistoryPoint?

    /// Whether the store's own history has this one for its beginning.
    /// - Complexity: A mark, or the leaves since the last one and the rows of one block (`HistoryCursor`).
    func confirms(_ point: HistoryPoint) throws -> Bool

    /// Names with numbers above `count`, in order.
    func names(after count: Int) throws -> [String]
    /// Streams with numbers above `id`, in order.
    func streams(after id: UInt32) throws -> [StreamRecord]

    /// Hands out events in position order, in chunks of at most `chunkCount`; a slot that no version of an event's type
    /// uses may be left empty (`Event.withoutUnusedSlots`).
    /// - Parameters:
    ///   - start: Exclusive.
    ///   - end: Inclusive.
    func scan(
        after start: Checkpoint, through end: Checkpoint, chunkCount: Int,
        _ body: (borrowing [Event]) throws -> Void) throws

    /// Whole rows of a range, in position order, in chunks.
    func scanRows(
        after start: Checkpoint, through end: Checkpoint, chunkCount: Int,
        _ body: ([EventRow]) throws -> Void) throws

    /// The rows at these positions, in the given order; unknown positions are left out.
    func rows(at positions: [Int64]) throws -> [EventRow]

    /// A stream's rows, newest first, from the one at `position` back along `previous`.
    func stream(endingAt position: Int64) throws -> [EventRow]

    /// Hot events with the position of the event before each in its stream, 0 for the first; else as `scan`.
    func scanLinks(
        after start: Checkpoint, through end: Checkpoint, chunkCount: Int,
        _ body: (borrowing [Event], borrowing [Int64]) throws -> Void) throws

    /// The hot events of some streams, in their order: of each newest first, from the one at its position back to the
    /// last above `floor`.
    func chains(endingAt positions: [Int64], above floor: Int64) throws -> [EventChain]

    /// The last position that was recorded at or before a time; 0 if none was (rule 5).
    func position(recordedAtOrBefore instant: Int64) throws -> Int64

    /// The bytes of a document by its SHA-256 in lower-case hexadecimal; `nil` when it is not there.
    func document(sha256: String) throws -> [UInt8]?

    /// A number that changes when another process committed.
    func foreignChangeCounter() throws -> Int64

    /// Runs the body while no other process or connection can append.
    @discardableResult
    func exclusively<Result>(_ body: (any StoreWriter) throws -> Result) throws -> Result

    /// Everything that the store can check about itself without changing anything.
    func findings() throws -> [String]

    /// Gives back what the store holds open; what was appended stays.
    func close() throws
}

extension EventStore {
    /// The name of the history up to a position, with the names and streams that its mark has, or with all.
    public func point(at position: Int64) throws -> HistoryPoint? {
        try point(at: position, names: nil, streams: nil)
    }

    /// An empty list, for stores that have nothing to tell.
    public var properties: [StoreProperty] { [] }

    /// By way of whole rows.
    public func scan(
        after start: Checkpoint, through end: Checkpoint, chunkCount: Int,
        _ body: (borrowing [Event]) throws -> Void
    ) throws {
        try scanRows(after: start, through: end, chunkCount: chunkCount) { rows in
            try body(rows.map(\.event))
        }
    }

    /// By way of whole rows.
    public func scanLinks(
        after start: Checkpoint, through end: Checkpoint, chunkCount: Int,
        _ body: (borrowing [Event], borrowing [Int64]) throws -> Void
    ) throws {
        try scanRows(after: start, through: end, chunkCount: chunkCount) { rows in
            try body(rows.map(\.event), rows.map(\.previous))
        }
    }

    /// By way of whole rows.
    public func chains(endingAt positions: [Int64], above floor: Int64) throws -> [EventChain] {
        try positions.map { position in
            var chain = EventChain(events: [], next: position)
            for row in try stream(endingAt: position) where row.event.position > floor {
                chain.events.append(row.event)
                chain.next = row.previous
            }
            return chain
        }
    }

    /// A stream's hot events, newest first, from the one at `position` back to the last above `floor`.
    public func chain(endingAt position: Int64, above floor: Int64) throws -> EventChain {
        try chains(endingAt: [position], above: floor)[0]
    }
}

/// Part of a stream's events, newest first.
public struct EventChain: Sendable {
    /// The events, newest first.
    public var events: [Event]
    /// Where the event before them stands; 0: there is none.
    public var next: Int64

    /// Creates a chain; nothing is checked.
    public init(events: [Event], next: Int64) {
        self.events = events
        self.next = next
    }
}

/// The right to append, held while `exclusively` runs.
public protocol StoreWriter {
    /// Makes a batch durable; throws and leaves nothing behind otherwise.
    /// - Returns: The name of the history with it.
    @discardableResult
    func append(_ batch: AppendBatch) throws -> HistoryPoint
}
