import Crypto
import DaybookEvents
import Foundation
import Testing

/// Every example of every help text, run as it stands on a ledger of one of the five apps.
@Suite("Command line: the examples of the help texts")
struct ExamplesTests {
    /// What the examples refer to, made beforehand; each line is a command.
    private static let fixtures: [(app: String, lines: [String])] = [
        (
            "dozzi",
            [
                "daybook import story-1.ndjson",
                "daybook capture ada --redact --output bug.daybundle",
                "daybook grant issue ada --meter stories --amount 50 --id sorry-1",
                "daybook reserve ada stories --id r1 --timeout P1D",
                "daybook reserve ada stories 3 --id r2 --timeout P1D",
                "daybook alias anonymous-7 ada", "daybook catalog publish five-stories.yaml",
                "daybook sandbox create sandbox.key --root sandbox.pem",
                "daybook sandbox sign \(unlimited) --transaction 7 > purchases.jws",
                "daybook sandbox sign \(unlimited) > purchase.jws",
                "daybook sandbox sign \(unlimited) --type ONE_TIME_CHARGE > notification.json",
                "daybook sandbox sign \(unlimited) --transaction 2 > waiting.jws",
                // Refused until its authority is believed.
                "! daybook ingest waiting.jws --as app-store-transaction \(untrusting)",
                "daybook replay --digests digests.json", "daybook backup saved.sqlite",
                "daybook report freeze march --period 2026-03",
                "daybook key create --scope store --label functions --actor kim",
                "daybook key lease --actor kim",
                "daybook key trust backend-1 --algorithm ES256 --file backend.pem --actor kim",
                "daybook backup mirror.sqlite", "daybook export --partitions 2 --output cases",
                "cat cases/cases-*.ndjson | daybook fold --context cases/context.ndjson --kpi > parts.ndjson",
                "cp parts.ndjson a.ndjson", "cp parts.ndjson b.ndjson",
                "cat cases/cases-*.ndjson > lines.ndjson",
            ]
        ),
        (
            "ollie",
            [
                "daybook profile create ada rex --kind puppy --free-started-at 2026-03-20T08:00:00Z",
                "daybook record '\(purchase("2000000123"))'",
                "daybook record '\(purchase("2000000456"))'",
                "daybook record '\(purchase("2000000789"))'",
                "daybook assign ada --transaction 2000000456 --profile rex",
                "daybook transfer --lineage apple:2000000789 --from ada --to bea --reason oops",
            ]
        ),
        ("fork-in-the-road", ["daybook consume ada collections --ref sunday-dinners"]),
        (
            "magical-stories",
            // Its SHA-256 begins as the examples say.
            [
                "daybook sandbox create sandbox.key --root sandbox.pem",
                "printf 'letter 19545' > letter", "! daybook ingest letter \(untrusting)",
            ]
        ),
        ("nuzzle", []),
    ]

    private static let unlimited =
        "--authority sandbox.key --product com.dozzi.unlimited_stories --kind non-consumable --token ada "
        + "--bundle-id com.dozzi.app"
    private static let untrusting = "--bundle-id com.dozzi.app --env test"

    private static func purchase(_ transaction: String) -> String {
        #"{"type":"purchase.completed","subject":"ada","source":{"kind":"apple","key":"\#(transaction)"},"trust":"verified","data":{"product":"com.ollie.premium.perdog","kind":"non_consumable","transaction_id":"\#(transaction)","price_milli":19000,"currency":"EUR"}}"#
    }

