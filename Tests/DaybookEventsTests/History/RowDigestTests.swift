import Crypto
import DaybookEvents
import Testing

/// The digest of a row beside one that is put together byte by byte, as the head of `RowDigest.swift` says.
@Suite("Digests of rows")
struct RowDigestTests {
    private static let secret = LedgerSecret.ofMemory
    private static let stream = StreamName(.sandbox, .lineage, "apple:2000000123456789")

    private func little(_ number: some FixedWidthInteger) -> [UInt8] {
        (0..<number.bitWidth / 8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }

    private func text(_ text: String?) -> [UInt8] {
        text.map { little(UInt32($0.utf8.count)) + Array($0.utf8) } ?? [0xFF, 0xFF, 0xFF, 0xFF]
    }

    private func expected(_ row: EventRow, _ names: RowDigest.Names) -> [UInt8] {
        let name = Self.stream.name
        let blinded: [UInt8] = [Self.stream.environment.rawValue, Self.stream.kind.rawValue]
        let blinding = (blinded + Array(name.utf8)).withUnsafeBytes {
            SipHash.hash128(Self.secret.blindingKey, $0)
        }
        var texts: [UInt8] = [0x11] + little(blinding.low) + little(blinding.high)
        for own in [name, names.source, row.key, names.customer, names.profile] {
            texts += text(own)
        }
        for own in [names.nameA, names.nameB, names.nameC, row.reference, row.rest] {
            texts += text(own)
        }
        let event = row.event
        var structure: [UInt8] = [0x10] + blinded
        structure += little(event.typeCode) + little(row.schemaVersion) + [event.trustCode]
        structure += little(event.flags)
        for number in [
            event.occurredAt, event.signedAt, event.sequence, event.amount, event.money,
            event.timeA, event.timeB, event.timeC, row.requestDigest,
        ] {
            structure += little(number)
        }
        return Array(SHA256.hash(data: structure + Array(SHA256.hash(data: texts))))
    }

    private func row(_ key: String, _ reference: String?, _ rest: String?) -> EventRow {
        var event = Event()
        event.typeCode = EventType.purchaseCompleted.rawValue
        (event.occurredAt, event.signedAt, event.sequence) = (1_767_225_600_000, -5, 7)
        (event.amount, event.timeB) = (Event.absent, Int64.max)
        (event.trustCode, event.flags) = (3, 0x8001)
        return EventRow(
            event: event, key: key, reference: reference, schemaVersion: 2,
            requestDigest: Int64.min + 9, rest: rest)
    }

    @Test(
        "Is that of the bytes that are documented, for texts of every length and none",
        arguments: [0, 1, 3, 8, 15, 16, 17, 31, 32, 33, 63, 64, 700, 1_024, 70_000])
    func documented(_ count: Int) {
        let long = String(repeating: "é", count: count / 2) + (count % 2 == 1 ? "x" : "")
        var names = RowDigest.Names()
        (names.source, names.customer, names.nameC) = ("apple_asn_v2", long, "EUR")
        let digest = RowDigest(Self.secret)
        for (reference, rest) in [(nil, nil), ("", nil), (long, "{}"), ("r", long)]
            as [(String?, String?)]
        {
            let row = row(long + "k", reference, rest)
            #expect(digest.of(row, names, in: Self.stream).bytes == expected(row, names))
        }
    }
}
