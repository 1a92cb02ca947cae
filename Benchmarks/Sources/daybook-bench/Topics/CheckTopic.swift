/// What a question costs that memory answers, and one that must be folded first.
extension Benchmark {
    private static let atHand = "1,000 customers, at hand"
    private static let folded = "20,000 customers, no segments"
    private static let packed = "20,000 customers, segments"
    private static let everyone = "all customers, segments"

    var checks: Topic {
        let path = programs.path("checks")
        func ask(_ sample: String, _ subjects: Int) throws -> Measurement {
            try programs.runOurs(sample, path, String(subjects), String(scale.questions))
        }
        func microseconds(_ way: String) -> (Comparison) -> Double {
            { comparison in Statistics.median(comparison[way].map(Self.microseconds)) }
        }
        return Topic(
            "Checks",
            note: """
                A ledger of \(Self.count(scale.events)) events over \(Self.count(scale.subjects)) customers; \
                \(Self.count(scale.questions)) checks of one meter by one thread, customers in random \
                order. At hand: each was asked about before. The other lines begin with nothing folded, so \
                that the first question about a customer reads and folds the events.
                """,
            share: 0.04,
            ways: [
                .init(Self.atHand) { try ask("check-again", 1_000) },
                .init(Self.folded) {
                    try removeSnapshots(of: "checks")
                    return try ask("check", 20_000)
                },
                .init(Self.packed) {
                    try snapshot("checks")
                    return try ask("check", 20_000)
                },
                .init(Self.everyone) { try ask("check", scale.subjects) },
            ],
            tables: [
                [.value("µs", 1, Self.microseconds), .rate("checks"), .range, .peak]
            ],
            goals: [
                Goal("µs, \(Self.atHand)", .atMost, 2, places: 1, microseconds(Self.atHand)),
                Goal("µs, \(Self.folded)", .atMost, 15, places: 1, microseconds(Self.folded)),
                Goal("µs, \(Self.packed)", .atMost, 8, places: 1, microseconds(Self.packed)),
                Goal("µs, \(Self.everyone)", .atMost, 10, places: 1, microseconds(Self.everyone)),
            ],
            prepare: {
                _ = try ours(
                    "append-ledger", "checks", scale.events, scale.subjects, Self.batchCount)
            })
    }

    private static func microseconds(_ measurement: Measurement) -> Double {
        1_000_000 * measurement["seconds"] / measurement["events"]
    }
}
