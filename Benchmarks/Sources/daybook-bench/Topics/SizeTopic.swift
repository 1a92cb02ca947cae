import DaybookFixtures

/// What an event takes on disk.
extension Benchmark {
    var size: Topic {
        let people = String(scale.residents)
        let ways = Fixtures.apps.map { app in
            Comparison.Way("synthetic month of \(app)", roundMax: 1) { try month(app, people) }
        }
        func ratio(_ part: @escaping (Measurement) -> Double, of whole: String)
            -> (Comparison) -> Double
        {
            { comparison in
                let samples = comparison.ways.flatMap(\.samples)
                return samples.reduce(0) { $0 + part($1) }
                    / samples.reduce(0) { $0 + $1[whole] }
            }
        }
        func rowsAndKeys(_ sample: Measurement) -> Double {
            sample["file_bytes"] + sample["keys_bytes"]
        }
        func each(_ header: String, _ bytes: @escaping (Measurement) -> Double) -> Column {
            .value(header, 1) { bytes($0) / $0["events"] }
        }
        return Topic(
            "Size",
            note: """
                Bytes per event, a month of \(Self.count(scale.residents)) people in each app: the \
                ledger's file with its names, streams and catalog; the lookup arrays of keys beside \
                it, in runs of 16,384 events; segments and snapshots, which can be deleted at any time; \
                and the same events as one JSON text row each (position, canonical line).
                """,
            share: 0.06, ways: ways,
            tables: [
                [
                    .count("events") { $0["events"] }, each("file") { $0["file_bytes"] },
                    each("lookup arrays") { $0["keys_bytes"] }, each("together", rowsAndKeys),
                    each("segments") { $0["segments_bytes"] },
                    each("snapshot") { $0["snapshots_bytes"] },
                    each("JSON text") { $0["text_bytes"] },
                    .value("% of JSON text", 1) { 100 * rowsAndKeys($0) / $0["text_bytes"] },
                ]
            ],
            goals: [
                Goal(
                    "bytes per event, file and lookup arrays, all apps", .atMost, 100, places: 1,
                    ratio(rowsAndKeys, of: "events")),
                Goal(
                    "of the same events as JSON text rows", .atMost, 0.45,
                    ratio(rowsAndKeys, of: "text_bytes")),
            ])
    }

    private func month(_ app: String, _ people: String) throws -> Measurement {
        let (path, lines) = (programs.path("month"), programs.path("month") + ".ndjson")
        try programs.remove("month")
        try programs.remove("text")
        var sample = try programs.runOurs("month", path, app, people)
        _ = try programs.runOurs("export", path, lines)
        let text = try programs.runRaw("text", programs.path("text"), lines)
        guard text["events"] == sample["events"] else {
            throw BenchmarkError("\(app): the export has other lines than the ledger has events")
        }
        sample.take(text, as: "text_")
        sample["text_bytes"] = text["file_bytes"]
        return sample
    }
}
