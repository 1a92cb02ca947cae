/// What was measured, as tables.
enum Report {
    static let rawPlain = "raw C, no secondary index, no trigger"
    static let rawTriggers = "raw C, with Daybook's triggers"
    static let rawIndexes = "raw C, unique (stream, version) and (source, key)"
    static let store = "SQLiteEventStore.append"
    static let ledger = "Ledger.record, typed reports"
    static let consume = "Ledger.consume, one client"
    static let rawScan = "raw C, scan and a simple fold"
    static let scan = "SQLiteEventStore.scan"
    static let replayOne = "Ledger.replay, 1 worker"
    static let replayTwo = "Ledger.replay, 2 workers"
    static let openCold = "open and first answer, no snapshot"
    static let openSnapshot = "open and first answer, snapshot"
    static let snapshot = "Ledger.snapshot"
    static let check = "Ledger.check from memory"
    static let bare = "swift-crypto, the signatures alone"
    static let warm = "AppStoreVerifier, chain remembered"
    static let cold = "AppStoreVerifier, chain verified anew"

    static func append(_ samples: Comparison, _ scale: Scale) -> Table {
        var table = Table(
            title: "Append",
            note: """
                \(Figure.count(Double(scale.events))) events over \
                \(Figure.count(Double(scale.subjects))) customers in random order, batches of \
                \(Figure.count(Double(Benchmark.batchCount))), WAL, synchronous=FULL, a checkpoint \
                when the log exceeds 32 MiB.
                """,
            header: [
                "", "events/s", "lowest to highest", "of raw C", "of raw C, indexes",
                "last fifth / first", "bytes/event", "peak MB",
            ])
        for way in samples.ways {
            table.rows.append([
                way.title, Figure.count(median(way) { $0.rate }),
                Figure.range(way.samples.map(\.rate)),
                Figure.decimal(samples.ratio(way.title, to: rawPlain)),
                Figure.decimal(samples.ratio(way.title, to: rawIndexes)),
                Figure.decimal(median(way) { $0.lastFifthOfFirst }),
                Figure.decimal(median(way) { $0["file_bytes"] / $0["events"] }, 1),
                megabytes(way),
            ])
        }
        return table
    }

    static func commits(_ samples: Comparison, _ scale: Scale) -> Table {
        var table = Table(
            title: "Single durable commits",
            note: """
                \(Figure.count(Double(scale.commits))) commits of one event each, one after the \
                other, in a new file.
                """,
            header: ["", "commits/s", "lowest to highest", "of raw C"])
        for way in samples.ways {
            table.rows.append([
                way.title, Figure.count(median(way) { $0.rate }),
                Figure.range(way.samples.map(\.rate)),
                Figure.decimal(samples.ratio(way.title, to: rawPlain)),
            ])
        }
        return table
    }

    static func reading(_ samples: Comparison, _ scale: Scale) -> Table {
        let digest = Statistics.median(samples[replayOne].map { $0["digest_seconds"] * 1_000 })
        var table = Table(
            title: "Scan and replay",
            note: """
                Every column that a fold reads, of all rows, in the file that Ledger.record filled. \
                A replay folds all projections, digests its own units and the ledger's, and \
                compares them; one digest of all units alone takes \
                \(Figure.decimal(digest, 0)) ms.
                """,
            header: ["", "events/s", "lowest to highest", "of raw C", "of 1 worker", "peak MB"])
        for way in samples.ways {
            let isReplay = way.title == replayOne || way.title == replayTwo
            table.rows.append([
                way.title, Figure.count(median(way) { $0.rate }),
                Figure.range(way.samples.map(\.rate)),
                Figure.decimal(samples.ratio(way.title, to: rawScan)),
                isReplay ? Figure.decimal(samples.ratio(way.title, to: replayOne)) : "",
                megabytes(way),
            ])
        }
        return table
    }

    static func start(_ samples: Comparison, _ reading: Comparison, _ scale: Scale) -> Table {
        let replay = Statistics.median(reading[replayOne].map { $0["seconds"] })
        var table = Table(
            title: "Opening and answers",
            note: """
                The same ledger of \(Figure.count(Double(scale.events))) events; each opening in a \
                new process, the file in the page cache.
                """,
            header: ["", "ms", "per second", "of a full replay's time", "bytes", "peak MB"])
        for way in samples.ways {
            let seconds = median(way) { $0["seconds"] }
            let isCheck = way.title == check
            table.rows.append([
                way.title,
                Figure.decimal(isCheck ? 1_000 / median(way) { $0.rate } : seconds * 1_000, 3),
                isCheck ? Figure.count(median(way) { $0.rate }) : "",
                isCheck ? "" : Figure.decimal(seconds / replay, 4),
                way.title == snapshot ? Figure.count(median(way) { $0["file_bytes"] }) : "",
                megabytes(way),
            ])
        }
        return table
    }

    static func verifying(_ samples: Comparison, _ scale: Scale) -> Table {
        var table = Table(
            title: "App Store notifications",
            note: """
                \(Figure.count(Double(scale.notifications))) notifications with a transaction and a \
                renewal in them, so three signatures on P-256 and the hashes of what they sign, all \
                different. Verified means format, certificates, signatures, app and environment, \
                and all members read.
                """,
            header: ["", "notifications/s", "lowest to highest", "of swift-crypto alone"])
        for way in samples.ways {
            table.rows.append([
                way.title, Figure.count(median(way) { $0.rate }),
                Figure.range(way.samples.map(\.rate)),
                Figure.decimal(samples.ratio(way.title, to: bare)),
            ])
        }
        return table
    }

    private static func median(
        _ way: Comparison.Way, _ value: (Measurement) -> Double
    ) -> Double {
        Statistics.median(way.samples.map(value))
    }

    private static func megabytes(_ way: Comparison.Way) -> String {
        Figure.decimal(median(way) { $0["peak_bytes"] / 1_000_000 }, 0)
    }
}
