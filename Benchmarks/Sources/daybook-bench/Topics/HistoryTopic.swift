/// What it costs that a history has a name: backups, and looking at everything again.
extension Benchmark {
    private static let copied = "cp and sync"
    private static let backedUp = "Ledger.backUp, copied and verified"
    private static let proved = "Ledger.proveBackup, every row hashed"
    private static let verified = "Ledger.verify, everything"

    var history: Topic {
        let path = programs.path("ledger")
        let target = programs.path("backup")
        return Topic(
            "History",
            note: """
                The file of \(Self.count(scale.events)) events that Ledger.record filled. A backup is \
                copied page by page and then verified by its hash before it gets its name.
                """,
            share: 0.04,
            ways: [
                .init(Self.copied) { try programs.runOurs("copy", path, target) },
                .init(Self.backedUp) { try programs.runOurs("backup", path, target) },
                .init(Self.proved) { try programs.runOurs("prove", path) },
                .init(Self.verified) { try programs.runOurs("verify-all", path) },
            ],
            tables: [
                [
                    .count("events") { $0["events"] }, .rate("events"), .range,
                    .ratio(to: Self.copied, "of cp"), .peak,
                ]
            ])
    }
}
