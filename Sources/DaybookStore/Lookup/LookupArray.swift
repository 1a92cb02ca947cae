import DaybookEvents

/// Hashes in ascending order, each with a position of one range; behind a filter that says "surely not" for nearly all
/// other hashes. It lies in memory until it is written; then its part of the file is mapped.
struct LookupArray: Sendable {
    /// The three sections that an array has in a file.
    struct Names {
        var filter: String
        var hashes: String
        var offsets: String

        /// Of the keys of events.
        static let keys = Names(filter: "filter", hashes: "hashes", offsets: "offsets")
        /// Of the ids that events name.
        static let ids = Names(filter: "id-filter", hashes: "id-hashes", offsets: "id-offsets")
    }

    /// In memory, in the order of the hashes; of equal ones the earlier position first.
    struct Columns: Sendable {
        var hashes: [UInt64] = []
        /// Position less the first one of the range.
        var offsets: [UInt32] = []
    }

    /// A part of a file.
    private struct Mapped {
        var file: ContainerFile
        var filter: ContainerFile.Part
        var hashes: ContainerFile.Part
        var offsets: ContainerFile.Part
    }

    private enum Backing {
        case memory(Columns, filter: [UInt8])
        case file(Mapped)
    }

    /// The first position of the range.
    private let first: Int64
    let count: Int
    private let backing: Backing

    /// - Parameter columns: In ascending order of the hashes.
    init(_ columns: Columns, first: Int64) {
        self.first = first
        count = columns.hashes.count
        backing = .memory(columns, filter: LookupFilter.make(columns.hashes))
    }

    /// - Parameter entries: In any order; their positions lie in the range.
    init(_ entries: [(hash: UInt64, position: Int64)], first: Int64) {
        let sorted = entries.sorted { ($0.hash, $0.position) < ($1.hash, $1.position) }
        self.init(
            Columns(
                hashes: sorted.map(\.hash),
                offsets: sorted.map { UInt32(truncatingIfNeeded: $0.position - first) }),
            first: first)
    }

    /// - Parameter count: How many entries there must be; `nil`: as many as the file has.
    /// - Throws: `StoreError.damaged` for sections that do not go together.
    init(_ file: ContainerFile, _ names: Names, first: Int64, count: Int? = nil) throws {
        let mapped = Mapped(
            file: file, filter: try file.part(names.filter), hashes: try file.part(names.hashes),
            offsets: try file.part(names.offsets))
        let found = mapped.hashes.byteCount / 8
        guard count == nil || count == found, mapped.hashes.byteCount == 8 * found,
            mapped.offsets.byteCount == 4 * found,
            mapped.filter.byteCount
                == LookupFilter.blockByteCount * LookupFilter.blockCount(keyCount: found)
        else { throw StoreError(.damaged, "\(file.path): sections have wrong sizes") }
        self.first = first
        self.count = found
        backing = .file(mapped)
    }

    /// Every position with this hash, ascending.
    /// - Throws: `StoreError.damaged`.
    /// - Complexity: One block of the filter for nearly all unknown hashes; else O(log *n*), mostly within one block.
    func positions(of hash: UInt64) throws -> [Int64] {
        guard try mayContain(hash) else { return [] }
        var found: [Int64] = []
        switch backing {
        case .memory(let columns, _):
            var index = Self.firstIndex(of: hash, in: 0..<count) { columns.hashes[$0] }
            while index < count, columns.hashes[index] == hash {
                found.append(first + Int64(columns.offsets[index]))
                index += 1
            }
        case .file(let mapped):
            var index = try firstIndex(of: hash, mapped)
            while index < count, try Self.hash(index, mapped) == hash {
                let offset = try mapped.file.withBytes(mapped.offsets, 4 * index..<4 * index + 4) {
                    UInt32(littleEndian: $0.loadUnaligned(as: UInt32.self))
                }
                found.append(first + Int64(offset))
                index += 1
            }
        }
        return found
    }

