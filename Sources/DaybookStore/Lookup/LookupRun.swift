import DaybookEvents
import Synchronization

/// What must be looked up for ever, for one range of positions: the hash of every event's key, sorted, with its
/// position.
///
/// A run holds exactly one entry for each position of its range. It lies in memory until it is written; then its file
/// is mapped. A hash only proposes positions: whoever asks confirms on the event itself.
///
/// ```
/// filter   32-byte blocks (LookupFilter)
/// hashes   8 bytes each, ascending
/// offsets  4 bytes each, in the order of the hashes: position - first position of the range
/// ```
public final class LookupRun: Sendable {
    /// Runs begin and end at multiples of this many positions.
    public static let unitCount: Int64 = 16_384
    /// Says how the bytes of a run and the hashes of keys, which hash references, are to be read. Layout 1 had a filter
    /// that knew no key, in layout 2 hashes had none.
    static let fingerprint: UInt64 = 3 << 8 | Reference.layoutVersion

    private enum Backing {
        case memory(hashes: [UInt64], offsets: [UInt32], filter: [UInt8])
        case file(MappedRun)
    }

    /// A run's file, and where in it the columns are.
    private struct MappedRun {
        var file: ContainerFile
        var filter: ContainerFile.Part
        var hashes: ContainerFile.Part
        var offsets: ContainerFile.Part
    }

    /// First and last position, both included.
    public let range: ClosedRange<Int64>
    private let backing: Backing
    private let damage = Atomic<Bool>(false)

    /// - Parameter entries: One per position of the range, in any order.
    public convenience init(
        _ range: ClosedRange<Int64>, entries: [(hash: UInt64, position: Int64)]
    ) {
        let sorted = entries.sorted { ($0.hash, $0.position) < ($1.hash, $1.position) }
        self.init(
            range, hashes: sorted.map(\.hash),
            offsets: sorted.map { UInt32(truncatingIfNeeded: $0.position - range.lowerBound) })
    }

    private init(_ range: ClosedRange<Int64>, hashes: [UInt64], offsets: [UInt32]) {
        self.range = range
        backing = .memory(
            hashes: hashes, offsets: offsets, filter: LookupFilter.make(hashes))
    }

    /// Opens a run's file.
    /// - Throws: `StoreError.damaged` when it does not have the shape of one.
    package init(file: ContainerFile) throws {
        let header = file.header
        guard header.kind == .keys, header.fingerprint == Self.fingerprint,
            header.firstPosition >= 1, header.firstPosition <= header.cut,
            header.cut - header.firstPosition < Int64(UInt32.max)
        else { throw StoreError(.damaged, "\(file.path): no key lookup array of this version") }
        range = header.firstPosition...header.cut
        let count = range.count
        let mapped = MappedRun(
            file: file, filter: try file.part("filter"), hashes: try file.part("hashes"),
            offsets: try file.part("offsets"))
        guard mapped.hashes.byteCount == 8 * count, mapped.offsets.byteCount == 4 * count,
            mapped.filter.byteCount
                == LookupFilter.blockByteCount * LookupFilter.blockCount(keyCount: count)
        else { throw StoreError(.damaged, "\(file.path): sections have wrong sizes") }
        backing = .file(mapped)
    }

    /// Whether the run begins and ends where runs of a ledger do.
    var hasWholeUnits: Bool {
        range.lowerBound % Self.unitCount == 1 && range.upperBound % Self.unitCount == 0
    }

    /// The file that holds the run; `nil` while it is in memory.
    public var path: String? {
        if case .file(let mapped) = backing { mapped.file.path } else { nil }
    }

    /// The history that the file was made from; `nil` in memory.
    public var history: HistoryPoint? {
        if case .file(let mapped) = backing { mapped.file.header.history } else { nil }
    }

    /// Set when a block could not be read: the range must be read from the events again.
    public var isDamaged: Bool { damage.load(ordering: .relaxed) }

