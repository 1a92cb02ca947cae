import Foundation

/// How everything grows with the ledger.
extension Benchmark {
    /// The naive store with two unique indexes stops here: it takes minutes above.
    private static let indexedEventsMax = 1_000_000
    private static let openings = 5
    /// Searches of each kind.
    private static let searches = 1_001

    var growth: Topic {
        let sizes = scale.sizes
        let ways = sizes.map { events in
            Comparison.Way(
                "\(events.formatted()) events", roundMax: events > Self.indexedEventsMax ? 1 : .max
            ) { try grown(events) }
        }
        /// Of the largest size that was measured, and of the one before.
        func largest(_ comparison: Comparison) -> [Measurement] {
            comparison.ways.filter { !$0.samples.isEmpty }.suffix(2).map { way in
                Measurement(medianOf: way.samples)
            }
        }
        func last(_ value: @escaping (Measurement) -> Double) -> (Comparison) -> Double {
            { comparison in largest(comparison).last.map(value) ?? .nan }
        }
        return Topic(
            "Growth",
            note: """
                A tenth as many customers as events, in random order, batches of \
                \(Self.count(Self.batchCount)). The replays open the ledger with its snapshot; own \
                memory is what is no mapped file. The targets are those of the largest ledger here\
                \(sizes.last.map { ", \($0.formatted()) events" } ?? "").
                """,
            share: 1, ways: ways,
            tables: [Self.writingColumns, Self.readingColumns, Self.searchColumns],
            goals: [
                Goal(
                    "Ledger.record, last fifth of first fifth", .atLeast, 0.9,
                    last { $0["record_first_fifth_seconds"] / $0["record_last_fifth_seconds"] }),
                Goal(
                    "Ledger.record, of raw C, no secondary index", .atLeast, 0.45,
                    last { $0["record_rate"] / $0["plain_rate"] }),
                Goal(
                    "open, answer, close with a snapshot, of a full row replay's time", .atMost,
                    0.005, places: 4, last { $0["warm_seconds"] / $0["rows_seconds"] }),
                Goal(
                    "the same, of its own time at a tenth of the customers", .atMost, 2,
                    { comparison in
                        let pair = largest(comparison)
                        guard pair.count == 2 else { return .nan }
                        return pair[1]["warm_seconds"] / pair[0]["warm_seconds"]
                    }),
                Goal(
                    "daybook serve, from its start until it is ready, with a snapshot, ms", .atMost,
                    150, places: 0, last { 1_000 * $0["ready_seconds"] }),
                Goal(
                    "check, customers at random, µs", .atMost, 10,
                    last { 1_000_000 * $0["check_seconds"] / $0["check_events"] }),
                Goal(
                    "find a customer by any id, worst of a thousand, ms", .atMost, 10,
                    last { 1_000 * $0["find_id_worst_seconds"] }),
                Goal(
                    "own memory of a full row replay, MB", .atMost, 400, places: 0,
                    last { $0["rows_peak_own_bytes"] / 1_000_000 }),
                Goal(
                    "own memory of an import of as many lines, MB", .atMost, 256, places: 0,
                    last { $0["import_peak_own_bytes"] / 1_000_000 }),
            ])
    }

    private static var writingColumns: [Column] {
        [
            .count("raw C/s") { $0["plain_rate"] },
            .count("raw C, indexes/s") { $0["indexes_rate"] },
            .count("Ledger.record/s") { $0["record_rate"] },
            .value("of raw C", 2) { $0["record_rate"] / $0["plain_rate"] },
            .value("last fifth / first", 2) {
                $0["record_first_fifth_seconds"] / $0["record_last_fifth_seconds"]
            },
            .value("peak MB", 0) { $0["record_peak_bytes"] / 1_000_000 },
            .value("file bytes/event", 1) { $0["record_file_bytes"] / $0["record_events"] },
            .value("lookup arrays", 1) { $0["snapshot_keys_bytes"] / $0["record_events"] },
            .value("segments", 1) { $0["snapshot_segments_bytes"] / $0["record_events"] },
            .value("snapshot", 1) { $0["snapshot_snapshots_bytes"] / $0["record_events"] },
        ]
    }

