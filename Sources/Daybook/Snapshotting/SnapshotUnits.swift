import DaybookDomain
import DaybookEvents
import DaybookStore

/// The unit states of one snapshot, mapped; each is decoded when it is asked for.
final class SnapshotUnits: Sendable {
    /// Section `index`: per unit, ascending: unit (4 bytes), byte count (4), offset (8); little-endian.
    static let entryByteCount = 16

    private let file: ContainerFile

    init(_ file: ContainerFile) { self.file = file }

    private struct Entry {
        var unit: UInt32
        var byteCount: Int
        var offset: Int
    }

    private func entry(_ index: Int) throws -> Entry {
        let start = index * Self.entryByteCount
        return try file.withBytes("index", start..<start + Self.entryByteCount) { raw in
            Entry(
                unit: UInt32(littleEndian: raw.loadUnaligned(as: UInt32.self)),
                byteCount: Int(
                    UInt32(littleEndian: raw.loadUnaligned(fromByteOffset: 4, as: UInt32.self))),
                offset: Int(
                    truncatingIfNeeded: UInt64(
                        littleEndian: raw.loadUnaligned(fromByteOffset: 8, as: UInt64.self))))
        }
    }

    /// - Complexity: O(log *n*) in the units of the snapshot.
    private func find(_ unit: UInt32) throws -> Entry? {
        var low = 0
        var high = file.elementCount("index")
        while low < high {
            let middle = (low + high) / 2
            let entry = try entry(middle)
            if entry.unit == unit { return entry }
            if entry.unit < unit { low = middle + 1 } else { high = middle }
        }
        return nil
    }

    /// Whether the snapshot has the unit; an index that cannot be read says yes, so that the unit is folded anew.
    func contains(_ unit: UInt32) -> Bool {
        do { return try find(unit) != nil } catch { return true }
    }

    /// The unit's state; `nil` when its bytes are damaged.
    func state(_ unit: UInt32) -> UnitState? {
        do {
            guard let entry = try find(unit), entry.offset >= 0,
                entry.offset <= file.byteCount("states") - entry.byteCount
            else { return nil }
            let bytes = try file.withBytes(
                "states", entry.offset..<entry.offset + entry.byteCount
            ) { Array($0) }
            var reader = StateReader(bytes[...])
            var state = UnitState(kind: .customer)
            state.code(&reader)
            return reader.isComplete ? state : nil
        } catch {
            // Damage costs a refold, never an answer (law 3).
            return nil
        }
    }

    /// Every unit of the snapshot; those of an unreadable index are missing and are told by `isReadable`.
    var ids: [UInt32] {
        (0..<file.elementCount("index")).compactMap { index in
            // The index was read once in full when the snapshot was accepted.
            try? entry(index).unit
        }
    }

    /// Reads the whole index once, so that later look-ups cannot miss a unit.
    func checkIndex() throws {
        var last: UInt32 = 0
        for index in 0..<file.elementCount("index") {
            let entry = try entry(index)
            guard entry.unit > last else {
                throw StoreError(.damaged, "\(file.path): the index is out of order")
            }
            last = entry.unit
        }
    }
}