    /// Every position whose key has this hash.
    /// - Throws: `StoreError.damaged`; `isDamaged` is set from then on.
    /// - Complexity: One block of the filter for nearly all unknown keys; else O(log *n*), mostly within one block.
    public func positions(of hash: UInt64) throws -> [Int64] {
        switch backing {
        case .memory(let hashes, let offsets, let filter):
            guard
                filter.withUnsafeBytes({
                    LookupFilter.mayContain(hash, Self.filterBlock($0, hash, hashes.count))
                })
            else { return [] }
            var found: [Int64] = []
            var index = Self.firstIndex(of: hash, in: 0..<hashes.count) { hashes[$0] }
            while index < hashes.count, hashes[index] == hash {
                found.append(range.lowerBound + Int64(offsets[index]))
                index += 1
            }
            return found
        case .file(let mapped):
            do {
                return try positions(of: hash, mapped)
            } catch {
                damage.store(true, ordering: .relaxed)
                throw error
            }
        }
    }

    private static func filterBlock(
        _ filter: UnsafeRawBufferPointer, _ hash: UInt64, _ keyCount: Int
    ) -> UnsafeRawBufferPointer {
        let count = LookupFilter.blockCount(keyCount: keyCount)
        let start = LookupFilter.blockByteCount * LookupFilter.block(of: hash, blockCount: count)
        return UnsafeRawBufferPointer(
            rebasing: filter[start..<start + LookupFilter.blockByteCount])
    }

    private func positions(of hash: UInt64, _ mapped: MappedRun) throws -> [Int64] {
        let count = range.count
        let blockCount = LookupFilter.blockCount(keyCount: count)
        let start =
            LookupFilter.blockByteCount * LookupFilter.block(of: hash, blockCount: blockCount)
        guard
            try mapped.file.withBytes(
                mapped.filter, start..<start + LookupFilter.blockByteCount,
                { LookupFilter.mayContain(hash, $0) })
        else { return [] }
        var found: [Int64] = []
        var index = try firstIndex(of: hash, mapped)
        while index < count, try Self.hash(index, mapped) == hash {
            let offset = try mapped.file.withBytes(mapped.offsets, 4 * index..<4 * index + 4) {
                UInt32(littleEndian: $0.loadUnaligned(as: UInt32.self))
            }
            found.append(range.lowerBound + Int64(offset))
            index += 1
        }
        return found
    }

    private static func hash(_ index: Int, _ mapped: MappedRun) throws -> UInt64 {
        try mapped.file.withBytes(mapped.hashes, 8 * index..<8 * index + 8) {
            UInt64(littleEndian: $0.loadUnaligned(as: UInt64.self))
        }
    }

    /// The first place of a hash, or of the next greater one.
    ///
    /// Hashes are spread evenly, so its value tells the place to within a few standard deviations, and a look-up
    /// touches one block or two instead of all that a bisection of the whole would.
    private func firstIndex(of hash: UInt64, _ mapped: MappedRun) throws -> Int {
        let count = range.count
        let middle = Int(hash.multipliedFullWidth(by: UInt64(count)).high)
        var reach = 64
        while true {
            let low = max(0, middle - reach)
            let high = min(count, middle + reach)
            let found = try mapped.file.withBytes(mapped.hashes, 8 * low..<8 * high) {
                raw -> Int? in
                func value(_ index: Int) -> UInt64 {
                    UInt64(
                        littleEndian: raw.loadUnaligned(
                            fromByteOffset: 8 * (index - low), as: UInt64.self))
                }
                // Strictly below on the left and strictly above on the right: every equal hash lies between.
                guard low == 0 || value(low) < hash, high == count || value(high - 1) > hash
                else { return nil }
                return Self.firstIndex(of: hash, in: low..<high, value)
            }
            if let found { return found }
            reach *= 8
        }
    }