    private static var readingColumns: [Column] {
        [
            .value("open, no snapshot, ms", 1) { 1_000 * $0["cold_seconds"] },
            .value("open, snapshot, ms", 2) { 1_000 * $0["warm_seconds"] },
            .value("serve until ready, ms", 0) { 1_000 * $0["ready_seconds"] },
            .value("write snapshot, ms", 0) { 1_000 * $0["snapshot_seconds"] },
            .value("check, all customers, µs", 1) {
                1_000_000 * $0["check_seconds"] / $0["check_events"]
            },
            .count("replay, rows/s") { $0["rows_rate"] },
            .count("replay, segments/s") { $0["segments_rate"] },
            .value("own MB, rows", 0) { $0["rows_peak_own_bytes"] / 1_000_000 },
            .value("own MB, segments", 0) { $0["segments_peak_own_bytes"] / 1_000_000 },
            .value("peak MB, rows", 0) { $0["rows_peak_bytes"] / 1_000_000 },
            .count("backup --check/s") { $0["prove_rate"] },
            .count("verify/s") { $0["verify_rate"] },
            .value("peak MB, verify", 0) { $0["verify_peak_bytes"] / 1_000_000 },
            .count("import/s") { $0["import_rate"] },
            .value("own MB, import", 0) { $0["import_peak_own_bytes"] / 1_000_000 },
        ]
    }

    private static var searchColumns: [Column] {
        [
            .value("first search by an id, ms", 1) { 1_000 * $0["find_first_seconds"] },
            .value("by an id, ms", 3) { 1_000 * $0["find_id_seconds"] },
            .value("worst", 2) { 1_000 * $0["find_id_worst_seconds"] },
            .value("ten by a prefix, ms", 3) { 1_000 * $0["find_prefix_seconds"] },
            .value("worst", 2) { 1_000 * $0["find_prefix_worst_seconds"] },
        ]
    }

    /// Everything about one size; what takes too long is left out, and its cells stay empty.
    private func grown(_ events: Int) throws -> Measurement {
        let subjects = max(1, events / 10)
        let (path, batch) = (programs.path("growth"), Self.batchCount)
        var all = Measurement()
        func note(_ name: String, _ take: () throws -> Measurement) {
            do {
                all.take(try take(), as: name + "_")
            } catch {
                all.omissions.append(Omission(error, of: name))
            }
        }
        note("plain") { try raw("plain", events, subjects, batch: batch) }
        try programs.remove("plain")
        if events <= Self.indexedEventsMax {
            note("indexes") { try raw("indexes", events, subjects, batch: batch) }
            try programs.remove("indexes")
        }
        // Without the ledger there is nothing to open.
        all.take(try ours("append-ledger", "growth", events, subjects, batch), as: "record_")
        note("cold") { try programs.runOurs("open", path, String(subjects)) }
        note("snapshot") { try snapshot("growth") }
        note("warm") {
            Measurement(
                medianOf: try (0..<Self.openings).map { _ in
                    try programs.runOurs("open", path, String(subjects))
                })
        }
        note("ready") {
            let seconds = try (0..<Self.openings).map { _ in
                try ServedProgram.secondsToReady(
                    programs.server, ["serve", path, "--port", "0"], log: path + ".log")
            }
            var ready = Measurement()
            ready["seconds"] = Statistics.median(seconds)
            return ready
        }
        note("find") {
            try programs.runOurs(
                "find", path, String(events), String(subjects), String(Self.searches))
        }
        note("check") {
            try programs.runOurs("check", path, String(subjects), String(scale.questions))
        }
        note("rows") { try replayed("growth", .rows) }
        note("segments") { try replayed("growth", .segments) }
        note("prove") { try programs.runOurs("prove", path) }
        note("verify") { try programs.runOurs("verify-all", path) }
        note("import") {
            let lines = path + ".ndjson"
            defer { try? FileManager.default.removeItem(atPath: lines) }
            _ = try programs.runOurs("export", path, lines)
            return try programs.runOurs(
                "import", programs.path("growth-import"), lines, String(events))
        }
        try programs.remove("growth-import")
        try programs.remove("growth")
        return all
    }
}
