import Daybook
import DaybookAudit
import DaybookEvents
import Foundation
import Testing

/// What people see, kept as files; `RECORD_GOLDEN=1` writes them anew, CI never does.
@Suite("Command line: text goldens")
struct GoldenTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Goldens")

    /// A session with something to see for every command that people read.
    private static let script: [(name: String, lines: [String])] = [
        (
            "check",
            [
                "check ada stories --at 2026-03-01T00:00:00Z",
                "check ada premiumVoices --at 2026-03-01T00:00:00Z",
                "check ada premiumVoices --at 2026-01-02T12:00:00Z",
                "check bob premiumVoices --at 2026-03-01T00:00:00Z",
                "check bob stories --amount 3 --at 2026-03-01T00:00:00Z",
            ]
        ),
        (
            "status",
            [
                "status ada --at 2026-03-01T00:00:00Z",
                "status ada --at 2026-01-02T12:00:00Z --known-at @4",
                "status nobody --at 2026-03-01T00:00:00Z",
            ]
        ),
        ("history", ["history ada", "history ada --known-at @3"]),
        (
            "diff",
            [
                "diff ada --from 2026-01-02T12:00:00Z --to 2026-03-01T00:00:00Z",
                "diff ada --from-known-at @3 --to 2026-03-01T00:00:00Z",
                "diff --from 2026-01-02T12:00:00Z --to 2026-03-01T00:00:00Z",
                "diff bob --from 2026-03-01T00:00:00Z --to 2026-03-02T00:00:00Z --json",
                "diff ada --from-known-at @99 --to 2026-03-01T00:00:00Z", "diff ada",
            ]
        ),
        (
            "against",
            [
                "diff --against b.sqlite --to 2026-03-01T00:00:00Z",
                "diff --against b.sqlite --to 2026-03-01T00:00:00Z --json",
                "diff --against copy.sqlite", "diff --against a.sqlite", "diff --against m.sqlite",
                "diff --against steps.txt", "diff --against none.sqlite",
                "diff ada --against b.sqlite",
            ]
        ),
        (
            "step",
            ["replay --step ada --script steps.txt", "replay --step ada --script bad.txt"]
        ),
        (
            "what-if",
            [
                "replay --catalog one.yaml --at 2026-01-03T00:00:00Z",
                "replay --catalog one.yaml --effective 2026-02-01T00:00:00Z --at 2026-01-03T00:00:00Z",
                "replay --drop 4 --at 2026-03-01T00:00:00Z",
                "replay --insert more.ndjson --at 2026-01-03T00:00:00Z --json",
                "replay --drop 99", "replay --drop ledger/catalog/1",
                "replay --insert again.ndjson",
                "replay --insert catalog.ndjson", "replay --catalog ollie.yaml",
                "replay --effective 2026-02-01T00:00:00Z", "replay --drop 2 --step ada",
                "replay --drop 2 --known-at @99", "replay --top 3",
            ]
        ),
        (
            "bisect",
            [
                "bisect used:stories>=1 ada --at 2026-01-03T00:00:00Z",
                "bisect denied:premiumVoices ada --at 2026-03-01T00:00:00Z",
                "bisect allowed:premiumVoices ada --fails --at 2026-03-01T00:00:00Z --json",
                "bisect allowed:premiumVoices --at 2026-03-01T00:00:00Z",
                "bisect used:stories>=9 ada --at 2026-01-03T00:00:00Z",
                "bisect denied:premiumVoices nobody", "bisect allowed:premiumVoises ada",
                "bisect may:x ada", "bisect purchase.refunded ada",
                "bisect used:stories>=1 ada --from 99",
                "bisect used:stories>=1 ada --from 3 --through 2",
                "bisect used:stories>=1 ada --from one", "bisect",
                "bisect --against digests.json ada",
                "bisect --against nothing.json", "bisect --against bad.txt",
                "replay --digests digests.json --every 4", "bisect --against digests.json",
                "replay --digests digests.json --drop 2", "replay --every 4",
            ]
        ),
        (
            "explain",
            [
                "explain ada premiumVoices --at 2026-03-01T00:00:00Z",
                "explain ada premiumVoices --at 2026-01-02T12:00:00Z",
                "explain bob stories --at 2026-03-01T00:00:00Z",
                "explain ada stories --amount 3 --at 2026-03-01T00:00:00Z",
                "explain ada premiumVoices --at 2026-03-01T00:00:00Z --json",
                "explain nobody stories --at 2026-03-01T00:00:00Z",
                "explain ada storys --at 2026-03-01T00:00:00Z",
                "explain ada stories --known-at @99",
            ]
        ),
        (
            "capture",
            [
                "capture ada --check stories --check premiumVoices --at 2026-03-01T00:00:00Z --output ada.daybundle",
                "replay ada.daybundle", "replay wrong.daybundle",
                "capture bob --redact --check stories --amount 3 --at 2026-03-01T00:00:00Z --output bob.daybundle",
                "replay bob.daybundle", "replay --step subject-1 bob.daybundle --script steps.txt",
                "capture bob --redact --at 2026-03-01T00:00:00Z --as-test lost-access",
                "capture bob --redact --at 2026-03-01T00:00:00Z --as-test lost-access",
                "capture ada --output ada.daybundle", "capture nobody --at 2026-03-01T00:00:00Z",
                "replay damaged.daybundle", "replay newer.daybundle",
            ]
        ),
        (
            "correct",
            [
                "void native/s1 --reason twice --ticket SUP-7 --idempotency-key c1 --dry-run",
                "void native/s1 --reason twice --ticket SUP-7 --idempotency-key c1", "history ada",
                "amend native/s2 --set amount=2 --idempotency-key c2 --dry-run",
                "void apple/buy-bob --dry-run",
                "void apple/buy-bob --reason fraud --ticket SUP-8 --actor kim --dry-run",
                "amend apple/buy-bob --set product=x --dry-run", "void @99 --dry-run",
                "void native/paywall.shown-ada --dry-run",
                "grant issue ada --meter stories --amount 5 --id sorry --kind compensation --ticket SUP-9 --dry-run",
                "reverse ada s2 --ticket SUP-9 --idempotency-key c3 --json --dry-run",
                "reverse ada s9 --dry-run",
            ]
        ),
        (
            "funnel",
            ["funnel", "funnel paywall_to_purchase", "funnel paywall_to_purchase --by context"]
        ),
        ("catalog", ["catalog show", "catalog rollback 7", "verify", "replay"]),
        (
            "write",
            [
                "consume zoe stories --ref z1 --idempotency-key k1",
                "consume zoe stories --ref z2 --idempotency-key k2",
                "consume zoe stories --ref z3", "reserve kim stories --id r1 --idempotency-key k3",
                "grant issue kim --meter stories --amount 5 --id g1 --idempotency-key k4",
                "commit kim r2", "alias zoe zoe", "timezone kim Mars/Olympus",
                "check zoe storys", "check zoe stories --at 2026-03-01T00:00:00",
            ]
        ),
    ]

    private static func events() -> String {
        var lines =
            Lines.usage("s1") + Lines.purchase("ada") + Lines.usage("s2", at: 1_767_315_600_000)
        lines += Lines.refund("ada") + Lines.purchase("bob")
        for (index, type) in ["paywall.shown", "checkout.started", "checkout.completed"]
            .enumerated()
        {
            for subject in ["ada", "bob", "cy"].prefix(3 - index) {
                lines += """
                    {"type":"\(type)","subject":"\(subject)","occurred_at":\(1_767_300_000_000 + 90_000 * index),\
                    "source":{"kind":"native","key":"\(type)-\(subject)"},\
                    "data":{\(index == 0 ? "\"context\":\"\(subject == "cy" ? "settings" : "story")\"" : "")}}

                    """
            }
        }
        return lines
    }

    /// A copy of the ledger, one with an event more, and one of another app.
    private static func others(_ bench: Workbench) throws {
        for name in ["copy.sqlite", "b.sqlite"] {
            try FileManager.default.copyItem(
                atPath: "\(bench.folder)/a.sqlite", toPath: "\(bench.folder)/\(name)")
        }
        let more = try bench.run(
            ["import", "-", "--ledger", "b.sqlite"], input: Lines.usage("s3", at: 1_767_315_700_000)
        )
        try #require(more.status == 0, "\(more.errors)")
        _ = try bench.begin(Workbench.magical, name: "m.sqlite")
    }

    /// What differs between runs: places, keys that are made, and the clock of a write.
    private static func normalised(_ text: String, _ bench: Workbench) -> String {
        text.replacing(bench.folder, with: "<folder>")
            .replacing(/recorded  20[0-9T:.\-]+Z/, with: "recorded  <time>")
            .replacing(/\ to 20\S+Z was/, with: " to <time> was")
            .replacing(/20\S+Z(  correction voided)/) { "<time>            \($0.1)" }
            .replacing(/"until":\d+/, with: "\"until\":<time>")
            .replacing(/as of 20(2[7-9]|[3-9])[0-9T:.\-]+Z/, with: "as of <time>")
            .replacing(/, \d+ (ms|s)\n/, with: ", <duration>\n")
            .replacing(/"place":"[^"]+"/, with: "\"place\":<place>")
            .replacing(/"recorded_at":\d+/, with: "\"recorded_at\":<time>")
            .replacing(#/\n  20\S+Z +(yes|no), /#) { "\n  <time>  \($0.1), " }
    }

    /// Other rules and other events.
    private static func writeCircumstances(_ bench: Workbench) throws {
        let catalog = try String(contentsOfFile: Workbench.dozzi, encoding: .utf8)
        try bench.write(catalog.replacing("limit: 2\n", with: "limit: 1\n"), to: "one.yaml")
        let ollie = try String(contentsOfFile: Workbench.ollie, encoding: .utf8)
        try bench.write(ollie, to: "ollie.yaml")
        try bench.write(Lines.usage("s9", at: 1_767_315_700_000), to: "more.ndjson")
        try bench.write(Lines.usage("s1"), to: "again.ndjson")
        try bench.write(
            """
            {"type":"catalog.rolled_back","occurred_at":1767315700000,\
            "source":{"kind":"ledger","key":"x"},"data":{"version":1}}

            """, to: "catalog.ndjson")
    }

    /// Bundles that are not what they should be.
    private static func writeBundles(_ bench: Workbench, _ ledger: String) throws {
        let made = try bench.run(
            "capture ada --check stories --at 2026-03-01T00:00:00Z --output - --ledger \(ledger)")
        var bundle = try ReproBundle(reading: Array(made.output.utf8))
        bundle.answers[1].content["remaining"] = 1
        bundle.answers[1].content["allowed"] = true
        try bench.write(String(decoding: bundle.bytes, as: UTF8.self), to: "wrong.daybundle")
        try bench.write(String(made.output.dropLast(9)), to: "damaged.daybundle")
        try bench.write(
            made.output.replacing("\"format\":1", with: "\"format\":2"), to: "newer.daybundle")
    }

    @Test("People see what the goldens show", arguments: script.map(\.name))
    func golden(name: String) throws {
        let bench = try Workbench()
        let ledger = try bench.begin()
        let loaded = try bench.run(["import", "-", "--ledger", ledger], input: Self.events())
        try #require(loaded.status == 0, "\(loaded.errors)")
        try bench.write(
            """
            next 2
            back
            until allowed:premiumVoices
            to @3
            show
            until denied:premiumVoices
            until usage.reset

            """, to: "steps.txt")
        try bench.write("next\nsideways\n", to: "bad.txt")
        try Self.writeCircumstances(bench)
        if name == "capture" { try Self.writeBundles(bench, ledger) }
        if name == "against" { try Self.others(bench) }
        let lines = try #require(Self.script.first { $0.name == name }).lines
        var text = ""
        for line in lines {
            let result = try bench.run("\(line) --ledger \(ledger)")
            text += "$ daybook \(line)\n\(result.output)\(result.errors)[\(result.status)]\n\n"
        }
        let actual = Self.normalised(text, bench)
        let file = Self.folder.appending(path: "\(name).txt")
        if ProcessInfo.processInfo.environment["RECORD_GOLDEN"] == "1" {
            try actual.write(to: file, atomically: true, encoding: .utf8)
        }
        let expected = try String(contentsOf: file, encoding: .utf8)
        #expect(actual == expected)
    }
}