    /// The files that examples name.
    private static func writeFiles(_ bench: Workbench) throws {
        let catalog = try String(contentsOfFile: Workbench.dozzi, encoding: .utf8)
        try bench.write(
            catalog.replacing("limit: 2\n", with: "limit: 5\n"), to: "five-stories.yaml")
        try bench.write(
            #"{"event":{"type":"TEST","id":"w1","event_timestamp_ms":1768478400000}}"#,
            to: "webhooks.ndjson")
        try bench.write(
            #"{"request_date_ms":1768478400000,"subscriber":{"original_app_user_id":"eve","first_seen":"2026-01-01T00:00:00Z"}}"#,
            to: "subscribers.ndjson")
        try bench.write(
            P256.Signing.PrivateKey().publicKey.pemRepresentation, to: "backend.pem")
        try bench.write("ollie:\n  bundle_ids: [com.ollie.app]\n", to: "apps.yaml")
        try bench.write("next\nuntil purchase.completed\n", to: "steps.txt")
        for name in ["story-1", "month", "app", "bug"] {
            try bench.write(Lines.usage("story-1"), to: "\(name).ndjson")
        }
        try bench.write(Lines.usage("story-2"), to: "more.ndjson")
    }

    /// One folder with a prepared ledger for each app; examples get copies.
    private static func prepared(_ bench: Workbench) throws {
        for (app, lines) in fixtures {
            let commands =
                ["daybook init ledger.sqlite --catalog events/\(app)/catalog.yaml"] + lines
            let made = try bench.shell(
                """
                set -e; mkdir \(app); cp *.ndjson *.yaml *.txt *.pem \(app); ln -s "$PWD"/{events,datasets} \(app)
                cd \(app); export DAYBOOK_LEDGER=ledger.sqlite
                \(commands.joined(separator: "\n"))
                """)
            try #require(made.status == 0, "\(app): \(made.output)\(made.errors)")
        }
    }

    /// The examples of a help text: what stands two spaces in, before the usage, continued lines joined.
    static func examples(of help: String) -> [String] {
        let overview = help.components(separatedBy: "\nUSAGE:")[0]
        var found: [String] = []
        var isContinued = false
        for line in overview.components(separatedBy: "\n") {
            if isContinued {
                found[found.count - 1] += "\n" + line
            } else if line.hasPrefix("  daybook ") || line.contains("| daybook ") {
                found.append(line)
            } else {
                continue
            }
            isContinued = line.hasSuffix("\\")
        }
        return found
    }

    @Test("Every command has an example, and none is wrapped where the terminal is narrow")
    func wrapping() throws {
        let bench = try Workbench()
        for command in RefusalTests.commands + [""] {
            let line = "\(command) --help"
            let narrow = try bench.run(line, environment: ["COLUMNS": "80"]).output
            let wide = try bench.run(line, environment: ["COLUMNS": "1000"]).output
            #expect(!Self.examples(of: narrow).isEmpty, "\(command) has no example")
            #expect(Self.examples(of: narrow) == Self.examples(of: wide), "\(command)")
        }
    }

    @Test(
        "Every example runs against one of the five catalogs",
        arguments: RefusalTests.commands + [""])
    func runs(command: String) throws {
        let bench = try Workbench()
        try Self.writeFiles(bench)
        _ = try bench.shell("true")
        try Self.prepared(bench)
        let help = try bench.run("\(command) --help").output
        for text in Self.examples(of: help) {
            // A server runs until it is told to stop.
            let example = ["daybook serve ", "daybook dashboard "].reduce(text) {
                $0.replacing($1, with: "timeout --preserve-status --signal=TERM 3 \($1)")
            }
            var failures: [String] = []
            var isFine = false
            for (app, _) in Self.fixtures where !isFine {
                let result = try bench.shell(
                    """
                    rm -rf here && cp -R \(app) here && cd here || exit 99
                    export DAYBOOK_LEDGER=ledger.sqlite DAYBOOK_PORT=0
                    \(example)
                    """)
                // A question may be answered with no; everything else must be done.
                let isQuestion = [
                    "daybook check ", "daybook bisect ", "daybook kpi ", "daybook report compare ",
                    "daybook merge ",
                ].contains {
                    example.contains($0)
                }
                let isAnswer = result.status == 1 && isQuestion
                isFine = result.status == 0 || isAnswer
                if !isFine { failures.append("\(app): [\(result.status)] \(result.errors)") }
            }
            #expect(isFine, "\(example)\n\(failures.joined())")
        }
    }
}