    private func mayContain(_ hash: UInt64) throws -> Bool {
        let blockCount = LookupFilter.blockCount(keyCount: count)
        let start =
            LookupFilter.blockByteCount * LookupFilter.block(of: hash, blockCount: blockCount)
        let range = start..<start + LookupFilter.blockByteCount
        switch backing {
        case .memory(_, let filter):
            return filter.withUnsafeBytes {
                LookupFilter.mayContain(hash, UnsafeRawBufferPointer(rebasing: $0[range]))
            }
        case .file(let mapped):
            return try mapped.file.withBytes(mapped.filter, range) {
                LookupFilter.mayContain(hash, $0)
            }
        }
    }

    private static func hash(_ index: Int, _ mapped: Mapped) throws -> UInt64 {
        try mapped.file.withBytes(mapped.hashes, 8 * index..<8 * index + 8) {
            UInt64(littleEndian: $0.loadUnaligned(as: UInt64.self))
        }
    }

    /// The first place of a hash, or of the next greater one.
    ///
    /// Hashes are spread evenly, so its value tells the place to within a few standard deviations, and a look-up
    /// touches one block or two instead of all that a bisection of the whole would.
    private func firstIndex(of hash: UInt64, _ mapped: Mapped) throws -> Int {
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

    /// One array over those of neighbouring runs, in memory.
    /// - Throws: `StoreError.damaged`.
    static func merged(_ merge: LookupMerge) throws -> LookupArray {
        var columns = Columns()
        columns.hashes.reserveCapacity(merge.count)
        columns.offsets.reserveCapacity(merge.count)
        try merge.forEach { hash, offset in
            columns.hashes.append(hash)
            columns.offsets.append(offset)
        }
        return LookupArray(columns, first: merge.first)
    }

    /// Some of its entries.
    /// - Throws: `StoreError.damaged`.
    func entries(_ range: Range<Int>) throws -> Columns {
        switch backing {
        case .memory(let columns, _):
            return Columns(
                hashes: Array(columns.hashes[range]), offsets: Array(columns.offsets[range]))
        case .file(let mapped):
            var columns = Columns()
            columns.hashes = try mapped.file.withBytes(
                mapped.hashes, 8 * range.lowerBound..<8 * range.upperBound
            ) { raw in
                range.indices.map {
                    UInt64(
                        littleEndian: raw.loadUnaligned(
                            fromByteOffset: 8 * ($0 - range.lowerBound), as: UInt64.self))
                }
            }
            columns.offsets = try mapped.file.withBytes(
                mapped.offsets, 4 * range.lowerBound..<4 * range.upperBound
            ) { raw in
                range.indices.map {
                    UInt32(
                        littleEndian: raw.loadUnaligned(
                            fromByteOffset: 4 * ($0 - range.lowerBound), as: UInt32.self))
                }
            }
            return columns
        }
    }

    /// Its sections in a file; none of what lies in one.
    func sections(_ names: Names) -> [ContainerSection] {
        guard case .memory(let columns, let filter) = backing else { return [] }
        return [
            ContainerSection(
                name: names.filter, elementCount: filter.count / LookupFilter.blockByteCount,
                bytes: filter),
            ContainerSection(name: names.hashes, elementByteCount: 8) { writer in
                for hash in columns.hashes { writer.append(hash) }
            },
            ContainerSection(name: names.offsets, elementByteCount: 4) { writer in
                for offset in columns.offsets { writer.append(offset) }
            },
        ]
    }

    /// The sections of one array over those of neighbouring runs, which is never in memory.
    static func sections(_ names: Names, merging merge: LookupMerge) -> [ContainerSection] {
        [
            ContainerSection(
                name: names.filter, elementByteCount: LookupFilter.blockByteCount
            ) { writer in
                var blocks = LookupFilter.Blocks(keyCount: merge.count)
                try merge.forEach { hash, _ in blocks.add(hash) { writer.append($0) } }
                blocks.finish { writer.append($0) }
            },
            ContainerSection(name: names.hashes, elementByteCount: 8) { writer in
                try merge.forEach { hash, _ in writer.append(hash) }
            },
            ContainerSection(name: names.offsets, elementByteCount: 4) { writer in
                try merge.forEach { _, offset in writer.append(offset) }
            },
        ]
    }
}
