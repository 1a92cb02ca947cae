import DaybookStore

/// The snapshots of one ledger: the newest two, and older ones at exponentially growing distances, from which questions
/// about the whole ledger as known long ago begin (snapshots/README.md).
package struct SnapshotLadder {
    private static let suffix = ".daysnap"
    /// The newest, and one in case that it is damaged.
    private static let newestCount = 2
    /// The first rung lies this many events before the newest snapshot; each next one four times as far.
    private static let firstDistance: Int64 = 4_096

    let folder: String

    func path(cut: Int64) -> String { "\(folder)/\(Self.name(cut: cut))" }

    private static func name(cut: Int64) -> String {
        let digits = String(cut)
        return String(repeating: "0", count: max(0, 12 - digits.count)) + digits + suffix
    }

    /// The positions of all snapshots, ascending; a name that is not as we write it is none.
    var cuts: [Int64] {
        DerivedFile.names(in: folder, suffix: Self.suffix).compactMap { name in
            guard let cut = Int64(name.dropLast(Self.suffix.count)), cut > 0,
                name == Self.name(cut: cut)
            else { return nil }
            return cut
        }.sorted()
    }

    /// Removes what no rung needs. Of each rung the oldest stays: it grows into the next one.
    /// - Parameter head: What lies beyond is no snapshot of this ledger, and must not pass for its newest.
    func prune(through head: Int64) {
        for cut in Self.surplus(cuts.filter { $0 <= head }) {
            DerivedFile.remove(path(cut: cut))
        }
    }

    /// - Parameter cuts: Positive, ascending.
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
