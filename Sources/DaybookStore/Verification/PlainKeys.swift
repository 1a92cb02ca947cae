/// A key lookup array, read by the formats in `LookupRun.swift` and `LookupFilter.swift`.
enum PlainKeys {
    /// What the rows name at a position, hashed.
    struct Entry {
        var position: Int64
        var hash: UInt64
    }

    /// The three sections of a look-up, every size checked.
    private struct Columns {
        let filter: UnsafeRawBufferPointer
        let hashes: UnsafeRawBufferPointer
        let offsets: UnsafeRawBufferPointer
        let count: Int
        let blockCount: Int

        init(
            _ sections: [String: PlainContainer.Section], prefix: String, count: Int
        ) throws(PlainContainer.Refusal) {
            blockCount = max(1, (12 * count + 255) / 256)
            filter = try PlainContainer.column(
                sections, prefix + "filter", 32, count: blockCount)
            hashes = try PlainContainer.column(sections, prefix + "hashes", 8, count: count)
            offsets = try PlainContainer.column(sections, prefix + "offsets", 4, count: count)
            self.count = count
        }

        func hash(_ index: Int) -> UInt64 { hashes.plain(8 * index) }

        func offset(_ index: Int) -> Int { Int(offsets.plain(4 * index, as: UInt32.self)) }

        func filterKnows(_ hash: UInt64) -> Bool {
            let block = Int((hash >> 32 &* UInt64(blockCount)) >> 32)
            for (word, salt) in PlainKeys.salts.enumerated() {
                let bit = UInt32(1) << ((UInt32(truncatingIfNeeded: hash) &* salt) >> 27)
                if filter.plain(32 * block + 4 * word, as: UInt32.self) & bit == 0 { return false }
            }
            return true
        }
    }

    private static let salts: [UInt32] = [
        0x47B6_137B, 0x4497_4D91, 0x8824_AD5B, 0xA2B7_289D, 0x7054_95C7, 0x2DF1_424B, 0x9EFC_4947,
        0x5C6B_FB31,
    ]

    /// - Parameters:
    ///   - hashes: Of every key of the ledger, from position 1 on.
    ///   - ids: All ids that the rows name, by position.
    /// - Returns: What is wrong; `nil`: nothing.
    static func difference(
        _ file: PlainContainer, _ hashes: [UInt64], _ ids: [Entry]
    ) throws(PlainContainer.Refusal) -> String? {
        guard file.first >= 1, file.first <= file.cut, file.cut <= Int64(hashes.count),
            file.cut - file.first < Int64(UInt32.max)
        else { throw .problem("its positions make no sense") }
        let sections = try file.sections()
        let count = Int(file.cut - file.first + 1)
        let keys = try Columns(sections, prefix: "", count: count)
        if let found = difference(keys, file.first, hashes) { return found }
        let expected = ids[place(of: file.first, ids)..<place(of: file.cut + 1, ids)]
        let found = try Columns(sections, prefix: "id-", count: expected.count)
        return difference(found, file.first, expected)
    }

    private static func difference(
        _ columns: Columns, _ first: Int64, _ hashes: [UInt64]
    ) -> String? {
        var seen = [Bool](repeating: false, count: columns.count)
        var last: UInt64 = 0
        for index in 0..<columns.count {
            let hash = columns.hash(index)
            let offset = columns.offset(index)
            guard offset < columns.count else { return "entry \(index) leads outside" }
            let position = first + Int64(offset)
            if seen[offset] { return "position \(position) is there twice" }
            seen[offset] = true
            let expected = hashes[Int(position - 1)]
            if hash != expected {
                return "position \(position) is under \(hash), its key is under \(expected)"
            }
            if hash < last { return "entry \(index), position \(position), is not in its order" }
            last = hash
            guard columns.filterKnows(hash) else {
                return "the filter does not know the key of position \(position)"
            }
        }
        return nil
    }

    private static func difference(
        _ columns: Columns, _ first: Int64, _ ids: ArraySlice<Entry>
    ) -> String? {
        let expected = ids.sorted { ($0.hash, $0.position) < ($1.hash, $1.position) }
        for (index, id) in expected.enumerated() {
            let position = first + Int64(columns.offset(index))
            guard columns.hash(index) == id.hash, position == id.position else {
                return
                    "id entry \(index) is \(columns.hash(index)) of position \(position), expected \(id.hash) of position \(id.position)"
            }
            guard columns.filterKnows(id.hash) else {
                return "the filter does not know an id of position \(position)"
            }
        }
        return nil
    }

    /// The first entry at a position or later.
    private static func place(of position: Int64, _ ids: [Entry]) -> Int {
        var (low, high) = (0, ids.count)
        while low < high {
            let middle = (low + high) / 2
            if ids[middle].position < position { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
