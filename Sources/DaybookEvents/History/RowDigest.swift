// The digest of a row: SHA-256 over what its event says, in two levels, so that a row whose texts are erased one day
// still proves the rest of the history.
//
// structure, 114 bytes, little-endian:
//   offset  size  field
//        0     1  0x10
//        1     1  environment of the stream
//        2     1  kind of the stream
//        3     2  type, the number that stands in the file; 0 for one that the writing build did not know
//        5     2  v
//        7     1  trust
//        8     2  flags
//       10     8  occurred_at, then each 8: signed_at, sequence, amount, money, time_a, time_b, time_c, request;
//                 a number that is absent is -2^63
//       82    32  SHA-256 of the texts
//
// texts:
//        0     1  0x11
//        1    16  blinding: SipHash-2-4-128 under the ledger's secret of the stream's environment (1), kind (1)
//                 and name
//       17     …  stream's name, source, key, party, profile, name_a, name_b, name_c, ref, rest: each as its byte
//                 count (4, 2^32 - 1 for a ref or rest that is not there) and its UTF-8
//
// Neither numbers of names and streams nor version, previous and recorded_at are in it: the first follow from the texts
// and from the order of rows, the last is added where rows are strung together (`HistoryCursor`).

/// Works out the digests of rows; keeps the memory for their bytes.
public struct RowDigest: Sendable {
    private static let structureByteCount = 114
    private static let absentCount = UInt32.max

    private let secret: LedgerSecret
    /// Kept from row to row; most rows fit into what is reserved.
    private var bytes: [UInt8] = []

    /// Takes the secret of the ledger, under which texts are hidden; another one gives other digests.
    public init(_ secret: LedgerSecret) {
        self.secret = secret
        bytes.reserveCapacity(512)
    }

    /// The names of a row as texts; "" where there is none.
    public struct Names: Sendable {
        /// The kind of the source.
        public var source = ""
        /// The subject, else the customer that the app named to the store.
        public var customer = ""
        /// The profile that stands in the column: of the data where the type has it there, else of the envelope.
        public var profile = ""
        /// The text of `Event.nameA`.
        public var nameA = ""
        /// The text of `Event.nameB`.
        public var nameB = ""
        /// The text of `Event.nameC`.
        public var nameC = ""

        /// Creates names that are all empty.
        public init() {}

        /// Looks up the names of an event.
        public init(_ event: Event, _ text: (NameID) throws -> String) rethrows {
            source = try text(event.source)
            customer = try text(event.customer)
            profile = try text(event.profile)
            nameA = try text(event.nameA)
            nameB = try text(event.nameB)
            nameC = try text(event.nameC)
        }
    }

    /// The digest of a row in a stream.
    public mutating func of(_ row: EventRow, _ names: Names, in stream: StreamName) -> HistoryHash {
        let texts = texts(row, names, stream)
        let event = row.event
        return withUnsafeTemporaryAllocation(
            byteCount: Self.structureByteCount, alignment: 1
        ) { bytes in
            // Invariant: the offsets are those at the head of this file, and end at `structureByteCount`.
            func store<Number: FixedWidthInteger>(_ number: Number, at offset: Int) {
                bytes.storeBytes(of: number.littleEndian, toByteOffset: offset, as: Number.self)
            }
            store(UInt8(0x10), at: 0)
            store(stream.environment.rawValue, at: 1)
            store(stream.kind.rawValue, at: 2)
            store(event.typeCode, at: 3)
            store(row.schemaVersion, at: 5)
            store(event.trustCode, at: 7)
            store(event.flags, at: 8)
            store(event.occurredAt, at: 10)
            store(event.signedAt, at: 18)
            store(event.sequence, at: 26)
            store(event.amount, at: 34)
            store(event.money, at: 42)
            store(event.timeA, at: 50)
            store(event.timeB, at: 58)
            store(event.timeC, at: 66)
            store(row.requestDigest, at: 74)
            texts.withBytes {
                UnsafeMutableRawBufferPointer(rebasing: bytes[82...]).copyMemory(from: $0)
            }
            return HistoryHash(of: UnsafeRawBufferPointer(bytes))
        }
    }

    private mutating func texts(
        _ row: EventRow, _ names: Names, _ stream: StreamName
    ) -> HistoryHash {
        bytes.removeAll(keepingCapacity: true)
        bytes.append(stream.environment.rawValue)
        bytes.append(stream.kind.rawValue)
        bytes.append(contentsOf: stream.name.utf8)
        let blinding = bytes.withUnsafeBytes { SipHash.hash128(secret.blindingKey, $0) }
        bytes.removeAll(keepingCapacity: true)
        bytes.append(0x11)
        append(blinding.low)
        append(blinding.high)
        append(stream.name)
        append(names.source)
        append(row.key)
        append(names.customer)
        append(names.profile)
        append(names.nameA)
        append(names.nameB)
        append(names.nameC)
        append(row.reference)
        append(row.rest)
        return HistoryHash(of: bytes)
    }

    private mutating func append(_ number: some FixedWidthInteger) {
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }

    private mutating func append(_ text: String?) {
        guard var text else { return append(Self.absentCount) }
        text.withUTF8 { utf8 in
            append(UInt32(utf8.count))
            bytes.append(contentsOf: utf8)
        }
    }
}
