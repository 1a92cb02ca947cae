import DaybookEvents
import Foundation
import Testing

/// What people are told when they typed something wrong, or ask for more than there is.
@Suite("Command line: words that help")
struct PeopleTests {
    private let dozzi: LedgerBench

    init() throws { dozzi = try LedgerBench() }

    @Test("A mistake in an event from options is told with the option, not with a column")
    func options() throws {
        let long = String(repeating: "k", count: 300)
        let data = #"{"meter":"stories","amount":1,"ref":"x"}"#
        for (words, start) in [
            (["--key", long, "--data", data], "--key: is longer than 256 bytes"),
            (["--data", data], "--key: usage.recorded needs a key"),
            (["--key", "k", "--trust", "foo", "--data", data], "--trust: \"foo\" is none of"),
            (["--key", "k", "--profile", "", "--data", data], "--profile: must not be empty"),
            (
                ["--key", "k", "--data", #"{"meter":"stories","amount":0}"#],
                "--data, amount: 0 units are no usage"
            ),
            (
                ["--key", "k", "--data", #"{"meter":"stories","amount":"1"}"#],
                "--data, amount: must be an integer"
            ),
        ] {
            let result = try dozzi.tell(["record", "usage.recorded", "ada"] + words)
            #expect(result.status == 3)
            #expect(result.errors.hasPrefix("daybook: \(start)"), "\(result.errors)")
            #expect(!result.errors.contains("column"))
        }
    }

    @Test("Times in JSON may be written as the command line prints them")
    func times() throws {
        let line =
            #"{"data":{"expires_at":"2026-05-01T00:00:00+02:00","feature":"premiumVoices","grant_id":"g","starts_at":"2026-04-01T00:00:00Z"},"occurred_at":"2026-04-01T00:00:00.5Z","source":{"key":"g"},"subject":"ada","type":"grant.issued"}"#
        let first = try dozzi.tell(["record", line, "--json"])
        #expect(first.status == 0, "\(first.errors)")
        // The same in numbers is the same event.
        let numbers = line.replacing(#""2026-05-01T00:00:00+02:00""#, with: "1777586400000")
            .replacing(#""2026-04-01T00:00:00Z""#, with: "1775001600000")
            .replacing(#""2026-04-01T00:00:00.5Z""#, with: "1775001600500")
        #expect(try dozzi.tell(["record", numbers, "--json"]).json["duplicates"] == 1)
        for (text, member) in [
            ("2026-04-01", "data.starts_at"), ("2026-04-01T00:00:00", "data.starts_at"),
            ("2026-04-01T00:00:00.0005Z", "data.starts_at"), ("tomorrow", "data.starts_at"),
        ] {
            let result = try dozzi.tell([
                "record", line.replacing("2026-04-01T00:00:00Z", with: text), "--json",
            ])
            #expect(result.status == 3)
            #expect(result.errors.contains("\(member): \"\(text)\" is no time; write"))
        }
    }

    @Test("A request for more than is left is not answered as if what is left were enough")
    func remaining() throws {
        let nuzzle = try dozzi.bench.begin(Workbench.nuzzle, name: "n.sqlite")
        let result = try dozzi.bench.run([
            "check", "ada", "cryInsights", "--amount", "5", "--ledger", nuzzle,
        ])
        #expect(result.status == 1)
        #expect(result.output.contains("limit reached"))
        #expect(!result.output.contains("free uses remaining"))
        let fine = try dozzi.bench.run(["check", "ada", "cryInsights", "--ledger", nuzzle])
        #expect(fine.output.contains("3 free uses remaining"))
    }

    @Test("A store's event is one short line, and --full tells the rest")
    func history() throws {
        _ = try dozzi.tell([
            "record", "purchase.completed", "ada", "--key", "p", "--trust", "imported", "--data",
            #"{"kind":"non_consumable","product":"com.dozzi.unlimited_stories","transaction_id":"7","price_milli":2990,"currency":"USD","starts_at":1775001600000,"storefront":"NLD"}"#,
        ])
        let short = try dozzi.tell(["history", "ada"]).output
        #expect(short.contains("com.dozzi.unlimited_stories"))
        #expect(short.contains("2.99 USD") && !short.contains("storefront"))
        let full = try dozzi.tell(["history", "ada", "--full"]).output
        #expect(full.contains("storefront NLD") && full.contains("2.99 USD"))
    }

    @Test("Resets stand one per line, with their reason, and a page says that more follow")
    func resets() throws {
        let fixture = try dozzi.bench.begin(Workbench.magical, name: "m.sqlite")
        let words = ["resets", "ada", "stories", "--limit", "2", "--ledger", fixture]
        let at = ["--at", "2026-03-10T00:00:00Z"]
        let lines = try dozzi.bench.run(words + at).output.split(separator: "\n")
        #expect(lines.count == 4)
        #expect(lines[0].hasPrefix("2026-03-01T") && lines[0].contains("past"))
        #expect(
            lines[1].hasPrefix("2026-04-01T") && lines[1].contains("to come  scheduled  2026-04"))
        #expect(lines[2] == "more follow; --from and --limit show them")
        let json = try dozzi.bench.run(words + at + ["--json"]).json
        #expect(json["more"] == true)
        #expect(json["resets"]?.array?.first?.object?["period"]?.object?["name"] == "2026-03")
        let wrong = try dozzi.bench.run(["resets", "ada", "storys", "--ledger", fixture])
        #expect(wrong.status == 3 && wrong.errors.contains("did you mean stories?"))
    }

    @Test("A stale version says what the version is, and is nothing to try again as it was")
    func version() throws {
        _ = try dozzi.tell(["consume", "ada", "stories", "--ref", "s1"])
        let stale = try dozzi.tell([
            "consume", "ada", "stories", "--ref", "s2", "--expected-version", "0", "--json",
        ])
        #expect(stale.errors.contains("is at version 1, not 0 as expected: look again"))
        #expect(try stale.error["retryable"] == false)
    }
}
