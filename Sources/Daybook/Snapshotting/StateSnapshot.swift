import DaybookDomain
import DaybookEvents
import DaybookStore

/// Writes and reads the folded state of a ledger at a cut, in the container of derived files.
///
/// ```
/// units         per unit: where it stands and where its parts are (SnapshotUnits)
/// entitlements  unit parts, number mode (StateCoder), one after the other
/// usage         the same
/// funnels       the same
/// heads         per stream from 1 on: position (8), version (8), unit (4), zero (4)
/// lines         per naming: customer name (4), environment (4), line stream (4), zero (4)
/// special       positions (8) of aliases, whole transfers, corrections and catalogs
/// zones         name numbers (4) of the zones that customers named
/// ```
/// Little-endian. Valid for one ledger (its id) and one vocabulary (`fingerprint`), and only where the event at the cut
/// has the key that the header names. Each projection's section has the fingerprint of its own fold's version: one that
/// no longer fits is folded again, the others are used.
enum StateSnapshot {
    /// What gives all bytes their meaning: the vocabulary with its slots, the bits of references, and what units have
    /// in common.
    static let fingerprint: UInt64 = {
        var text = "2/\(UnitState.version)/\(Reference.layoutVersion)"
        for schema in Vocabulary.schemas {
            text += "|\(schema.type.rawValue):\(schema.name):\(schema.version)"
            for field in schema.fields {
                text += ",\(field.name)=\(String(describing: field.slot))"
            }
        }
        return Digest.sha256Prefix(Array(text.utf8))
    }()

    /// What gives one projection's bytes their meaning.
    static func fingerprint(_ projection: Projection) -> UInt64 {
        Digest.sha256Prefix(Array("\(projection.rawValue)/\(projection.version)".utf8))
    }

    static func ledgerNumber(_ header: StoreHeader) -> UInt64 {
        Digest.sha256Prefix(Array(header.ledgerID.utf8))
    }

    static func anchor(_ row: EventRow) -> UInt64 { Digest.sha256Prefix(Array(row.key.utf8)) }

    // MARK: Writing

    static func sections(_ state: LedgerState) throws -> [ContainerSection] {
        var units = ByteWriter()
        var parts = Projection.allCases.map { _ in StateWriter(names: nil) }
        let ids = state.units.ids
        for unit in ids {
            guard case .found(var folded) = state.units.lookup(unit) else {
                throw StoreError(.damaged, "unit \(unit) cannot be read; replay the ledger first")
            }
            let offsets = parts.map(\.bytes.count)
            for (index, projection) in Projection.allCases.enumerated() {
                folded.code(projection, &parts[index])
            }
            let counts = zip(parts, offsets).map { $0.bytes.count - $1 }
            SnapshotUnits.append(unit, folded, counts: counts, offsets: offsets, to: &units)
        }
        var heads = ByteWriter()
        for (position, head) in state.heads.enumerated() {
            heads.append(head.position)
            heads.append(head.version)
            heads.append(state.unitOf[position])
            heads.append(UInt32(0))
        }
        var lines = ByteWriter()
        var lineCount = 0
        for (customer, streams) in state.linesNaming.sorted(by: {
            ($0.key.environment.rawValue, $0.key.name) < ($1.key.environment.rawValue, $1.key.name)
        }) {
            for stream in streams {
                lines.append(customer.name)
                lines.append(UInt32(customer.environment.rawValue))
                lines.append(stream)
                lines.append(UInt32(0))
                lineCount += 1
            }
        }
        var special = ByteWriter()
        for position in state.special { special.append(position) }
        var zones = ByteWriter()
        for zone in state.zoneNames.sorted() { zones.append(zone) }
        let projections = zip(Projection.allCases, parts).map { projection, part in
            ContainerSection(
                name: projection.rawValue, fingerprint: fingerprint(projection),
                elementCount: ids.count, bytes: part.bytes)
        }
        return [
            ContainerSection(
                name: SnapshotUnits.section, elementCount: ids.count, bytes: units.bytes)
        ] + projections + [
            ContainerSection(name: "heads", elementCount: state.heads.count, bytes: heads.bytes),
            ContainerSection(name: "lines", elementCount: lineCount, bytes: lines.bytes),
            ContainerSection(
                name: "special", elementCount: state.special.count, bytes: special.bytes),
            ContainerSection(
                name: "zones", elementCount: state.zoneNames.count, bytes: zones.bytes),
        ]
    }

    // MARK: Reading

    /// Fills a state that already has the store's names and streams.
    /// - Throws: `StoreError.damaged` when anything but a unit's own parts cannot be read.
    static func restore(
        _ file: ContainerFile, _ units: SnapshotUnits, into state: inout LedgerState
    ) throws {
        try units.checkIndex()
        var restored = LedgerState.Restored(units: UnitTable(base: units))
        try each(file, "heads", 24) { raw in
            restored.heads.append((number(raw, 0), number(raw, 8), number(raw, 16)))
        }
        try each(file, "lines", 16) { raw in
            let environment: UInt32 = number(raw, 4)
            let customer = CustomerKey(
                Environment(rawValue: UInt8(truncatingIfNeeded: environment)) ?? .production,
                number(raw, 0))
            restored.linesNaming[customer, default: []].append(number(raw, 8))
        }
        try each(file, "special", 8) { restored.special.append(number($0, 0)) }
        try each(file, "zones", 4) { restored.zoneNames.insert(number($0, 0)) }
        guard restored.heads.count <= state.streams.count,
            restored.heads.allSatisfy({ $0.unit >= 1 && Int($0.unit) <= state.streams.count })
        else { throw StoreError(.damaged, "\(file.path): streams do not fit") }
        state.restore(restored)
    }

    private static func each(
        _ file: ContainerFile, _ name: String, _ size: Int, _ body: (UnsafeRawBufferPointer) -> Void
    ) throws {
        let count = file.elementCount(name)
        guard file.byteCount(name) == count * size else {
            throw StoreError(.damaged, "\(file.path): section \(name) has a wrong size")
        }
        try file.withBytes(name, 0..<count * size) { raw in
            for index in 0..<count {
                body(UnsafeRawBufferPointer(rebasing: raw[index * size..<(index + 1) * size]))
            }
        }
    }

    private static func number<Value: FixedWidthInteger>(
        _ raw: UnsafeRawBufferPointer, _ offset: Int
    ) -> Value {
        Value(littleEndian: raw.loadUnaligned(fromByteOffset: offset, as: Value.self))
    }
}
