import Daybook
import DaybookFixtures
import Foundation

/// How much is measured.
struct Scale {
    var events: Int
    var subjects: Int
    var rounds: Int
    /// Of the whole run, after the build.
    var seconds: Double
    var commits: Int
    var questions: Int
    var notifications: Int
    var imports: Int
    /// Customers of the one-subject topic, of 50 events each.
    var readers: Int
    var peerEvents: Int
    /// People of the synthetic months, in each app.
    var residents: Int
    /// People of the month that is audited.
    var audited: Int
    /// Events of the growth curve; a tenth as many customers.
    var sizes: [Int]

    static let full = Scale(
        events: 1_000_000, subjects: 100_000, rounds: 5, seconds: 2_300, commits: 2_000,
        questions: 100_000, notifications: 10_000, imports: 200_000, readers: 10_000,
        peerEvents: 100_000, residents: 8_000, audited: 70_000,
        sizes: [10_000, 100_000, 1_000_000, 10_000_000])
    static let quick = Scale(
        events: 200_000, subjects: 20_000, rounds: 3, seconds: 270, commits: 500,
        questions: 20_000, notifications: 1_000, imports: 20_000, readers: 1_000,
        peerEvents: 20_000, residents: 1_000, audited: 7_000,
        sizes: [10_000, 100_000])
}

/// All measurements, one after the other; nothing else runs meanwhile.
struct Benchmark {
    static let batchCount = 1_000

    let scale: Scale
    let programs: Programs
    let thresholds: [InstructionCount.Threshold]
    let progress: (String) -> Void

    /// Measures one topic by itself.
    /// - Returns: Its section, and whether a line failed.
    func run(topic title: String) throws -> (text: String, hasFailed: Bool) {
        guard var topic = topics.first(where: { $0.title == title }) else {
            let titles = topics.map(\.title).joined(separator: ", ")
            throw BenchmarkError("there is no topic \(title); there are \(titles)")
        }
        try createEmpty()
        if title != append.title {
            // Some read the ledger that the first one leaves behind.
            _ = try ours(
                "append-ledger", "ledger", scale.events, scale.subjects, Self.batchCount)
        }
        topic.run(rounds: scale.rounds, until: programs.deadline, progress: progress)
        return (topic.text(rounds: scale.rounds), topic.comparison.hasFailed)
    }

    /// - Returns: What to write down, and whether a line failed.
    func run() throws -> (text: String, hasFailed: Bool) {
        try createEmpty()
        var texts: [String] = []
        var hasFailed = false
        for var topic in topics {
            let end = min(programs.deadline, .now + .seconds(topic.share * scale.seconds))
            topic.run(rounds: scale.rounds, until: end, progress: progress)
            texts.append(topic.text(rounds: scale.rounds))
            hasFailed = hasFailed || topic.comparison.hasFailed
        }
        return (texts.joined(separator: "\n"), hasFailed)
    }

    /// The ledger without events whose tables `raw` copies.
    private func createEmpty() throws {
        try programs.remove("empty")
        _ = try programs.runOurs("create", programs.path("empty"))
    }

    /// Some read the ledger that the first one leaves behind; the last one takes the time that is left.
    private var topics: [Topic] {
        [
            append, commits, replay, opening, checks, checkLatency, server, pages, foldAlone,
            instructions,
            imports,
            latency,
            oneSubject,
            size, audit, history, metrics, peer, notifications, folds, growth,
        ]
    }

    // MARK: Ways

    func raw(_ variant: String, _ events: Int, _ subjects: Int, batch: Int) throws -> Measurement {
        try programs.remove(variant)
        return try programs.runRaw(
            "append", programs.path(variant), String(events), String(subjects), String(batch),
            variant, programs.path("empty"))
    }

    /// A sample that makes a new ledger.
    func ours(_ sample: String, _ file: String, _ numbers: Int...) throws -> Measurement {
        try programs.remove(file)
        return try programs.runOurs([sample, programs.path(file)] + numbers.map(String.init))
    }

    /// - Parameter isComparing: Whether every aggregate is digested and compared too.
    func replayed(
        _ file: String, _ source: ReplaySource, workers: Int = 1, isComparing: Bool = false
    ) throws -> Measurement {
        try programs.runOurs(
            "replay", programs.path(file), source.rawValue, String(workers),
            isComparing ? "1" : "0")
    }

    /// Leaves snapshots, and whatever comes with them, beside a ledger.
    @discardableResult
    func snapshot(_ file: String) throws -> Measurement {
        try programs.runOurs("snapshot", programs.path(file))
    }

    func removeSnapshots(of file: String) throws {
        try DerivedKind.snapshots.remove(of: programs.path(file))
        try DerivedKind.segments.remove(of: programs.path(file))
    }

    static func count(_ number: Int) -> String { Figure.count(Double(number)) }
}
