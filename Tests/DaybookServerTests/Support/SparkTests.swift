import Daybook
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import Foundation
import Testing

/// A cluster comes to what the laptop says, to the bit: Apache Spark from PyPI with the Java of the machine, a
/// standalone master and two workers on the loopback interface.
@Suite(
    "Folds on Apache Spark", .serialized,
    .enabled(
        if: ProcessInfo.processInfo.environment["DAYBOOK_TIER"] == "extended",
        "of the extended tier"),
    .peers("spark.txt"))
struct SparkTests {
    /// A ledger, and where it was written to.
    private struct Job {
        let name: String
        let ledger: Ledger
        let context: FoldContext
        let folder: URL

        init(_ name: String, _ ledger: Ledger, in place: URL) throws {
            self.name = name
            self.ledger = ledger
            folder = place.appending(path: name)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let export = try ledger.caseExport()
            context = export.context
            try Data(context.bytes).write(to: folder.appending(path: "context.ndjson"))
            for (index, partition) in export.partitions(3).enumerated() {
                var lines: [UInt8] = []
                _ = try export.write(partition) { lines += $0 }
                try Data(lines).write(to: folder.appending(path: "cases-\(index).ndjson"))
            }
        }

        var moment: Moment { Moment(at: context.at, knownAt: .position(context.position)) }

        func funnels() throws -> [String] {
            (try ledger.catalogs(knownAt: moment.knownAt).newest?.catalog.funnels ?? []).map(\.name)
        }

        func json() throws -> JSONValue {
            let funnels = try funnels().flatMap { ["--funnel", $0] }
            return [
                "cases": .string(folder.path),
                "arguments": .texts(["--all", "--currency", "EUR"] + funnels),
                "output": .string(folder.appending(path: "sum.ndjson").path),
            ]
        }

        /// Compares what the cluster came to with what the ledger says by itself.
        func confirm() throws {
            let bytes = Array(try Data(contentsOf: folder.appending(path: "sum.ndjson")))
            let line = try #require(bytes.split(separator: 0x0A).first, "\(name)")
            let part = try FoldedPart(reading: Array(line), number: 1)
            let whole = try FoldedWhole(context, part)
            #expect(part.digest == (try ledger.digest(knownAt: moment.knownAt)).digest, "\(name)")
            #expect(try whole.differingBuckets(from: ledger).isEmpty, "\(name)")
            var request = MetricsRequest()
            request.rules.currency = "EUR"
            request.moment = moment
            let (found, expected) = (try #require(try whole.metrics()), try ledger.metrics(request))
            #expect(found.series == expected.series && !found.series.isEmpty, "\(name)")
            #expect(found.subjectCount == expected.subjectCount, "\(name)")
            let funnels = try funnels().map {
                try ledger.funnel(FunnelRequest($0, moment: moment))
            }
            #expect(try whole.funnels() == funnels, "\(name)")
        }
    }

    @Test("Every recorded stream, the months of all apps and invented histories")
    func cluster() async throws {
        let place = FileManager.default.temporaryDirectory.appending(path: "daybook-\(UUID())")
        // A test that already failed must not fail again for leaving something behind.
        defer { try? FileManager.default.removeItem(at: place) }
        var jobs: [Job] = []
        for app in Fixtures.apps {
            let month = SyntheticMonth(
                catalog: try Fixtures.catalog(app), seed: 20_261, subjects: 60)
            let ledger = try await StreamGolden.ledger(app, holding: month.deliveries)
            jobs.append(try Job("month-of-\(app)", ledger, in: place))
        }
        for app in InventedHistories.apps {
            let history = try InventedHistories.history(
                app, seed: 572_400, subjects: 12, events: 200)
            jobs.append(try Job("invented-\(app)", try await history.ledger(), in: place))
        }
        for pair in try StreamGolden.pairs() {
            let ledger = try await StreamGolden.ledger(
                pair.app, holding: try StreamGolden.drafts(of: pair))
            jobs.append(try Job("\(pair.app)-\(pair.name)", ledger, in: place))
        }
        let list = place.appending(path: "jobs.json").path
        let json = JSONValue.array(try jobs.map { try $0.json() })
        try Data(json.canonicalBytes).write(to: URL(filePath: list))
        let program = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appending(path: "daybook").path
        try await Peers.expect("cluster.py", [program, list])
        for job in jobs { try job.confirm() }
    }
}
