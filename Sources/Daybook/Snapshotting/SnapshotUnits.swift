import DaybookDomain
import DaybookEvents
import DaybookStore

/// The unit states of one snapshot, mapped; each is decoded when it is asked for.
///
/// ```
/// offset  size  field of an entry of the section `units`; entries ascend by unit
///      0     4  unit
///      4     4  kind
///      8     8  event count
///     16     8  newest event: occurredAt
///     24     8                sequence
///     32    16                key, as two halves
///     48     4                source
///     52    12  byte counts of the entitlements, usage and funnels parts (4 each)
///     64    24  offsets of the parts in the sections of those names (8 each)
/// ```
final class SnapshotUnits: Sendable {
    static let section = "units"
    static let entryByteCount = 88

    private let file: ContainerFile
    /// Parts whose section another version of its fold wrote, or that is missing.
    let stale: [Projection]

    init(_ file: ContainerFile) {
        self.file = file
        stale = Projection.allCases.filter {
            file.fingerprint(of: $0.rawValue) != StateSnapshot.fingerprint($0)
        }
    }

    private struct Entry {
        var unit: UInt32
        var state: UnitState
        var ranges: [Range<Int>]
    }

    static func append(
        _ unit: UInt32, _ state: UnitState, counts: [Int], offsets: [Int],
        to writer: inout ByteWriter
    ) {
        writer.append(unit)
        writer.append(UInt32(state.kind.rawValue))
        writer.append(state.eventCount)
        writer.append(state.newest.occurredAt)
        writer.append(state.newest.sequence)
        writer.append(state.newest.key.high)
        writer.append(state.newest.key.low)
        writer.append(state.newest.source)
        for count in counts { writer.append(UInt32(count)) }
        for offset in offsets { writer.append(UInt64(offset)) }
    }

    private func unit(_ index: Int) throws -> UInt32 {
        let start = index * Self.entryByteCount
        return try file.withBytes(Self.section, start..<start + 4) { number($0, 0) }
    }

    private func entry(_ index: Int) throws -> Entry? {
        let start = index * Self.entryByteCount
        return try file.withBytes(Self.section, start..<start + Self.entryByteCount) { raw in
            let kind: UInt32 = number(raw, 4)
            guard let kind = StreamKind(rawValue: UInt8(truncatingIfNeeded: kind)) else {
                return nil
            }
            var state = UnitState(kind: kind)
            state.eventCount = number(raw, 8)
            state.newest = OrderKey(
                occurredAt: number(raw, 16), sequence: number(raw, 24), source: number(raw, 48),
                key: Reference(high: number(raw, 32), low: number(raw, 40)))
            var ranges: [Range<Int>] = []
            for (index, projection) in Projection.allCases.enumerated() {
                let count: UInt32 = number(raw, 52 + 4 * index)
                let offset: UInt64 = number(raw, 64 + 8 * index)
                let limit = UInt64(file.byteCount(projection.rawValue))
                guard offset <= limit, UInt64(count) <= limit - offset else { return nil }
                ranges.append(Int(offset)..<Int(offset) + Int(count))
            }
            return Entry(unit: number(raw, 0), state: state, ranges: ranges)
        }
    }

    /// - Complexity: O(log *n*) in the units of the snapshot.
    private func find(_ unit: UInt32) throws -> Int? {
        var low = 0
        var high = file.elementCount(Self.section)
        while low < high {
            let middle = (low + high) / 2
            let found = try self.unit(middle)
            if found == unit { return middle }
            if found < unit { low = middle + 1 } else { high = middle }
        }
        return nil
    }

    /// Whether the snapshot has the unit; an index that cannot be read says yes, so that the unit is folded anew.
    func contains(_ unit: UInt32) -> Bool {
        do { return try find(unit) != nil } catch { return true }
    }

    /// The unit's state; `nil` when its bytes are damaged.
    /// - Parameter projections: Parts to read; the others are left empty.
    func state(_ unit: UInt32, _ projections: [Projection] = Projection.allCases) -> UnitState? {
        do {
            guard let index = try find(unit), let entry = try entry(index) else { return nil }
            var state = entry.state
            for (projection, range) in zip(Projection.allCases, entry.ranges)
            where projections.contains(projection) {
                let bytes = try file.withBytes(projection.rawValue, range) { Array($0) }
                var reader = StateReader(bytes[...])
                state.code(projection, &reader)
                guard reader.isComplete else { return nil }
            }
            return state
        } catch {
            // Damage costs a refold, never an answer (law 3).
            return nil
        }
    }

    /// Every unit of the snapshot; the index was read once in full when the snapshot was accepted.
    var ids: [UInt32] {
        (0..<file.elementCount(Self.section)).compactMap { try? unit($0) }
    }

    /// Reads the whole index once, so that later look-ups cannot miss a unit.
    func checkIndex() throws {
        guard
            file.byteCount(Self.section) == file.elementCount(Self.section) * Self.entryByteCount
        else { throw StoreError(.damaged, "\(file.path): the index has a wrong size") }
        var last: UInt32 = 0
        for index in 0..<file.elementCount(Self.section) {
            let unit = try unit(index)
            guard unit > last else {
                throw StoreError(.damaged, "\(file.path): the index is out of order")
            }
            last = unit
        }
    }

    private func number<Value: FixedWidthInteger>(
        _ raw: UnsafeRawBufferPointer, _ offset: Int
    ) -> Value {
        Value(littleEndian: raw.loadUnaligned(fromByteOffset: offset, as: Value.self))
    }
}
