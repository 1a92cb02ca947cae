/// What it costs to ask about every customer.
extension Benchmark {
    private static let plainOne = "Ledger.replay, digested and compared, 1 worker"
    private static let plainTwo = "Ledger.replay, digested and compared, 2 workers"
    private static let whatIfOne = "Ledger.whatIf, another catalog, 1 worker"
    private static let whatIfTwo = "Ledger.whatIf, another catalog, 2 workers"
    private static let trace = "Ledger.digests, after each event, 2 workers"

    var audit: Topic {
        let path = programs.path("audited")
        func replayed(workers: Int) throws -> Measurement {
            try self.replayed("audited", .segments, workers: workers, isComparing: true)
        }
        func ratio(_ way: String, of other: String) -> (Comparison) -> Double {
            { Statistics.median($0[way].map(\.rate)) / Statistics.median($0[other].map(\.rate)) }
        }
        return Topic(
            "Audit",
            note: """
                A month of \(Self.count(scale.audited)) people of Dozzi. The what-if asks what would be \
                different at its end if every free limit were one less: each customer's features and \
                meters under both catalogs. `daybook replay` takes one worker unless told otherwise, \
                a what-if all cores.
                """,
            share: 0.04,
            ways: [
                .init(Self.plainOne) { try replayed(workers: 1) },
                .init(Self.plainTwo) { try replayed(workers: 2) },
                .init(Self.whatIfOne) { try programs.runOurs("what-if", path, "dozzi", "1") },
                .init(Self.whatIfTwo) { try programs.runOurs("what-if", path, "dozzi", "2") },
                .init(Self.trace) { try programs.runOurs("digests", path, "2") },
            ],
            tables: [
                [
                    .count("events") { $0["events"] }, .rate("events"), .range,
                    .ratio(to: Self.plainOne, "of a plain replay"), .peak,
                ]
            ],
            goals: [
                Goal(
                    "time of a plain replay, by \(Self.whatIfTwo)", .atMost, 2.5,
                    ratio(Self.plainOne, of: Self.whatIfTwo)),
                Goal(
                    "time of a plain replay, both with 2 workers", .atMost, 2.5,
                    ratio(Self.plainTwo, of: Self.whatIfTwo)),
            ],
            prepare: {
                try programs.remove("audited")
                _ = try programs.runOurs("month", path, "dozzi", String(scale.audited))
            })
    }
}
