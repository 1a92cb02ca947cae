import DaybookStore

/// The snapshots of one ledger: the newest two, and older ones at exponentially growing distances, from which questions
/// about the whole ledger as known long ago begin (design §6).
package struct SnapshotLadder {
    private static let suffix = ".daysnap"
    /// The newest, and one in case that it is damaged.
    private static let newestCount = 2
    /// The first rung lies this many events before the newest snapshot; each next one four times as far.
    private static let firstDistance: Int64 = 4_096

    let folder: String

    func path(cut: Int64) -> String {
        let digits = String(cut)
        let padding = String(repeating: "0", count: max(0, 12 - digits.count))
        return "\(folder)/\(padding)\(digits)\(Self.suffix)"
    }

    /// The positions of all snapshots, ascending.
    var cuts: [Int64] {
        DerivedFile.names(in: folder, suffix: Self.suffix).compactMap {
            Int64($0.dropLast(Self.suffix.count))
        }.sorted()
    }

    /// Removes what no rung needs. Of each rung the oldest stays: it grows into the next one.
    func prune() {
        for cut in Self.surplus(cuts) { DerivedFile.remove(path(cut: cut)) }
    }

    /// - Parameter cuts: Ascending.
    package static func surplus(_ cuts: [Int64]) -> [Int64] {
        guard let newest = cuts.last else { return [] }
        var rungs: Set<Int> = []
        return cuts.dropLast(newestCount).filter { cut in
            !rungs.insert(rung(newest - cut)).inserted
        }
    }

    private static func rung(_ distance: Int64) -> Int {
        var rung = 0
        var limit = firstDistance
        while distance >= limit, rung < 32 {
            rung += 1
            limit = limit &* 4
        }
        return rung
    }
}
