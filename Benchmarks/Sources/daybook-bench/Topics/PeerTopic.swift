/// Daybook beside the Python package `eventsourcing` on its SQLite recorder.
extension Benchmark {
    var peer: Topic {
        let events = scale.peerEvents
        let (subjects, readers) = (events / 10, max(1, events / 50))
        let questions = max(1, readers / 5)
        let (recorder, application) = ("Python, recorder, insert", "Python, application, save")
        let (select, subject) = ("Python, recorder, select all", "Python, one aggregate")
        let (record, rows) = ("Ledger.record", "Ledger.replay, rows")
        let (segments, refold) = ("Ledger.replay, segments", "Ledger.check as known one event ago")
        func python(_ command: String, _ file: String, _ numbers: Int...) throws -> Measurement {
            if command != "select", command != "subject" { try programs.remove(file) }
            return try programs.runPeer([command, programs.path(file)] + numbers.map(String.init))
        }
        return Topic(
            "Python eventsourcing",
            note: """
                \(Self.count(events)) events over \(Self.count(subjects)) customers in random \
                order, batches of \(Self.count(Self.batchCount)); the package's defaults: WAL, \
                synchronous=FULL. Its recorder inserts stored events that are ready; its \
                application calls a method for each event and saves the aggregates of a batch in \
                one commit; its select reads notifications, 1,000 at a time, and folds nothing. One \
                customer has 50 events on average.
                """,
            share: 0.08,
            ways: [
                .init(recorder) {
                    try python("recorder", "peer", events, subjects, Self.batchCount)
                },
                .init(application) {
                    try python("application", "peer-app", events, subjects, Self.batchCount)
                },
                .init(record) {
                    let sample = try ours(
                        "append-ledger", "beside", events, subjects, Self.batchCount)
                    try snapshot("beside")
                    return sample
                },
                .init(select) { try python("select", "peer") },
                .init(rows) { try replayed("beside", .rows) },
                .init(segments) { try replayed("beside", .segments) },
                .init(subject) { try python("subject", "peer-readers", questions) },
                .init(refold) {
                    try programs.runOurs(
                        "refold", programs.path("beside-readers"), String(readers),
                        String(questions))
                },
            ],
            tables: [[.rate("events or customers"), .range]],
            goals: [
                .ratio(record, to: recorder, atLeast: 2.5),
                .ratio(record, to: application, atLeast: 6),
                .ratio(rows, to: select, atLeast: 8),
                .ratio(segments, to: select, atLeast: 80),
                .ratio(refold, to: subject, atLeast: 10),
            ],
            prepare: {
                _ = try python("application", "peer-readers", events, readers, Self.batchCount)
                _ = try ours(
                    "append-ledger", "beside-readers", events, readers, Self.batchCount)
                try snapshot("beside-readers")
            })
    }
}
