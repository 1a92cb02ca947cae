/// What a question costs that memory answers, and one that must be folded first.
extension Benchmark {
    private static let atHand = "1,000 customers, at hand"
    private static let folded = "20,000 customers, no segments"
    private static let packed = "20,000 customers, segments"
    private static let everyone = "all customers, segments"
    private static let quiet = "nothing else"
    private static let besideOne = "beside a writer of single events"
    private static let besideMany = "beside a writer of batches of 1,000"
    private static let raw = "raw C, "

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

    var checkLatency: Topic {
        let (subjects, questions) = (1_000, scale.questions)
        func ask(batch: Int) throws -> Measurement {
            try programs.copy("ledger", to: "check-latency")
            // Else the first commit has a snapshot and all segments written, which is another topic.
            try snapshot("check-latency")
            return try programs.runOurs(
                "check-latency", programs.path("check-latency"), String(scale.events),
                String(subjects), String(questions), String(batch))
        }
        func askRaw(batch: Int) throws -> Measurement {
            try programs.remove("beside")
            return try programs.runRaw(
                "beside", programs.path("beside"), String(questions), String(batch),
                programs.path("empty"))
        }
        func ratio(_ way: String, to other: String) -> (Comparison) -> Double {
            { comparison in
                Statistics.median(
                    zip(comparison[way], comparison[other]).map {
                        $0["p99.9_us"] / $1["p99.9_us"]
                    })
            }
        }
        return Topic(
            "Checks beside a writer",
            note: """
                How long single checks of \(Self.count(subjects)) customers at hand take, \
                \(Self.count(questions)) by one thread, while nothing else happens and while another thread \
                records further events of the same customers as fast as it can; snapshot and segments are there. Raw C \
                finds a customer by name in a table in memory and copies as many bytes as a decision has, under a \
                lock that its writer takes to count what it has written, twenty times for each answer that is timed, \
                which then takes about as long as a check.
                """,
            share: 0.03,
            ways: [
                .init(Self.quiet) { try ask(batch: 0) },
                .init(Self.besideOne) { try ask(batch: 1) },
                .init(Self.besideMany) { try ask(batch: Self.batchCount) },
                .init(Self.raw + Self.quiet) { try askRaw(batch: 0) },
                .init(Self.raw + Self.besideOne) { try askRaw(batch: 1) },
                .init(Self.raw + Self.besideMany) { try askRaw(batch: Self.batchCount) },
            ],
            tables: [
                ["p50", "p99", "p99.9"].map { name in
                    .value("\(name) µs", 1) { $0[name + "_us"] }
                } + [
                    .value("longest, ms", 1) { $0["longest_ms"] },
                    .value("recorded meanwhile", 0) { $0["recorded"] },
                ]
            ],
            goals: [Self.besideOne, Self.besideMany].flatMap { way in
                [
                    // Raw C is no steadier itself: where threads share two processors, some answers wait for one.
                    Goal("p99.9, \(way), of the quiet one, of the same in raw C", .atMost, 1) {
                        comparison in
                        ratio(way, to: Self.quiet)(comparison)
                            / ratio(Self.raw + way, to: Self.raw + Self.quiet)(comparison)
                    },
                    Goal(
                        "p99.9, \(way), of twenty look-ups in raw C", .atMost, 3,
                        ratio(way, to: Self.raw + way)),
                ]
            })
    }

    private static func microseconds(_ measurement: Measurement) -> Double {
        1_000_000 * measurement["seconds"] / measurement["events"]
    }
}
