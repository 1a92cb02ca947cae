/// Samples of several ways to do one thing, taken in turn: one of each per round, so that a
/// machine that slows down slows all of them.
struct Comparison {
    struct Way {
        var title: String
        var take: () throws -> Measurement
        var samples: [Measurement] = []

        init(_ title: String, take: @escaping () throws -> Measurement) {
            self.title = title
            self.take = take
        }
    }

    var ways: [Way]

    init(_ ways: [Way]) { self.ways = ways }

    mutating func run(rounds: Int, progress: (String) -> Void) throws {
        for round in 1...rounds {
            for index in ways.indices {
                progress("round \(round) of \(rounds): \(ways[index].title)")
                ways[index].samples.append(try ways[index].take())
            }
        }
    }

    subscript(title: String) -> [Measurement] {
        ways.first { $0.title == title }?.samples ?? []
    }

    /// The median over the rounds of how many times as fast as another way it was in that round.
    func ratio(_ title: String, to other: String) -> Double {
        Statistics.median(zip(self[title], self[other]).map { $0.rate / $1.rate })
    }
}

enum Statistics {
    static func median(_ values: [Double]) -> Double {
        let sorted = values.sorted()
        guard !sorted.isEmpty else { return .nan }
        let middle = sorted.count / 2
        return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }
}
