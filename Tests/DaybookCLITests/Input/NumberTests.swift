import DaybookEvents
import Foundation
import Testing

@Suite("Command line: numbers and times that cannot be")
struct NumberTests {
    let bench: Workbench
    let ledger: String

    init() throws {
        bench = try Workbench()
        ledger = try bench.begin()
    }

    @Test(
        "A number below what can be is refused for what it is, not as a missing value",
        arguments: [
            ("check ada stories --amount -1", 3, "--amount -1 is below zero"),
            ("commit ada r1 --amount -1", 3, "the amount -1 is outside 1 to"),
            ("grant issue ada --meter stories --amount -5", 3, "the amount -5 is outside 1 to"),
            (
                "grant issue ada --meter stories --amount 1 --priority -1", 2,
                "--priority -1: write 0 to 255"
            ),
            (
                "grant issue ada --meter stories --amount 1 --priority 256", 2,
                "--priority 256: write 0 to 255"
            ),
            ("consume ada stories --expected-version -1", 3, "--expected-version -1: versions"),
            ("consume ada stories -1", 3, "the amount -1 is outside 1 to"),
            ("consume ada stories --json -1", 3, "the amount -1 is outside 1 to"),
            ("reserve ada stories -2 --id r2", 3, "the amount -2 is outside 1 to"),
            ("reserve ada stories --id r2 -- -2", 3, "the amount -2 is outside 1 to"),
            ("export --after -1", 3, "--after -1 is no position"),
            ("replay --workers -1", 2, "--workers -1: write 1 to 64"),
            ("catalog rollback -1", 3, "no catalog version -1"),
            ("catalog show -1", 3, "no catalog version -1"),
            ("check ada stories --at -1", 3, "--at: -1 is outside 1970"),
            (
                "check ada stories --at 2026-03-01T00:00:00.0001Z", 3,
                "is finer than a millisecond; write three digits at most"
            ),
            ("funnel paywall_to_purchase --from -1", 3, "--from: -1 is outside 1970"),
            ("check ada stories --known-at @-1", 3, "@-1 is no position"),
            (
                "grant issue ada --meter stories --amount 1 --expires -1", 3,
                "--expires: -1 is outside 1970"
            ),
            ("funnel paywall_to_purchase --window -P1D", 2, "--window"),
        ] as [(String, Int32, String)])
    func negative(line: String, status: Int32, sentence: String) throws {
        _ = try bench.run("reserve ada stories --id r1 --ledger \(ledger)")
        let result = try bench.run(line, environment: ["DAYBOOK_LEDGER": ledger])
        #expect(result.status == status, "\(result.output)\(result.errors)")
        #expect(result.errors.has(sentence), "\(result.errors)")
        #expect(result.output.isEmpty)
        let isAboutOption = line.hasSuffix("-P1D")
        #expect(isAboutOption || !result.errors.has("Missing value"))
        #expect(try bench.events().count == 2)
    }

    @Test("Which options take no value is known for every command")
    func flags() throws {
        var flags: Set<String> = []
        for command in RefusalTests.commands {
            let help = try bench.run("\(command) --help").output
            for line in help.split(separator: "\n") where line.hasPrefix("  -") {
                let words: [String] = line.split(separator: " ").map(String.init)
                let options = Array(words.prefix { $0.hasPrefix("-") })
                let takesValue = words.dropFirst(options.count).first?.hasPrefix("<") ?? false
                if !takesValue { for option in options { flags.insert(option) } }
            }
        }
        flags.remove("-h,")
        flags.remove("--help")
        flags.remove("--version")
        // A number behind a flag is an argument of its own: that is how one is told from an option.
        #expect(flags.count >= 6, "\(flags)")
        let source = try String(
            contentsOfFile: "\(Workbench.repository)/Sources/DaybookCLI/Input/Arguments.swift",
            encoding: .utf8)
        for flag in flags { #expect(source.has("\"\(flag)\""), "\(flag) is not among the flags") }
    }

    @Test("A range that ends before it begins is a mistake of usage")
    func range() throws {
        for until in ["2026-03-01T00:00:00Z", "2026-02-01T00:00:00Z"] {
            let result = try bench.run(
                "funnel paywall_to_purchase --from 2026-03-01T00:00:00Z --until \(until) --json --ledger \(ledger)"
            )
            #expect(result.status == 2)
            #expect(try result.error["code"] == "usage")
            #expect(result.errors.has("is not after --from"))
        }
        let fine = try bench.run(
            "funnel paywall_to_purchase --from 2026-03-01T00:00:00Z --until 2026-03-01T00:00:00.001Z --ledger \(ledger)"
        )
        #expect(fine.status == 0, "\(fine.errors)")
    }

    @Test("Before the first catalog no rules were known, which is not to have none")
    func beforeTheCatalog() throws {
        for line in ["check ada stories", "status ada"] {
            for moment in ["@0", "2020-01-01T00:00:00Z"] {
                let result = try bench.run("\(line) --known-at \(moment) --json --ledger \(ledger)")
                #expect(result.status == 3)
                #expect(try result.error["code"] == "no_catalog_known")
                #expect(result.errors.has("no catalog was known at position 0"))
                #expect(!result.errors.has("publish"))
            }
        }
        #expect(try bench.run("history ada --known-at @0 --ledger \(ledger)").status == 0)
    }

    @Test("init records the catalog now, and an earlier time only when it is told one")
    func clock() throws {
        let before = Int64(Date().timeIntervalSince1970 * 1_000)
        try bench.begin(name: "now.sqlite")
        let after = Int64(Date().timeIntervalSince1970 * 1_000)
        let recorded = try #require(try bench.events("now.sqlite").first?["recorded_at"]?.integer)
        #expect((before...after).contains(recorded))
        try bench.begin(name: "then.sqlite", at: "2026-01-01T00:00:00Z")
        #expect(try bench.events("then.sqlite").first?["recorded_at"] == 1_767_225_600_000)
        // The first catalog rules from the beginning of time, whenever it was recorded.
        let ledger = bench.path("now.sqlite")
        #expect(try bench.run("catalog show --ledger \(ledger)").output.has("always"))
        #expect(
            try bench.run("check ada stories --at 1990-01-01T00:00:00Z --ledger \(ledger)").status
                == 0)
        for line in ["init x.sqlite", "init x.sqlite --app dozzi --at 2026-01-01T00:00:00Z"] {
            #expect(try bench.run(line).status == 2)
        }
        #expect(try bench.run(["init", "x.sqlite", "--app", "Do zzi"]).status == 3)
        #expect(!bench.exists("x.sqlite"))
    }

    @Test("What helps on the command line stands behind the library's sentence, and in the JSON")
    func remedies() throws {
        let text = try String(contentsOfFile: Workbench.dozzi, encoding: .utf8)
        try bench.write(text.replacing("limit: 2\n", with: "limit: 5\n"), to: "five.yaml")
        for (line, remedy) in [
            ("catalog publish five.yaml --effective 2026-01-01T00:00:00Z", "say --retroactive"),
            ("override set ada expire_trial", "say --env sandbox"),
        ] {
            let result = try bench.run("\(line) --json --ledger \(ledger)")
            #expect(result.errors.has("\n→ \(remedy)"))
            #expect(try result.error["remedy"]?.text?.has(remedy) == true)
            #expect(try result.error["message"]?.text?.has("--") == false)
        }
    }
}