    private static func firstIndex(
        of hash: UInt64, in range: Range<Int>, _ value: (Int) -> UInt64
    ) -> Int {
        var low = range.lowerBound
        var high = range.upperBound
        while low < high {
            let middle = (low + high) / 2
            if value(middle) < hash { low = middle + 1 } else { high = middle }
        }
        return low
    }

    // MARK: Merging and writing

    /// One run over neighbouring ones.
    /// - Precondition: The ranges follow one another.
    /// - Throws: `StoreError.damaged` when a part cannot be read; its `isDamaged` is set.
    public static func merged(_ runs: [LookupRun]) throws -> LookupRun {
        precondition(!runs.isEmpty, "nothing to merge")
        for (left, right) in zip(runs, runs.dropFirst()) {
            precondition(left.range.upperBound + 1 == right.range.lowerBound, "runs have a gap")
        }
        let parts = try runs.map { try $0.columns() }
        let first = runs[0].range.lowerBound
        let shifts = runs.map { UInt32(truncatingIfNeeded: $0.range.lowerBound - first) }
        var next = [Int](repeating: 0, count: parts.count)
        let count = parts.reduce(0) { $0 + $1.hashes.count }
        var hashes: [UInt64] = []
        var offsets: [UInt32] = []
        hashes.reserveCapacity(count)
        offsets.reserveCapacity(count)
        while hashes.count < count {
            var best = -1
            var least = UInt64.max
            // Of equal hashes the earlier run comes first, so that equal contents give equal bytes.
            for index in parts.indices where next[index] < parts[index].hashes.count {
                let hash = parts[index].hashes[next[index]]
                if best < 0 || hash < least { (best, least) = (index, hash) }
            }
            hashes.append(least)
            offsets.append(parts[best].offsets[next[best]] &+ shifts[best])
            next[best] += 1
        }
        let last = runs[runs.count - 1].range.upperBound
        return LookupRun(first...last, hashes: hashes, offsets: offsets)
    }

    private func columns() throws -> (hashes: [UInt64], offsets: [UInt32]) {
        switch backing {
        case .memory(let hashes, let offsets, _): return (hashes, offsets)
        case .file(let mapped):
            do {
                let count = range.count
                let hashes = try mapped.file.withBytes(mapped.hashes, 0..<8 * count) { raw in
                    (0..<count).map {
                        UInt64(
                            littleEndian: raw.loadUnaligned(
                                fromByteOffset: 8 * $0, as: UInt64.self))
                    }
                }
                let offsets = try mapped.file.withBytes(mapped.offsets, 0..<4 * count) { raw in
                    (0..<count).map {
                        UInt32(
                            littleEndian: raw.loadUnaligned(
                                fromByteOffset: 4 * $0, as: UInt32.self))
                    }
                }
                return (hashes, offsets)
            } catch {
                damage.store(true, ordering: .relaxed)
                throw error
            }
        }
    }

    /// Writes a run of memory under its final name and maps it.
    package func written(
        to path: String, like model: String? = nil, ledger: UInt64, history: HistoryPoint
    ) throws -> LookupRun {
        precondition(history.position == range.upperBound, "a history of another position")
        guard case .memory(let hashes, let offsets, let filter) = backing else { return self }
        var hashBytes = ByteWriter()
        for hash in hashes { hashBytes.append(hash) }
        var offsetBytes = ByteWriter()
        for offset in offsets { offsetBytes.append(offset) }
        try ContainerWriter.write(
            ContainerHeader(
                kind: .keys, fingerprint: Self.fingerprint, ledger: ledger,
                firstPosition: range.lowerBound, history: history),
            [
                ContainerSection(
                    name: "filter", elementCount: filter.count / LookupFilter.blockByteCount,
                    bytes: filter),
                ContainerSection(
                    name: "hashes", elementCount: hashes.count, bytes: hashBytes.bytes),
                ContainerSection(
                    name: "offsets", elementCount: offsets.count, bytes: offsetBytes.bytes),
            ], to: path, like: model)
        return try LookupRun(file: try ContainerFile(path: path))
    }
}
