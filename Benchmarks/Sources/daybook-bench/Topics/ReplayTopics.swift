/// What reading everything costs, and what it takes until the first answer.
extension Benchmark {
    private static let scan = "raw C, scan and a simple fold"
    private static let records = "raw C, the same fold over bare records"
    private static let rowUses = "raw C, by customer, each use kept, rows"
    private static let uses = "raw C, by customer, each use kept, bare records"
    private static let rowsOne = "Ledger.replay, rows, 1 worker"
    private static let rowsTwo = "Ledger.replay, rows, 2 workers"
    private static let segmentsOne = "Ledger.replay, segments, 1 worker"
    private static let segmentsTwo = "Ledger.replay, segments, 2 workers"
    private static let compared = "Ledger.replay, segments, 2 workers, digested and compared"

    /// All of them read the file that `Ledger.record` filled.
    var replay: Topic {
        let path = programs.path("ledger")
        let bare = path + ".records"
        return Topic(
            "Replay",
            note: """
                Every column that a fold reads, of all \(Self.count(scale.events)) events, in the \
                file that Ledger.record filled. A replay folds all projections of every aggregate; the \
                last line also digests every state and compares it with the ledger's. The bare \
                records are those of the segments, mapped, 64 bytes each. What is kept of a customer \
                is what a replay keeps, folded in the same order: one after the other, in memory that \
                is used again.
                """,
            share: 0.12,
            ways: [
                .init(Self.scan) { try programs.runRaw("scan", path) },
                .init("SQLiteEventStore.scan") { try programs.runOurs("scan", path) },
                .init(Self.rowUses) { try programs.runRaw("rows", path) },
                .init(Self.rowsOne) { try replayed("ledger", .rows) },
                .init(Self.rowsTwo) { try replayed("ledger", .rows, workers: 2) },
                .init(Self.records) { try programs.runRaw("records", bare) },
                .init(Self.uses) { try programs.runRaw("uses", bare) },
                .init(Self.segmentsOne) { try replayed("ledger", .segments) },
                .init(Self.segmentsTwo) { try replayed("ledger", .segments, workers: 2) },
                .init(Self.compared) {
                    try replayed("ledger", .segments, workers: 2, isComparing: true)
                },
            ],
            tables: [
                [
                    .rate("events"), .range, .ratio(to: Self.scan, "of raw C, rows"),
                    .ratio(to: Self.rowUses, "of raw C, uses of rows"),
                    .ratio(to: Self.records, "of raw C, records"),
                    .ratio(to: Self.uses, "of raw C, uses"),
                    .peak,
                ]
            ],
            goals: [
                .ratio(Self.rowsOne, to: Self.rowUses, atLeast: 1),
                .ratio(Self.rowsTwo, to: Self.rowsOne, atLeast: 1.4),
                .ratio(Self.segmentsOne, to: Self.scan, atLeast: 6),
                .ratio(Self.segmentsOne, to: Self.uses, atLeast: 0.35),
                .ratio(Self.compared, to: Self.segmentsTwo, atLeast: 0.25),
            ],
            prepare: {
                try snapshot("ledger")
                _ = try programs.runOurs("records", path, bare)
            })
    }

    var opening: Topic {
        let path = programs.path("ledger")
        let subjects = String(scale.subjects)
        let (cold, warm) = ("open, answer, close, no snapshot", "open, answer, close, snapshot")
        return Topic(
            "Opening and answers",
            note: """
                The same ledger of \(Self.count(scale.events)) events over \
                \(Self.count(scale.subjects)) customers; each opening in a new process, the file \
                in the page cache. The whole process is this program's, from its start to its end. \
                What the largest ledgers need stands under Growth.
                """,
            share: 0.05,
            ways: [
                .init(cold) {
                    try removeSnapshots(of: "ledger")
                    return try programs.runOurs("open", path, subjects)
                },
                .init("Ledger.snapshot") { try snapshot("ledger") },
                .init(warm) { try programs.runOurs("open", path, subjects) },
                .init("Ledger.check from memory") {
                    try programs.runOurs("check", path, subjects, String(scale.questions))
                },
                .init(Self.rowsOne) { try replayed("ledger", .rows) },
            ],
            tables: [
                [
                    .value("ms", 3) { 1_000 * $0["seconds"] },
                    .value("whole process, ms", 0) { 1_000 * $0["process_seconds"] },
                    .rate("answers or events"),
                    .count("snapshot bytes") { $0["snapshots_bytes"] }, .peak,
                ]
            ])
    }

    var foldAlone: Topic {
        let (events, subjects) = (String(scale.events), String(scale.subjects))
        let people = String(scale.residents)
        let (uses, months) = ("uses of one meter", "synthetic months")
        return Topic(
            "The fold alone",
            note: """
                \(Self.count(scale.events)) events in memory, uses of one meter, \(Self.count(scale.subjects)) \
                customers in random order, and the months of all apps; all projections, into fresh \
                states, one core, memory in large pages as a replay has it.
                """,
            share: 0.02,
            ways: [
                .init(uses) { try programs.runInLargePages("fold", "-", events, subjects, "1") },
                .init(months) { try programs.runInLargePages("fold-month", "-", people, "1") },
            ],
            tables: [[.rate("events"), .range, .peak]],
            goals: [uses, months].map { way in
                Goal("\(way), events per second and core", .atLeast, 20_000_000) { comparison in
                    Statistics.median(comparison[way].map(\.rate))
                }
            })
    }

    var oneSubject: Topic {
        let (subjects, questions) = (scale.readers, scale.readers / 5)
        let index = "raw C, through an index on (stream, version), a simple fold"
        let refold = "Ledger.check as known one event ago"
        let (history, explain) = ("Ledger.history", "Ledger.explain")
        func ask(_ sample: String) throws -> Measurement {
            try programs.runOurs(
                sample, programs.path("readers"), String(subjects), String(questions))
        }
        return Topic(
            "One customer's events",
            note: """
                \(Self.count(subjects)) customers of 50 events each on average, in random order; \
                \(Self.count(questions)) of them are asked about. As known one event ago, the \
                state in memory is no answer: the customer's rows are read and folded. A status is of now; an \
                explanation asks again at every moment at which the answer changed.
                """,
            share: 0.04,
            ways: [
                .init(index) {
                    try programs.runRaw(
                        "subject", programs.path("readers-index"), String(questions))
                },
                .init(refold) { try ask("refold") },
                .init(history) { try ask("history") },
                .init("Ledger.status") { try ask("status") },
                .init(explain) { try ask("explain") },
            ],
            tables: [
                [
                    .rate("customers"), .range,
                    .value("µs", 1) { 1_000_000 * $0["seconds"] / $0["events"] },
                    .ratio(to: index, "of raw C"),
                ]
            ],
            goals: [
                .ratio(refold, to: index, atLeast: 0.9), .ratio(history, to: index, atLeast: 0.6),
                .ratio(explain, to: index, atLeast: 0.05),
            ],
            prepare: {
                _ = try ours(
                    "append-ledger", "readers", subjects * 50, subjects, Self.batchCount)
                try programs.copy("readers", to: "readers-index")
                _ = try programs.runRaw("index", programs.path("readers-index"))
                try snapshot("readers")
            })
    }
}
