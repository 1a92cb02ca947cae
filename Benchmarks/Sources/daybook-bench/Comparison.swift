/// Samples of several ways to do one thing, taken in turn: one of each per round, so that a
/// machine that slows down slows all of them.
struct Comparison {
    struct Way {
        var title: String
        /// In how many rounds it takes part.
        var roundMax: Int
        var take: () throws -> Measurement
        var samples: [Measurement] = []
        /// Why it has no number, or fewer than the others.
        var omission: Omission?

        init(
            _ title: String, roundMax: Int = Int.max, take: @escaping () throws -> Measurement
        ) {
            self.title = title
            self.roundMax = roundMax
            self.take = take
        }

        /// Everything that is not there, each once.
        var omissions: [Omission] {
            let all = samples.flatMap(\.omissions) + (omission.map { [$0] } ?? [])
            return all.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
        }

        func median(_ value: (Measurement) -> Double) -> Double {
            Statistics.median(samples.map(value))
        }
    }

    var ways: [Way]
    private(set) var rounds = 0
    /// Whether something went wrong, besides lines that were left out.
    var hasFailed: Bool { ways.flatMap(\.omissions).contains(where: \.isFailure) }

    init(_ ways: [Way]) { self.ways = ways }

    /// Begins no round that would not be over in time, but always the first.
    mutating func run(
        rounds roundMax: Int, until end: ContinuousClock.Instant, progress: (String) -> Void
    ) {
        while rounds < roundMax {
            let start = ContinuousClock.now
            for index in ways.indices
            where ways[index].omission == nil && rounds < ways[index].roundMax {
                progress("round \(rounds + 1) of \(roundMax): \(ways[index].title)")
                take(index)
            }
            rounds += 1
            let now = ContinuousClock.now
            if now + (now - start) > end { return }
        }
    }

    private mutating func take(_ index: Int) {
        do {
            ways[index].samples.append(try ways[index].take())
        } catch {
            ways[index].omission = Omission(error)
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
        let sorted = values.filter(\.isFinite).sorted()
        guard !sorted.isEmpty else { return .nan }
        let middle = sorted.count / 2
        return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }
}
