import DaybookEvents
import Foundation
import Testing

@Suite("Command line: folds of cases")
struct ScaleTests {
    private let bench: Workbench
    private let ledger: String

    init() throws {
        bench = try Workbench()
        ledger = try bench.begin()
        let lines =
            Lines.usage("s1") + Lines.purchase("ada") + Lines.usage("s2", at: 1_767_315_600_000)
            + Lines.refund("ada") + Lines.purchase("bob")
        let loaded = try bench.run(["import", "-", "--ledger", ledger], input: lines)
        try #require(loaded.status == 0, "\(loaded.errors)")
    }

    private func files() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: bench.path("cases")).sorted()
    }

    private func export(_ more: String = "") throws -> (
        status: Int32, output: String, errors: String
    ) {
        let run = try bench.run("export --partitions 3 --output cases --ledger \(ledger) \(more)")
        return (run.status, run.output, run.errors)
    }

    @Test("Folded file by file and merged, a ledger has the digest and the metrics that it says")
    func whole() throws {
        let made = try export("--at 2026-03-01T00:00:00Z")
        #expect(made.status == 0, "\(made.errors)")
        #expect(made.output.contains("2 cases") && made.output.contains("3 files written"))
        let folded = try bench.shell(
            """
            for file in cases/cases-*.ndjson; do
              daybook fold --context cases/context.ndjson --all --funnel paywall_to_purchase \
                --funnel-by context < $file || exit 1
            done > parts.ndjson
            daybook merge --context cases/context.ndjson parts.ndjson --json --against \(ledger)
            """)
        #expect(folded.status == 0, "\(folded.errors)")
        let whole = try #require(try JSONReader.read(Array(folded.output.utf8)).object)
        let replay = try bench.run("replay --json --ledger \(ledger)").json
        #expect(whole["digest"] == replay["digest"] && whole["events"] == .integer(5))
        let position = try #require(whole["position"]?.integer)
        let metrics = try bench.run(
            "metrics --all --at 2026-03-01T00:00:00Z --known-at @\(position) --json --ledger \(ledger)"
        ).json
        #expect(whole["metrics"]?.object?["metrics"] == metrics["metrics"])
        #expect(metrics["metrics"]?.array?.isEmpty == false)
        let funnel = try bench.run(
            "funnel paywall_to_purchase --by context --at 2026-03-01T00:00:00Z --json --ledger \(ledger)"
        ).json
        #expect(whole["funnels"] == [.object(funnel)])
        #expect(whole["against"] == ["buckets": [], "equal": true])
        let shown = try bench.run("merge --context cases/context.ndjson parts.ndjson")
        #expect(shown.output.contains("5 events, 2 cases"), "\(shown.output)\(shown.errors)")
        #expect(try bench.run("merge --context cases/context.ndjson --kpi parts.ndjson").status < 2)
    }

    @Test("An export goes on where it was interrupted, as of the place that it began with")
    func resumed() throws {
        #expect(try export().status == 0)
        let before = try files()
        let lost = try #require(before.first { $0.hasPrefix("cases-") })
        let bytes = try bench.text(of: "cases/\(lost)")
        try FileManager.default.removeItem(atPath: bench.path("cases/\(lost)"))
        let more = try bench.run(
            ["import", "-", "--ledger", ledger], input: Lines.usage("s3", at: 1_767_325_600_000))
        #expect(more.status == 0)
        let again = try export()
        #expect(again.status == 0 && again.output.contains("1 file written"), "\(again.output)")
        #expect(try files() == before)
        #expect(try bench.text(of: "cases/\(lost)") == bytes)
        let other = try export("--known-at @3")
        #expect(other.status == 3 && other.errors.contains("empty folder"), "\(other.errors)")
        let two = try bench.run("export --partitions 2 --output cases --ledger \(ledger)")
        #expect(two.status == 3 && two.errors.contains("of another export"), "\(two.errors)")
        #expect(try files() == before)
    }

    @Test("Compressed files hold the same lines, and a program that is missing is named")
    func compressed() throws {
        #expect(try export("--at 2026-03-01T00:00:00Z").status == 0)
        let packed = try bench.run(
            "export --partitions 3 --output packed --compress gzip --ledger \(ledger) --at 2026-03-01T00:00:00Z"
        )
        #expect(packed.status == 0 && packed.output.contains("3 files written"), "\(packed.errors)")
        let same = try bench.shell(
            """
            for file in cases/cases-*; do
              zcat packed/$(basename $file).gz | cmp - $file || exit 1
            done
            """)
        #expect(same.status == 0, "\(same.output)\(same.errors)")
        let missing = try bench.shell(
            """
            PATH=$(dirname $(command -v daybook))
            daybook export --partitions 3 --output none --compress zstd --ledger \(ledger)
            """)
        #expect(missing.status != 0 && missing.errors.contains("needs the program zstd"))
    }

    @Test("Another ledger is told apart by its buckets")
    func against() throws {
        #expect(try export().status == 0)
        let made = try bench.shell(
            "cat cases/cases-*.ndjson | daybook fold --context cases/context.ndjson > part.ndjson")
        #expect(made.status == 0, "\(made.errors)")
        let short = try bench.begin(name: "b.sqlite")
        let behind = try bench.run(
            "merge --context cases/context.ndjson part.ndjson --against \(short)")
        #expect(behind.status == 3 && behind.errors.contains("ends at position"))
        let lines = (1...5).map { Lines.usage("z\($0)", subject: "zoe") }.joined()
        let loaded = try bench.run(["import", "-", "--ledger", short], input: lines)
        try #require(loaded.status == 0, "\(loaded.errors)")
        let other = try bench.run(
            "merge --context cases/context.ndjson part.ndjson --json --against \(short)")
        #expect(other.status == 1, "\(other.errors)")
        let found = try other.json["against"]?.object
        #expect(found?["equal"] == false && found?["buckets"]?.array?.isEmpty == false)
    }

    @Test("What is cut short, missing, doubled or garbage is refused with its place")
    func refusals() throws {
        #expect(try export().status == 0)
        let cut = try bench.shell(
            "cat cases/cases-*.ndjson | head -c -20 | daybook fold --context cases/context.ndjson")
        #expect(cut.status == 3 && cut.output.isEmpty, "\(cut.output)")
        #expect(cut.errors.contains("line"), "\(cut.errors)")
        let short = try bench.shell(
            "cat cases/cases-*.ndjson | sed 1d | daybook fold --context cases/context.ndjson")
        #expect(short.status == 3 && short.errors.contains(" of "), "\(short.errors)")
        let made = try bench.shell(
            "cat cases/cases-*.ndjson | daybook fold --context cases/context.ndjson > part.ndjson")
        #expect(made.status == 0, "\(made.errors)")
        let twice = try bench.run(
            "merge --context cases/context.ndjson part.ndjson part.ndjson")
        #expect(twice.status == 3 && twice.errors.contains("folded twice"), "\(twice.errors)")
        try bench.write("{\"part\":{}}\n", to: "garbage.ndjson")
        let garbage = try bench.run("merge --part part.ndjson garbage.ndjson")
        #expect(garbage.status == 3 && garbage.errors.contains("garbage.ndjson, line 1"))
        #expect(try bench.run("merge part.ndjson").status == 2)
        #expect(try bench.run("fold").status == 2)
        let nothing = try bench.run("fold --context part.ndjson")
        #expect(nothing.status == 3 && nothing.errors.contains("daybook context"))
        let asked = try bench.run("fold --context cases/context.ndjson --at 2026-01-01T00:00:00Z")
        #expect(asked.status == 2, "The context says of which moment it is.")
        #expect(try bench.run("export --partitions 2 --ledger \(ledger)").status == 2)
    }
}
