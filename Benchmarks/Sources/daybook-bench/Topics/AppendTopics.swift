import DaybookFixtures

/// What writing costs.
extension Benchmark {
    private static let plain = "raw C, no secondary index, no trigger"
    private static let unhashed = "raw C, the same without the history's hash"
    private static let triggers = "raw C, with Daybook's triggers"
    private static let indexes = "raw C, unique (stream, version) and (source, key)"
    private static let store = "SQLiteEventStore.append"
    private static let record = "Ledger.record, typed reports"
    private static let batches = "Ledger.record(batches:), typed reports"

    var append: Topic {
        let (events, subjects, batch) = (scale.events, scale.subjects, Self.batchCount)
        return Topic(
            "Append",
            note: """
                \(Self.count(events)) events over \(Self.count(subjects)) customers in random \
                order, batches of \(Self.count(batch)), WAL, synchronous=FULL, a checkpoint when \
                the log exceeds 32 MiB. Raw C hashes the same bytes as Daybook, with OpenSSL; \
                SQLiteEventStore is handed the digests of the rows, as a ledger does. With batches: \
                the next one is prepared while one is written.
                """,
            share: 0.22,
            ways: [
                .init(Self.plain) { try raw("plain", events, subjects, batch: batch) },
                .init(Self.unhashed) { try raw("unhashed", events, subjects, batch: batch) },
                .init(Self.store) {
                    let sample = try ours("append-store", "store", events, subjects, batch)
                    try checkSameRows()
                    return sample
                },
                .init(Self.triggers) { try raw("triggers", events, subjects, batch: batch) },
                .init(Self.record) { try ours("append-ledger", "ledger", events, subjects, batch) },
                .init(Self.batches) {
                    try ours("append-batches", "batches", events, subjects, batch)
                },
                .init(Self.indexes) { try raw("indexes", events, subjects, batch: batch) },
            ],
            tables: [
                [
                    .rate("events"), .range, .ratio(to: Self.plain, "of raw C"),
                    .ratio(to: Self.indexes, "of raw C, indexes"),
                    .value("last fifth / first", 2, \.lastFifthOfFirst),
                    .value("bytes/event", 1) { $0["file_bytes"] / $0["events"] }, .peak,
                ]
            ],
            goals: [
                .ratio(Self.batches, to: Self.plain, atLeast: 0.5),
                .ratio(Self.batches, to: Self.indexes, atLeast: 10),
            ])
    }

    /// The ratios mean something only if both programs wrote the same rows, and hashed the same bytes: the ledger that
    /// raw C wrote is verified by Daybook.
    private func checkSameRows() throws {
        _ = try programs.runOurs("prove", programs.path("plain"))
        let ours = try programs.runRaw("digest", programs.path("store"))
        let theirs = try programs.runRaw("digest", programs.path("plain"))
        for half in ["digest_high", "digest_low"] where ours[half] != theirs[half] {
            throw BenchmarkError("raw and Workload.swift wrote different rows; make them agree")
        }
    }

    var commits: Topic {
        let (commits, subjects, clients) = (scale.commits, scale.subjects, 64)
        let (single, groups) = ("raw C, single commits", "raw C, groups of \(clients)")
        let bare = "raw C, single commits without the history's hash"
        let sharing = "raw C, \(clients) clients, a thread each"
        let (one, many) = ("Ledger.consume, one client", "Ledger.consume, \(clients) clients")
        let uses = commits * 10
        return Topic(
            "Durable commits",
            note: """
                One event a commit, one after the other, \(Self.count(commits)) in a new file; and \
                \(Self.count(uses)) of \(clients) clients in one process, each with customers of \
                its own, beside groups of \(clients) events a commit, and beside as many threads in \
                C, each of which hands over a row of any customer, and one writes those that wait.
                """,
            share: 0.04,
            ways: [
                .init(single) { try raw("plain-single", commits, subjects, batch: 1) },
                .init(bare) { try raw("unhashed-single", commits, subjects, batch: 1) },
                .init(Self.store) {
                    try ours("append-store", "store-single", commits, subjects, 1)
                },
                .init(one) { try ours("consume", "consume", commits, subjects, 1) },
                .init(groups) { try raw("plain-groups", uses, subjects, batch: clients) },
                .init(sharing) {
                    try programs.remove("threads")
                    let measured = try programs.runRaw(
                        "clients", programs.path("threads"), String(uses), String(subjects),
                        String(clients), programs.path("empty"))
                    _ = try programs.runOurs("prove", programs.path("threads"))
                    return measured
                },
                .init(many) { try ours("consume", "clients", uses, subjects, clients) },
            ],
            tables: [
                [
                    .rate("events"), .range, .ratio(to: single, "of single commits"),
                    .ratio(to: groups, "of groups"), .ratio(to: sharing, "of clients in C"),
                ]
            ],
            goals: [
                .ratio(one, to: single, atLeast: 0.85),
                // Clients in C, which decide nothing, reach less than that of the groups themselves.
                .ratio(many, to: sharing, atLeast: 0.6),
            ])
    }

    var imports: Topic {
        let (events, subjects) = (scale.imports, max(1, scale.imports / 10))
        let title = "Ledger.importLines"
        let lines = programs.path("typed") + ".ndjson"
        return Topic(
            "Import",
            note: """
                \(Self.count(events)) canonical lines over \(Self.count(subjects)) customers, as an \
                export writes them, into a new ledger; beside the same events as typed reports.
                """,
            share: 0.06,
            ways: [
                .init(Self.record) {
                    try ours("append-ledger", "typed", events, subjects, Self.batchCount)
                },
                .init("Ledger.export") {
                    try programs.runOurs("export", programs.path("typed"), lines)
                },
                .init(title) {
                    try programs.remove("import")
                    return try programs.runOurs(
                        "import", programs.path("import"), lines, String(events))
                },
            ],
            tables: [
                [.rate("events"), .range, .ratio(to: Self.record, "of Ledger.record"), .peak]
            ],
            goals: [.ratio(title, to: Self.record, atLeast: 0.7)])
    }

    var latency: Topic {
        let (events, subjects) = (scale.events, scale.subjects)
        let columns: [Column] = ["median", "p99", "max"].map { name in
            .value("\(name) ms", 2) { $0[name + "_ms"] }
        }
        // Fewer events than make a ledger write a snapshot by itself.
        let kinds = [(batch: 1, count: scale.commits), (batch: Self.batchCount, count: 80)]
        let ways = kinds.flatMap { batch, count in
            [0, 1].map { snapshots in
                Comparison.Way(
                    "batches of \(Self.count(batch)), "
                        + (snapshots == 1 ? "while snapshots are written" : "nothing else")
                ) {
                    try programs.copy("ledger", to: "latency")
                    return try programs.runOurs(
                        "latency", programs.path("latency"), String(events), String(subjects),
                        String(batch), String(count), String(snapshots))
                }
            }
        }
        return Topic(
            "Append beside a snapshot",
            note: """
                How long a call of Ledger.record takes on top of \(Self.count(events)) events, \
                alone and while another thread writes one snapshot after the other.
                """,
            share: 0.06, ways: ways,
            tables: [
                [.rate("events")] + columns + [.value("snapshots meanwhile", 0) { $0["snapshots"] }]
            ],
            goals: [
                Goal(
                    "p99 of batches of 1, while snapshots are written, of the quiet one", .atMost, 2
                ) { comparison in
                    Statistics.median(
                        zip(comparison[ways[1].title], comparison[ways[0].title]).map {
                            $0["p99_ms"] / $1["p99_ms"]
                        })
                }
            ],
            prepare: { try snapshot("ledger") })
    }
}
