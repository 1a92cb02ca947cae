public import DaybookEvents
public import DaybookStore

/// Makes batches as a ledger would: names and streams numbered without gaps, each stream's rows
/// chained.
///
/// ```swift
/// var builder = BatchBuilder()
/// let ada = builder.stream("ada")
/// let batch = builder.batch([builder.row(in: ada, key: "k1")], recordedAt: 1_700_000_000_000)
/// try store.exclusively { try $0.append(batch) }
/// ```
public struct BatchBuilder: Sendable {
    /// Every name so far.
    public private(set) var names = NameTable()
    /// Every stream so far; number *n* stands at index *n* - 1.
    public private(set) var streams: [StreamRecord] = []
    /// The last position that was given; 0 before the first.
    public private(set) var head: Int64 = 0
    /// The last row of each stream, in the order of `streams`; zeros before the first.
    public private(set) var heads: [(position: Int64, version: Int64)] = []
    private var batchedNameCount = 0
    private var batchedStreamCount = 0

    /// Starts at an empty store.
    public init() {}

    /// Gives a new stream the next number.
    public mutating func stream(
        _ name: String, _ environment: Environment = .production, _ kind: StreamKind = .customer
    ) -> UInt32 {
        let id = UInt32(streams.count + 1)
        streams.append(
            StreamRecord(id: id, environment: environment, kind: kind, name: names.intern(name)))
        heads.append((0, 0))
        return id
    }

    /// Gives a text its number.
    public mutating func name(_ text: String) -> NameID { names.intern(text) }

    /// A plain row without a place.
    public func row(in stream: UInt32, key: String, reference: String? = nil) -> EventRow {
        var event = Event()
        event.stream = stream
        event.key = Reference(key)
        event.reference = reference.map { Reference($0) } ?? .none
        event.occurredAt = 1_700_000_000_000
        event.signedAt = event.occurredAt
        event.typeCode = EventType.usageRecorded.rawValue
        event.trustCode = Trust.verified.rawValue
        return EventRow(
            event: event, key: key, reference: reference, schemaVersion: 1, rest: nil)
    }

    /// Gives rows their positions, versions and predecessors.
    /// - Parameters:
    ///   - rows: In the order of their positions; of streams and names that this builder numbered.
    ///   - recordedAt: The time of the whole commit, in milliseconds since 1970 UTC.
    ///   - documents: What the rows name by digest, as far as the store does not have it.
    ///   - secret: Of the ledger, for the rows' digests; without it the store works them out.
    public mutating func batch(
        _ rows: [EventRow], recordedAt: Int64, documents: [StoredDocument] = [],
        secret: LedgerSecret? = nil
    ) -> AppendBatch {
        let expectedHead = head
        let nameCount = batchedNameCount
        let placed = rows.map { place($0, recordedAt: recordedAt) }
        defer {
            batchedNameCount = names.count
            batchedStreamCount = streams.count
        }
        return AppendBatch(
            expectedHead: expectedHead, nameCount: nameCount,
            names: names.texts(after: nameCount),
            streams: Array(streams[batchedStreamCount...]), rows: placed,
            digests: secret.map { digests(placed, $0) } ?? [], documents: documents)
    }

    private func digests(_ rows: [EventRow], _ secret: LedgerSecret) -> [HistoryHash] {
        let digest = RowDigest(secret)
        return rows.map { row in
            let stream = streams[Int(row.event.stream) - 1]
            return digest.of(
                row, RowDigest.Names(row.event) { names[$0] },
                in: StreamName(stream.environment, stream.kind, names[stream.name]))
        }
    }

    private mutating func place(_ row: EventRow, recordedAt: Int64) -> EventRow {
        head += 1
        let index = Int(row.event.stream) - 1
        var row = row
        row.event.position = head
        row.previous = heads[index].position
        row.streamVersion = heads[index].version + 1
        row.recordedAt = recordedAt
        heads[index] = (head, row.streamVersion)
        return row
    }
}
