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

/// Works out the digests of rows.
public struct RowDigest: Sendable {
    private static let structureByteCount = 114
    /// What stands before the first text.
    private static let blindingByteCount = 17
    /// What stands before each text.
    private static let countByteCount = 4
    private static let textCount = 10
    private static let absentCount = UInt32.max

    private let secret: LedgerSecret

    /// Takes the secret of the ledger, under which texts are hidden; another one gives other digests.
    public init(_ secret: LedgerSecret) { self.secret = secret }

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
    public func of(_ row: EventRow, _ names: Names, in stream: StreamName) -> HistoryHash {
        let texts = texts(row.key, row.reference, row.rest, names, stream)
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

    private func texts(
        _ key: String, _ reference: String?, _ rest: String?, _ names: Names, _ stream: StreamName
    ) -> HistoryHash {
        let utf8Count =
            stream.name.utf8.count + names.source.utf8.count + key.utf8.count
            + names.customer.utf8.count + names.profile.utf8.count + names.nameA.utf8.count
            + names.nameB.utf8.count + names.nameC.utf8.count + (reference?.utf8.count ?? 0)
            + (rest?.utf8.count ?? 0)
        let byteCount =
            Self.blindingByteCount + Self.textCount * Self.countByteCount + utf8Count
        return withUnsafeTemporaryAllocation(byteCount: byteCount, alignment: 1) { bytes in
            // What the blinding is made of lies where the texts will.
            bytes[0] = stream.environment.rawValue
            bytes[1] = stream.kind.rawValue
            let end = Self.put(stream.name, bytes, at: 2)
            let blinding = SipHash.hash128(
                secret.blindingKey, UnsafeRawBufferPointer(rebasing: bytes[..<end]))
            bytes[0] = 0x11
            bytes.storeBytes(of: blinding.low.littleEndian, toByteOffset: 1, as: UInt64.self)
            bytes.storeBytes(of: blinding.high.littleEndian, toByteOffset: 9, as: UInt64.self)
            var offset = Self.blindingByteCount
            Self.append(stream.name, bytes, &offset)
            Self.append(names.source, bytes, &offset)
            Self.append(key, bytes, &offset)
            Self.append(names.customer, bytes, &offset)
            Self.append(names.profile, bytes, &offset)
            Self.append(names.nameA, bytes, &offset)
            Self.append(names.nameB, bytes, &offset)
            Self.append(names.nameC, bytes, &offset)
            Self.append(reference, bytes, &offset)
            Self.append(rest, bytes, &offset)
            precondition(offset == byteCount, "a text of the row has another length than it had")
            return HistoryHash(of: UnsafeRawBufferPointer(bytes))
        }
    }

    /// Writes a text with its count.
    private static func append(
        _ text: String?, _ bytes: UnsafeMutableRawBufferPointer, _ offset: inout Int
    ) {
        let start = offset + countByteCount
        var count = absentCount
        if let text {
            offset = put(text, bytes, at: start)
            count = UInt32(offset - start)
        } else {
            offset = start
        }
        bytes.storeBytes(
            of: count.littleEndian, toByteOffset: start - countByteCount, as: UInt32.self)
    }

    /// Writes a text; returns where it ends.
    private static func put(
        _ text: String, _ bytes: UnsafeMutableRawBufferPointer, at offset: Int
    ) -> Int {
        var text = text
        return text.withUTF8 { utf8 in
            bytes.copy(utf8, at: offset)
            return offset + utf8.count
        }
    }
}
