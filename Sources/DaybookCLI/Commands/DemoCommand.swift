import ArgumentParser
import Daybook
import DaybookDomain
import DaybookEvents
import Foundation

struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo", abstract: "See five apps run on one engine, in a temporary folder.",
        discussion: """
            Plays the repository's recorded streams, refuses a third story, refunds a purchase, asks what was known \
            before, replays from zero, and counts a funnel. Exits with 1 when anything is not as it must be.

              daybook demo
              daybook demo --json
            """)

    @Option(
        help: ArgumentHelp(
            "Where the apps' streams are. Default: events/ here or above.", valueName: "folder"))
    var events: String?

    @OptionGroup var output: OutputOptions

    private static let streamsShownMax = 4

    mutating func run() async throws {
        let start = SystemClock.now()
        let apps = try DemoFolder.find(events).apps
        let stage = Stage(isSilent: output.json)
        let folder = FileManager.default.temporaryDirectory.appending(
            path: RandomName.make("daybook-demo")
        ).path
        try OutputFile.makeFolder(folder)
        defer {
            // Only ours, and only temporary: what stays behind is swept by the system.
            try? FileManager.default.removeItem(atPath: folder)
        }
        stage.say("")
        stage.say(
            Terminal.output.paint("Daybook", .bold)
                + " · an event-sourced entitlement ledger with replay")
        let played = await play(apps, in: folder, stage)
        var report: JSONObject = ["apps": .array(played.map { .object($0.json) })]
        report["story"] = .object(try await story(apps, in: folder, stage, &report))
        let seconds = Double((SystemClock.now() - start) / 100) / 10
        let isWell = played.allSatisfy(\.isWell)
        report["well"] = .bool(isWell)
        stage.say("")
        stage.say(
            "\(seconds) s. Now yours: daybook init dozzi.sqlite --catalog events/dozzi/catalog.yaml"
        )
        stage.say("")
        if output.json { Terminal.output.write(report) }
        if !isWell { throw ExitCode.no }
    }

    private struct Played {
        var app: String
        var outcomes: [DemoStreams.Outcome]

        var isWell: Bool { outcomes.allSatisfy { $0.agrees && $0.problem == nil } }

        var json: JSONObject {
            [
                "app": .string(app), "streams": .array(outcomes.map { .object($0.json) }),
                "agrees": .bool(isWell),
            ]
        }
    }

    /// Plays every stream of every app, and tells of a few of each.
    private func play(
        _ apps: [DemoFolder.App], in folder: String, _ stage: Stage
    ) async -> [Played] {
        stage.chapter(
            "\(Words.spelled(apps.count)) on one engine",
            "Each line is a recorded stream, played into a ledger of its own, and where it ends.")
        var played: [Played] = []
        for app in apps {
            let outcomes = await DemoStreams(app: app, temporaryFolder: folder).play()
            played.append(Played(app: app.name, outcomes: outcomes))
            stage.say("  " + Terminal.output.paint(app.name, .bold))
            stage.show(table(outcomes))
        }
        let all = played.flatMap(\.outcomes)
        let events = all.reduce(0) { $0 + $1.events }
        let streams = all.filter { $0.digest != nil || $0.problem != nil }
        let agreeing = streams.count { $0.agrees }
        stage.say("")
        stage.answer(
            agreeing == streams.count,
            "\(Words.count(events, "event")); \(agreeing) of \(streams.count) streams replay from zero to the same digest"
        )
        return played
    }

    private func table(_ outcomes: [DemoStreams.Outcome]) -> Table {
        var table = Table()
        let shown = told(outcomes)
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
    private func told(_ outcomes: [DemoStreams.Outcome]) -> [DemoStreams.Outcome] {
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

    /// The live part: Dozzi, whose rules everybody understands at once.
    private func story(
        _ apps: [DemoFolder.App], in folder: String, _ stage: Stage, _ report: inout JSONObject
    ) async throws -> JSONObject {
        guard let dozzi = apps.first(where: { $0.name == "dozzi" }) else {
            throw Failure(.environment, "no_events", "the demo needs events/dozzi/catalog.yaml")
        }
        let document = try InputFile(dozzi.catalog).all(byteCountMax: CatalogReader.byteCountMax)
        let ledger = try await Ledger.create(at: "\(folder)/story.sqlite", catalog: document)
        let (story, funnel, digest) = try await LedgerOptions.using(ledger) { ledger in
            let story = try await DemoStory(stage: stage, ledger: ledger).play()
            let funnel = try await crowd(ledger, stage)
            return (story, funnel, try replay(ledger, stage))
        }
        report["funnel"] = .object(funnel)
        report["replay"] = .object(digest)
        return story
    }

    private func crowd(_ ledger: Ledger, _ stage: Stage) async throws -> JSONObject {
        stage.chapter(
            "A funnel", "\(DemoCrowd.count) visitors come by. How many get how far, and how fast?")
        guard let funnel = try ledger.catalogs().newest?.catalog.funnels.first else { return [:] }
        try await ledger.record(DemoCrowd(funnel: funnel, end: SystemClock.now()).drafts())
        stage.prompt("funnel \(funnel.name)")
        let report = try ledger.funnel(funnel.name)
        stage.show { FunnelText(report: report).text($0) }
        return report.json
    }

    private func replay(_ ledger: Ledger, _ stage: Stage) throws -> JSONObject {
        stage.chapter(
            "From zero", "Everything again, from the first event, on 1, 2 and 7 threads.")
        var digests: [String] = []
        for workers in [1, 2, 7] {
            stage.prompt("replay --workers \(workers)")
            let report = try ledger.replay(workers: workers)
            let isSame = report.agrees && report.differences.isEmpty
            stage.answer(isSame, "\(Words.count(report.events, "event")), digest \(report.digest)")
            digests += [report.digest.description, report.liveDigest.description]
        }
        guard Set(digests).count == 1 else {
            throw Failure(
                .no, "demo", "replays differ: \(Set(digests).sorted().joined(separator: ", "))")
        }
        return ["digest": .string(digests[0]), "agrees": true]
    }
}
