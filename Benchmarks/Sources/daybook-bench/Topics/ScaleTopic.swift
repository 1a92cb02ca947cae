import Foundation

/// A ledger that is folded elsewhere, by processes that each have some of its cases.
extension Benchmark {
    /// As many processes, threads and files as the replay beside them has workers.
    private static let processes = 2

    var folds: Topic {
        let large = scale.sizes.last ?? scale.events
        let small = large / 10
        func title(_ what: String, _ events: Int) -> String {
            "\(what), \(events.formatted()) events"
        }
        let start = "daybook fold of nothing"
        let (fold, whole) = ("daybook fold", "daybook fold --all --currency EUR")
        let (rows, export) = ("Ledger.replay, rows, digested and compared", "daybook export")
        func folded(_ events: Int, _ words: [String] = []) throws -> Measurement {
            try programs.runOurs(
                ["fold-cases", cases(events), programs.server, String(Self.processes)] + words)
        }
        var ways: [Comparison.Way] = [
            .init(start) {
                try programs.runOurs("fold-cases", cases(small), programs.server, "0")
            }
        ]
        for events in [small, large] {
            let roundMax = events == large ? 2 : Int.max
            ways += [
                .init(title(rows, events), roundMax: roundMax) {
                    try replayed(ledger(events), .rows, workers: Self.processes, isComparing: true)
                },
                .init(title(export, events), roundMax: roundMax) { try exported(events) },
                .init(title(fold, events), roundMax: roundMax) { try folded(events) },
                .init(title(whole, events), roundMax: roundMax) {
                    try folded(events, ["--all", "--currency", "EUR"])
                },
            ]
        }
        /// Seconds of all cores for one event, without what a fold of nothing takes.
        func perEvent(_ title: String, _ comparison: Comparison) -> Double {
            let idle = Statistics.median(comparison[start].map { $0["seconds"] })
            return Statistics.median(
                comparison[title].map { ($0["seconds"] - idle) / $0["events"] })
        }
        func peak(_ title: String, _ comparison: Comparison) -> Double {
            Statistics.median(comparison[title].map { $0["peak_bytes"] })
        }
        return Topic(
            "Folds elsewhere",
            note: """
                A tenth as many customers as events, in random order. An export writes \
                \(Self.processes) files by as many threads; each is folded by a process of its own, \
                all at once, and the time is that until the last one ended. The replay beside them \
                has as many workers, folds the rows of the one file, digests every state and \
                compares. Peaks are those of one process.
                """,
            share: 0.2, ways: ways,
            tables: [
                [
                    .value("seconds", 2) { $0["seconds"] }, .rate("events"),
                    Column("µs/event, start apart") { comparison, way in
                        Figure.decimal(1_000_000 * perEvent(way.title, comparison), 2)
                    }, .value("bytes/event", 0) { $0["file_bytes"] / $0["events"] }, .peak,
                ]
            ],
            goals: [
                Goal(
                    "time per event at \(large.formatted()), of that at \(small.formatted())",
                    .atMost, 1.15
                ) { perEvent(title(fold, large), $0) / perEvent(title(fold, small), $0) },
                Goal("the same with all metrics", .atMost, 1.15) {
                    perEvent(title(whole, large), $0) / perEvent(title(whole, small), $0)
                },
                Goal("peak of a process, the same", .atMost, 1.15) {
                    peak(title(fold, large), $0) / peak(title(fold, small), $0)
                },
                Goal("peak with all metrics, the same", .atMost, 1.15) {
                    peak(title(whole, large), $0) / peak(title(whole, small), $0)
                },
            ],
            prepare: {
                for events in [small, large] {
                    _ = try ours(
                        "append-ledger", ledger(events), events, events / 10, Self.batchCount)
                    _ = try snapshot(ledger(events))
                    _ = try exported(events)
                }
            })
    }

    private func ledger(_ events: Int) -> String { "folds-\(events)" }

    private func cases(_ events: Int) -> String { programs.folder + "/cases-\(events)" }

    /// Writes all files anew.
    private func exported(_ events: Int) throws -> Measurement {
        try FileManager.default.removeItem(atPath: cases(events), ifThere: true)
        let start = ContinuousClock.now
        _ = try programs.run(
            programs.server,
            [
                "export", "--partitions", String(Self.processes), "--output", cases(events),
                "--ledger", programs.path(ledger(events)),
            ])
        var measurement = Measurement()
        measurement["seconds"] = start.secondsSince
        measurement["events"] = Double(events)
        let files = try FileManager.default.contentsOfDirectory(atPath: cases(events))
        measurement["file_bytes"] = 0
        for file in files {
            var part = Measurement()
            try part.noteFile("\(cases(events))/\(file)")
            measurement["file_bytes"] += part["file_bytes"]
        }
        return measurement
    }
}
