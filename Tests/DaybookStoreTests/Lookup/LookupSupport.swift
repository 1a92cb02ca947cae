import DaybookStore

/// Keys of a range of positions with random hashes, some of which are equal, least or greatest.
struct LookupSample {
    let range: ClosedRange<Int64>
    let entries: [(hash: UInt64, position: Int64)]

    init(_ range: ClosedRange<Int64>, _ random: inout SplitMix) {
        self.range = range
        var entries: [(hash: UInt64, position: Int64)] = []
        for position in range {
            let hash: UInt64 =
                switch random.next() % 64 {
                case 0: 0
                case 1: .max
                case 2: entries.last?.hash ?? 7
                default: random.next()
                }
            entries.append((hash, position))
        }
        self.entries = entries
    }

    /// With ids that have the hashes of the keys.
    var run: LookupRun { LookupRun(range, entries: entries, ids: entries) }

    /// What a look-up must give, for every hash.
    var expected: [UInt64: [Int64]] {
        Dictionary(grouping: entries, by: \.hash).mapValues { $0.map(\.position).sorted() }
    }

    /// One unit of positions, the smallest run that a folder takes.
    static func unit(_ number: Int64, count: Int64 = 1, _ random: inout SplitMix) -> Self {
        let first = number * LookupRun.alignment + 1
        return Self(first...first + count * LookupRun.alignment - 1, &random)
    }
}
