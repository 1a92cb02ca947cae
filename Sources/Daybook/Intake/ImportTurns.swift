/// Parts the lines of an import into turns, for each of which the state is held once: a line may be a hundred events,
/// so lines do not say how long a turn takes.
package enum ImportTurns {
    /// - Parameters:
    ///   - counts: Events of each line; 0 for one that was refused.
    ///   - max: Events of a turn, 1 or more.
    /// - Returns: Ranges of lines, one after another. Each but the last has `max` events, or more by a part of its last
    ///   line.
    package static func ranges(_ counts: [Int], of max: Int) -> [Range<Int>] {
        var turns: [Range<Int>] = []
        var (start, count) = (0, 0)
        for (index, own) in counts.enumerated() {
            count += own
            guard count >= max else { continue }
            turns.append(start..<index + 1)
            (start, count) = (index + 1, 0)
        }
        if start < counts.count { turns.append(start..<counts.count) }
        return turns
    }
}
