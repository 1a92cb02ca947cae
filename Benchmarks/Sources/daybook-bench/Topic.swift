/// One subject of the benchmark: lines that are measured in turn, and what they must show.
struct Topic {
    let title: String
    let note: String
    /// The part of the whole time that it may take; its first round is taken in any case.
    let share: Double
    var comparison: Comparison
    /// One table each, over the same lines.
    let tables: [[Column]]
    let goals: [Goal]
    /// What the lines need, and is not timed.
    let prepare: () throws -> Void

    init(
        _ title: String, note: String, share: Double, ways: [Comparison.Way],
        tables: [[Column]], goals: [Goal] = [], prepare: @escaping () throws -> Void = {}
    ) {
        self.title = title
        self.note = note
        self.share = share
        comparison = Comparison(ways)
        self.tables = tables
        self.goals = goals
        self.prepare = prepare
    }

    mutating func run(
        rounds: Int, until end: ContinuousClock.Instant, progress: (String) -> Void
    ) {
        progress("# \(title)")
        do {
            try prepare()
        } catch {
            for index in comparison.ways.indices {
                comparison.ways[index].omission = Omission(error)
            }
        }
        comparison.run(rounds: rounds, until: end, progress: progress)
    }

    /// - Parameter rounds: How many there should have been.
    func text(rounds: Int) -> String {
        var parts = ["## \(title)", note]
        if comparison.rounds < rounds, comparison.ways.contains(where: { $0.roundMax > 1 }) {
            parts.append("\(comparison.rounds) of \(rounds) rounds fitted into the time.")
        }
        parts += tables.map { table($0).text }
        parts += comparison.ways.flatMap { way in
            way.omissions.map { "Left out of \(way.title): \($0.reason)." }
        }
        if !goals.isEmpty { parts.append(goalTable.text) }
        return parts.joined(separator: "\n\n") + "\n"
    }

    private func table(_ columns: [Column]) -> Table {
        Table(
            header: [""] + columns.map(\.header),
            rows: comparison.ways.map { way in
                let cells = columns.map { $0.cell(comparison, way) }
                return [way.title]
                    + (way.samples.isEmpty ? ["left out"] + cells.dropFirst() : cells)
            })
    }

    private var goalTable: Table {
        Table(
            header: ["must show", "target", "measured", ""],
            rows: goals.map { $0.row(comparison) })
    }
}

/// A number of each line.
struct Column {
    let header: String
    let cell: (Comparison, Comparison.Way) -> String

    init(_ header: String, _ cell: @escaping (Comparison, Comparison.Way) -> String) {
        self.header = header
        self.cell = cell
    }

    /// A median over the rounds, with this many decimal places.
    static func value(
        _ header: String, _ places: Int, _ value: @escaping (Measurement) -> Double
    ) -> Column {
        Column(header) { _, way in Figure.decimal(way.median(value), places) }
    }

    /// A median over the rounds, cut to three digits.
    static func count(_ header: String, _ value: @escaping (Measurement) -> Double) -> Column {
        Column(header) { _, way in Figure.count(way.median(value)) }
    }

    static func rate(_ unit: String) -> Column { count(unit + "/s", \.rate) }

    static var range: Column {
        Column("lowest to highest") { _, way in Figure.range(way.samples.map(\.rate)) }
    }

    static func ratio(to other: String, _ header: String) -> Column {
        Column(header) { comparison, way in
            Figure.decimal(comparison.ratio(way.title, to: other))
        }
    }

    static var peak: Column { value("peak MB", 0) { $0["peak_bytes"] / 1_000_000 } }
}

/// What the issue of a speed asks for, beside what came out.
struct Goal {
    enum Bound: String {
        case atLeast = "at least"
        case atMost = "at most"
    }

    let text: String
    let bound: Bound
    let limit: Double
    let places: Int
    let measured: (Comparison) -> Double

    init(
        _ text: String, _ bound: Bound, _ limit: Double, places: Int = 2,
        _ measured: @escaping (Comparison) -> Double
    ) {
        self.text = text
        self.bound = bound
        self.limit = limit
        self.places = places
        self.measured = measured
    }

    /// That one line is so many times as fast as another.
    static func ratio(_ title: String, to other: String, atLeast limit: Double) -> Goal {
        Goal("\(title), of \(other)", .atLeast, limit) { $0.ratio(title, to: other) }
    }

    func row(_ comparison: Comparison) -> [String] {
        let value = measured(comparison)
        let isReached = bound == .atLeast ? value >= limit : value <= limit
        return [
            text, "\(bound.rawValue) \(figure(limit))", value.isFinite ? figure(value) : "",
            value.isFinite ? (isReached ? "reached" : "not reached") : "not measured",
        ]
    }

    private func figure(_ value: Double) -> String {
        value >= 10_000 ? Figure.count(value) : Figure.decimal(value, places)
    }
}
