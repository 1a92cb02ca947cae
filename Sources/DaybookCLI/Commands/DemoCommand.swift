import ArgumentParser
import Daybook
import Foundation

struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo", abstract: "See five apps run on one engine, in a temporary folder.",
        discussion: """
            Plays the repository's recorded streams, refuses a third story, refunds a purchase, asks what was known \
            before, takes in what an authority of its own signed, counts a funnel, replays from zero, and serves \
            it over HTTP. Exits with 1 when anything is not as expected.

              daybook demo
              daybook demo --json
            """)

    @Option(
        help: .value(
            "folder",
            "Folder of the apps' streams. Default: events/ in the current folder or above."))
    var events: String?

    @OptionGroup var output: OutputOptions

    private static let streamsShownMax = 4

    mutating func run() async throws {
        let start = SystemClock.now()
        let apps = try DemoFolder.find(events).apps
        let stage = Stage(isSilent: output.json)
        let folder = try TemporaryFolder("daybook-demo")
        // The commands of the demo ask which ledger is meant, as every command does.
        setenv("DAYBOOK_LEDGER", "\(folder.path)/story.sqlite", 1)
        let title = Terminal.output.paint("Daybook", .bold)
        try stage.say("\n\(title) · an event-sourced entitlement ledger with replay\n")
        let played = try await play(apps, in: folder.path, stage)
        var report: JSONObject = ["apps": .objects(played.map(\.json))]
        try await playLive(apps, in: folder.path, stage, &report)
        let isWell = played.allSatisfy(\.isWell)
        report["well"] = .bool(isWell)
        let tenths = (SystemClock.now() - start) / 100
        try stage.say(
            "\(tenths / 10).\(tenths % 10) s. Now yours: daybook init dozzi.sqlite --catalog events/dozzi/catalog.yaml\n"
        )
        try stage.say(
            "The five apps in a browser: \(CommandLine.arguments[0]) dashboard --demo --port 8081 prints the address that opens http://127.0.0.1:8081\n"
        )
        if output.json { try Terminal.output.write(report) }
        withExtendedLifetime(folder) {}
        if !isWell { throw ExitCode.no }
    }

    private struct Played {
        var app: String
        var outcomes: [DemoStreams.Outcome]

        var isWell: Bool { outcomes.allSatisfy { $0.agrees && $0.problem == nil } }

        var json: JSONObject {
            [
                "app": .string(app), "streams": .objects(outcomes.map(\.json)),
                "agrees": .bool(isWell),
            ]
        }
    }

    /// Plays every stream of every app, and shows a few of each.
    private func play(
        _ apps: [DemoFolder.App], in folder: String, _ stage: Stage
    ) async throws -> [Played] {
        try stage.chapter(
            "\(Words.spelled(apps.count)) on one engine",
            "Each line is a recorded stream, played into a ledger of its own, and where it ends.")
        var played: [Played] = []
        for app in apps {
            let outcomes = await DemoStreams(app: app, temporaryFolder: folder).play()
            played.append(Played(app: app.name, outcomes: outcomes))
            try stage.say("  \(Terminal.output.paint(app.name, .bold))")
            try stage.show(table(outcomes))
        }
        let all = played.flatMap(\.outcomes)
        let events = all.reduce(0) { $0 + $1.events }
        let streams = all.filter { $0.digest != nil || $0.problem != nil }
        let agreeing = streams.count { $0.agrees }
        let mark =
            agreeing == streams.count ? Terminal.output.tick : Terminal.output.paint("✗", .bad)
        try stage.say(
            "\n    \(mark) \(Words.count(events, "event")); \(agreeing) of \(streams.count) streams replay from zero to the same digest\n"
        )
        return played
    }

    private func table(_ outcomes: [DemoStreams.Outcome]) -> Table {
        var table = Table()
        let shown = selected(outcomes)
        for outcome in shown {
            let name = outcome.name.replacing("-", with: " ")
            if let problem = outcome.problem {
                table.add(.init("  \(name)"), .init("✗ \(problem)", .bad))
                continue
            }
            table.add(
                .init("  \(name)"), .init(outcome.subject ?? "", .dim),
                .init(outcome.status?.status ?? ""),
                .init(outcome.status?.display.map { "“\($0.pluralSafeText)”" } ?? ""))
        }
        if outcomes.count > shown.count {
            table.add(.init("  and \(outcomes.count - shown.count) more", .dim))
        }
        return table
    }

    /// Everything that failed, and a few streams that end differently from one another.
    private func selected(_ outcomes: [DemoStreams.Outcome]) -> [DemoStreams.Outcome] {
        var seen: Set<String> = []
        var shown: [DemoStreams.Outcome] = []
        for outcome in outcomes {
            let end = "\(outcome.status?.status ?? "")/\(outcome.status?.display?.text ?? "")"
            if outcome.problem != nil {
                shown.append(outcome)
            } else if shown.count < Self.streamsShownMax, seen.insert(end).inserted {
                shown.append(outcome)
            }
        }
        return shown
    }

    /// The live part: Dozzi, whose rules need no explanation.
    private func playLive(
        _ apps: [DemoFolder.App], in folder: String, _ stage: Stage, _ report: inout JSONObject
    ) async throws {
        guard let dozzi = apps.first(where: { $0.name == "dozzi" }) else {
            throw Failure(.environment, "no_events", "the demo needs events/dozzi/catalog.yaml")
        }
        let ledger = "\(folder)/story.sqlite"
        let catalog = Self.fromHere(dozzi.catalog)
        report["story"] = .object(
            try await DemoFamily(stage: stage, ledger: ledger, catalog: catalog).play())
        let stories = apps.first { $0.name == "magical-stories" }.map { Self.fromHere($0.catalog) }
        if let stories {
            let act = DemoAppStore(stage: stage, folder: folder, catalog: stories)
            report["app_store"] = .object(try await act.play())
        }
        report["funnel"] = .object(try await crowd(dozzi, in: folder, ledger, stage))
        report["replay"] = .object(try await replay(ledger, stage))
        if let stories {
            let act = DemoHTTP(stage: stage, folder: folder, catalog: stories)
            report["http"] = .object(try await act.play())
        }
    }

    /// Short, where the file is below the current folder.
    private static func fromHere(_ path: String) -> String {
        let here = FileManager.default.currentDirectoryPath + "/"
        return path.hasPrefix(here) ? String(path.dropFirst(here.count)) : path
    }

    private func crowd(
        _ app: DemoFolder.App, in folder: String, _ ledger: String, _ stage: Stage
    ) async throws -> JSONObject {
        try stage.chapter(
            "A funnel", "\(DemoCrowd.count) visitors come by. How many get how far, and how fast?")
        let catalog = try CatalogFile.read(app.catalog).catalog
        guard let funnel = catalog.funnels.first else { return [:] }
        let visitors = "\(folder)/visitors.ndjson"
        try OutputFile.write(
            DemoCrowd(funnel: funnel, end: SystemClock.now()).lines(), to: visitors)
        try await stage.run(["import", visitors], ledger: ledger)
        return try await stage.run(["funnel", funnel.name], ledger: ledger).json
    }

    private func replay(_ ledger: String, _ stage: Stage) async throws -> JSONObject {
        try stage.chapter(
            "From zero", "Everything again, from the first event, on 1, 2 and 7 threads.")
        var digests: Set<String> = []
        for workers in ["1", "2", "7"] {
            let outcome = try await stage.run(["replay", "--workers", workers], ledger: ledger)
            if let digest = outcome.json["digest"]?.text { digests.insert(digest) }
            guard outcome.isYes, digests.count <= 1 else {
                throw Failure(.no, "demo", "replays differ from the live state or one another")
            }
        }
        return ["digest": .orNull(digests.first), "agrees": true]
    }
}
