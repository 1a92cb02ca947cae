import Foundation

/// How much is measured.
struct Scale {
    var events: Int
    var subjects: Int
    var rounds: Int
    var commits: Int
    var questions: Int
    var notifications: Int

    static let full = Scale(
        events: 1_000_000, subjects: 100_000, rounds: 5, commits: 2_000, questions: 100_000,
        notifications: 10_000)
    static let quick = Scale(
        events: 200_000, subjects: 20_000, rounds: 3, commits: 500, questions: 20_000,
        notifications: 2_000)
}

/// All measurements, one after the other; nothing else runs meanwhile.
struct Benchmark {
    static let batchCount = 1_000

    let scale: Scale
    let programs: Programs
    let progress: (String) -> Void
    private var events: String { String(scale.events) }
    private var subjects: String { String(scale.subjects) }

    func run() throws -> [Table] {
        try programs.remove("empty")
        _ = try programs.runOurs("create", programs.path("empty"))
        var append = appendComparison()
        try append.run(rounds: scale.rounds, progress: progress)
        try checkSameRows()
        var commits = commitComparison()
        try commits.run(rounds: scale.rounds, progress: progress)
        var reading = readComparison()
        try reading.run(rounds: scale.rounds, progress: progress)
        var start = startComparison()
        try start.run(rounds: scale.rounds, progress: progress)
        var verifying = verifyComparison()
        try verifying.run(rounds: scale.rounds, progress: progress)
        return [
            Report.append(append, scale), Report.commits(commits, scale),
            Report.reading(reading, scale), Report.start(start, reading, scale),
            Report.verifying(verifying, scale),
        ]
    }

    /// The ratios mean something only if both programs wrote the same rows.
    private func checkSameRows() throws {
        let ours = try programs.runRaw("digest", programs.path("store"))
        let theirs = try programs.runRaw("digest", programs.path("plain"))
        guard ours.values == theirs.values else {
            throw BenchmarkError("raw.c and Workload.swift wrote different rows; make them agree")
        }
    }

    // MARK: Writing

    private func raw(
        _ variant: String, _ events: Int, _ batch: Int
    ) throws -> Measurement {
        try programs.remove(variant)
        return try programs.runRaw(
            "append", programs.path(variant), String(events), subjects, String(batch), variant,
            programs.path("empty"))
    }

    private func ours(_ sample: String, _ file: String, _ numbers: Int...) throws -> Measurement {
        try programs.remove(file)
        let arguments = numbers.map(String.init)
        switch arguments.count {
        case 2:
            return try programs.runOurs(sample, programs.path(file), arguments[0], arguments[1])
        default:
            return try programs.runOurs(
                sample, programs.path(file), arguments[0], arguments[1], arguments[2])
        }
    }

    private func appendComparison() -> Comparison {
        let (events, subjects, batch) = (scale.events, scale.subjects, Self.batchCount)
        return Comparison([
            .init(Report.rawPlain) { try raw("plain", events, batch) },
            .init(Report.store) { try ours("append-store", "store", events, subjects, batch) },
            .init(Report.rawTriggers) { try raw("triggers", events, batch) },
            .init(Report.ledger) { try ours("append-ledger", "ledger", events, subjects, batch) },
            .init(Report.rawIndexes) { try raw("indexes", events, batch) },
        ])
    }

    private func commitComparison() -> Comparison {
        let (commits, subjects) = (scale.commits, scale.subjects)
        return Comparison([
            .init(Report.rawPlain) { try raw("plain", commits, 1) },
            .init(Report.store) { try ours("append-store", "store", commits, subjects, 1) },
            .init(Report.consume) { try ours("consume", "consume", commits, subjects) },
        ])
    }

    // MARK: Reading

    /// All of them read the file that `Ledger.record` filled.
    private func readComparison() -> Comparison {
        let path = programs.path("ledger")
        return Comparison([
            .init(Report.rawScan) { try programs.runRaw("scan", path) },
            .init(Report.scan) { try programs.runOurs("scan", path) },
            .init(Report.replayOne) { try programs.runOurs("replay", path, "1") },
            .init(Report.replayTwo) { try programs.runOurs("replay", path, "2") },
        ])
    }

    private func startComparison() -> Comparison {
        let path = programs.path("ledger")
        let folder = path + ".snapshots"
        return Comparison([
            .init(Report.openCold) {
                try FileManager.default.removeItem(atPath: folder, ifThere: true)
                return try programs.runOurs("open", path, subjects)
            },
            .init(Report.check) {
                try programs.runOurs("check", path, subjects, String(scale.questions))
            },
            .init(Report.snapshot) { try programs.runOurs("snapshot", path) },
            .init(Report.openSnapshot) { try programs.runOurs("open", path, subjects) },
        ])
    }

    // MARK: The App Store

    private func verifyComparison() -> Comparison {
        let count = String(scale.notifications)
        return Comparison([
            .init(Report.bare) { try programs.runOurs("verify-bare", "-", count) },
            .init(Report.warm) { try programs.runOurs("verify-warm", "-", count) },
            .init(Report.cold) { try programs.runOurs("verify-cold", "-", count) },
        ])
    }
}
