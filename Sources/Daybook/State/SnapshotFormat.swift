import DaybookDomain
import DaybookEvents
import DaybookStore

/// The sections of a snapshot, in the container of derived files: what must be known of a ledger at a cut before a
/// customer's events can be found. What the events mean is folded from them when it is asked for.
///
/// ```
/// names      16  offset of the text (8), its byte count (4), first stream of this name (4, 0 none)
/// texts       1  the names' UTF-8, one after the other
/// slots       4  hash table of the names: a number, 0 free; a power of two of them, at most half full; a name
///                stands at its hash or at the first free slot behind
/// streams    32  last position (8), version (8), name (4), aggregate (4), next stream of the same name (4, 0 none),
///                environment (1), kind (1), zero (2)
/// members     8  of aggregates with several streams: aggregate (4), stream (4); ascending
/// lines      16  customer (8), lineage that names it (4), zero (4); ascending by customer
/// links      56  customer (8), other (4), source (4), occurredAt (8), sequence (8), key (16), position and flags (8):
///                bit 63 alias side, bit 62 on; ascending by customer
/// handovers  64  customer (8), from (4), to (4), source (4), zero (4), occurredAt (8), sequence (8), key (16),
///                position (8); ascending by customer
/// order       8  customers, ascending by environment and their ids' bytes
/// special     8  positions of corrections and catalogs
/// zones       4  names of the zones that customers gave
/// sums       32  of 256 buckets (`BucketSums`), most significant byte first; none where nothing was digested
/// ```
/// Little-endian. A customer is environment × 2^32 + name. Valid for one ledger (its id) and one vocabulary
/// (`fingerprint`), and only where the ledger confirms the history that the header names. A name's hash is SipHash-2-4
/// under the ledger's secret: a client that chooses names cannot choose their slots.
package enum SnapshotFormat {
    /// Of the sections' elements; part of the fingerprint.
    package static let layoutVersion = 9

    package enum Section: String, CaseIterable {
        case names, texts, slots, streams, members
        case lineages = "lines"
        case links, handovers, order, special, zones, sums

        var elementByteCount: Int {
            switch self {
            case .names, .lineages: 16
            case .texts: 1
            case .slots, .zones: 4
            case .streams, .sums: 32
            case .members, .special, .order: 8
            case .links: 56
            case .handovers: 64
            }
        }
    }

    /// What gives all bytes their meaning: the vocabulary with its slots, and the bits of references.
    package static let fingerprint: UInt64 = {
        var text = "\(layoutVersion)/\(Reference.layoutVersion)"
        for schema in Vocabulary.schemas {
            text += "|\(schema.type.rawValue):\(schema.name):\(schema.version)"
            for field in schema.fields {
                text += ",\(field.name)=\(String(describing: field.slot))"
            }
        }
        return Digest.sha256Prefix(Array(text.utf8))
    }()

    /// What gives digests of states their meaning: the versions of the folds. Digests of other versions are compared
    /// with nothing.
    package static let foldFingerprint = Digest.sha256Prefix(
        Array(
            "\(LineageState.version)/\(CustomerState.version)/\(UsageState.version)/\(FunnelState.version)"
                .utf8))

    package static func ledgerNumber(_ header: StoreHeader) -> UInt64 {
        Digest.sha256Prefix(Array(header.ledgerID.utf8))
    }

    package static func number(of key: CustomerKey) -> UInt64 {
        UInt64(key.environment.rawValue) << 32 | UInt64(key.name)
    }

    /// The customer that an element is about, as a number.
    package static func customer(_ raw: UnsafeRawBufferPointer) -> UInt64 { raw.number(0) }

    /// The customer that an element is about; `nil` for an environment that was never released.
    package static func key(_ raw: UnsafeRawBufferPointer) -> CustomerKey? {
        let number = customer(raw)
        guard let code = UInt8(exactly: number >> 32), let environment = Environment(rawValue: code)
        else { return nil }
        return CustomerKey(environment, NameID(truncatingIfNeeded: number))
    }

    package static func link(_ raw: UnsafeRawBufferPointer, _ environment: Environment)
        -> Identity.Link
    {
        let last: UInt64 = raw.number(48)
        return Identity.Link(
            other: raw.number(8), isAliasSide: last >> 63 == 1, isOn: last >> 62 & 1 == 1,
            order: order(raw, source: 12, rest: 16), position: Int64(last & (1 << 62 - 1)),
            environment: environment)
    }

    package static func handover(
        _ raw: UnsafeRawBufferPointer, _ environment: Environment
    ) -> Identity.Handover {
        Identity.Handover(
            from: raw.number(8), to: raw.number(12), order: order(raw, source: 16, rest: 24),
            position: raw.number(56), environment: environment)
    }

    private static func order(
        _ raw: UnsafeRawBufferPointer, source: Int, rest: Int
    ) -> OrderKey {
        OrderKey(
            occurredAt: raw.number(rest), sequence: raw.number(rest + 8),
            source: raw.number(source),
            key: Reference(high: raw.number(rest + 16), low: raw.number(rest + 24)))
    }

    package static func append(
        _ link: Identity.Link, of key: CustomerKey, to writer: inout SectionWriter
    ) {
        writer.append(number(of: key))
        writer.append(link.other)
        writer.append(link.order.source)
        append(link.order, to: &writer)
        let flags: UInt64 = (link.isAliasSide ? 1 << 63 : 0) | (link.isOn ? 1 << 62 : 0)
        writer.append(UInt64(link.position) | flags)
    }

    package static func append(
        _ handover: Identity.Handover, of key: CustomerKey, to writer: inout SectionWriter
    ) {
        writer.append(number(of: key))
        writer.append(handover.from)
        writer.append(handover.to)
        writer.append(handover.order.source)
        writer.append(UInt32(0))
        append(handover.order, to: &writer)
        writer.append(handover.position)
    }

    private static func append(_ order: OrderKey, to writer: inout SectionWriter) {
        writer.append(order.occurredAt)
        writer.append(order.sequence)
        writer.append(order.key.high)
        writer.append(order.key.low)
    }
}
