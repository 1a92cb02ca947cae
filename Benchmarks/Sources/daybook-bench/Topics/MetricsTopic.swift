import Daybook
import Foundation

/// What a question about all customers costs, beside a replay of the same events and beside DuckDB.
extension Benchmark {
    private static let manyEvents = 10_000_000
    /// Of the month: some 1.1 million events.
    private static let people = 15_000
    private static let replayed = "Ledger.replay, segments"
    private static let one = "one metric"
    private static let all = "all metrics"
    private static let again = "all metrics, asked again"
    private static let month = "Ledger.metrics and Ledger.funnel, a month"
    private static let duck = "DuckDB, the same questions"
    private static let cores = ProcessInfo.processInfo.activeProcessorCount

    var metrics: Topic {
        let sizes = [scale.events] + scale.sizes.filter { $0 >= Self.manyEvents }
        let last = sizes.last ?? scale.events
        return Topic(
            "Metrics",
            note: """
                Uses of one meter by a tenth as many customers as events, in random order, with a \
                snapshot and segments; \(Self.cores) workers. The replay folds every event and \
                keeps no state. Questions are by month over the whole time; asked again means \
                with nothing new, then after 1,000 more events. DuckDB reads the same events as \
                Parquet, of the synthetic month of Nuzzle with \(Self.count(Self.people)) people: \
                net revenue and customers by day, and the funnel from paywall to payment. Its \
                questions know of no alias, correction, transfer, weight of statements or state \
                of knowledge.
                """,
            share: 0.08,
            ways: sizes.flatMap(metricWays) + [
                .init(Self.month) {
                    try programs.runOurs("metrics-month", programs.path("metrics-month"))
                },
                .init(Self.duck) {
                    try programs.runPeer(["questions", programs.path("metrics-month.parquet")])
                },
            ],
            tables: [
                [
                    .count("events") { $0["events"] }, .value("seconds", 3) { $0["seconds"] },
                    .rate("events"), .range, .peak,
                ],
                [
                    .value("first, s", 2) { $0["first_seconds"] },
                    .value("again, ms", 1) { $0["again_ms"] },
                    .value("after 1,000 events, ms", 1) { $0["tail_ms"] },
                ],
            ],
            goals: sizes.flatMap { events in
                [
                    Goal(
                        "one metric, times a replay, \(Self.count(events)) events", .atMost, 4.5,
                        Self.times(Self.one, of: Self.replayed, events)),
                    Goal(
                        "all metrics, times a replay, \(Self.count(events)) events", .atMost, 9,
                        Self.times(Self.all, of: Self.replayed, events)),
                ]
            } + [
                Goal(
                    "all metrics asked again, \(Self.count(last)) events, ms", .atMost, 10,
                    Self.median("again_ms", of: Self.title(Self.again, last))),
                .ratio(Self.month, to: Self.duck, atLeast: 0.1),
                Goal(
                    "the same after 1,000 events, ms", .atMost, 100,
                    Self.median("tail_ms", of: Self.title(Self.again, last))),
            ],
            prepare: {
                for events in sizes {
                    _ = try ours(
                        "append-ledger", "metrics-\(events)", events, events / 10,
                        Self.batchCount)
                    try snapshot("metrics-\(events)")
                }
                try programs.remove("metrics-month")
                _ = try programs.runOurs(
                    "month", programs.path("metrics-month"), "nuzzle", String(Self.people))
                let lines = programs.path("metrics-month.ndjson")
                _ = try programs.runOurs("export", programs.path("metrics-month"), lines)
                // Without DuckDB its line is left out, and says so.
                _ = try? programs.runPeer(
                    ["parquet", lines, programs.path("metrics-month.parquet")])
            })
    }

    private func metricWays(_ events: Int) -> [Comparison.Way] {
        let path = programs.path("metrics-\(events)")
        let rounds = events >= Self.manyEvents ? 1 : Int.max
        return [
            .init(Self.title(Self.replayed, events), roundMax: rounds) {
                try replayed("metrics-\(events)", .segments, workers: Self.cores)
            },
            .init(Self.title(Self.one, events), roundMax: rounds) {
                try programs.runOurs("metrics", path, "new_customers")
            },
            .init(Self.title(Self.all, events), roundMax: rounds) {
                try programs.runOurs("metrics", path, "all")
            },
            .init(Self.title(Self.again, events), roundMax: rounds) {
                try programs.runOurs(
                    "metrics-again", path, "all", String(events), String(events / 10), "1000")
            },
        ]
    }

    private static func title(_ what: String, _ events: Int) -> String {
        "\(what), \(count(events)) events"
    }

    private static func times(
        _ what: String, of other: String, _ events: Int
    ) -> (Comparison) -> Double {
        { 1 / $0.ratio(title(what, events), to: title(other, events)) }
    }

    private static func median(_ name: String, of title: String) -> (Comparison) -> Double {
        { comparison in Statistics.median(comparison[title].map { $0[name] }) }
    }
}
