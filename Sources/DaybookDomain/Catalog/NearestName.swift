/// Finds the name that was probably meant.
package enum NearestName {
    /// The candidate with the smallest edit distance, when it is close enough to be worth
    /// suggesting.
    ///
    /// Upper and lower case count as equal. Of equally near names the alphabetically first is
    /// taken.
    /// - Complexity: O(*n* · *m*²) for *n* names of *m* letters; both are bounded by the document's
    ///   size.
    package static func of(_ name: String, among candidates: some Sequence<String>) -> String? {
        let wanted = Array(name.lowercased().unicodeScalars.prefix(64))
        let bound = max(2, wanted.count / 3)
        var best: (distance: Int, name: String)?
        for candidate in candidates {
            let letters = Array(candidate.lowercased().unicodeScalars.prefix(64))
            guard abs(letters.count - wanted.count) <= bound else { continue }
            let distance = distance(wanted, letters)
            guard distance <= bound, distance < max(wanted.count, letters.count) else { continue }
            if let known = best, (known.distance, known.name) <= (distance, candidate) { continue }
            best = (distance, candidate)
        }
        return best?.name
    }

    /// `; did you mean "usage.recorded"?`, to follow what is said about a name that is not known; empty where none is
    /// near enough.
    package static func hint(_ name: String, among candidates: some Sequence<String>) -> String {
        hint(of(name, among: candidates))
    }

    /// The same about a name that was found before.
    package static func hint(_ nearest: String?) -> String {
        nearest.map { "; did you mean \"\($0)\"?" } ?? ""
    }

    /// Insertions, deletions, replacements and swaps of neighbours that turn one text into the
    /// other.
    private static func distance(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Int {
        var beforePrevious = [Int]()
        var previous = Array(0...right.count)
        for row in left.indices {
            var current = [row + 1]
            for column in right.indices {
                let isSame = left[row] == right[column]
                var cost = min(
                    previous[column + 1] + 1, current[column] + 1,
                    previous[column] + (isSame ? 0 : 1))
                if row > 0, column > 0, left[row] == right[column - 1],
                    left[row - 1] == right[column]
                {
                    cost = min(cost, beforePrevious[column - 1] + 1)
                }
                current.append(cost)
            }
            beforePrevious = previous
            previous = current
        }
        return previous[right.count]
    }
}
