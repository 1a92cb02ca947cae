import ArgumentParser
import Daybook
import DaybookDomain

struct FunnelCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "funnel", abstract: "Count how many customers got how far, and how fast.",
        discussion: """
            Funnels are defined in the catalog; without a name they are listed.

              daybook funnel
              daybook funnel paywall_to_purchase \\
                --from 2026-03-01T00:00:00Z --until 2026-04-01T00:00:00Z
              daybook funnel paywall_to_purchase --by context --json
              daybook funnel paywall_to_purchase --by variant --experiment price
            """)

    @Argument(help: "A funnel of the catalog.")
    var name: String?

    @Option(help: ArgumentHelp("First step at or after this time.", valueName: "time"))
    var from: String?

    @Option(help: ArgumentHelp("First step before this time.", valueName: "time"))
    var until: String?

    @Option(
        help: ArgumentHelp(
            "How long it may take, such as P7D. Default: the catalog's.", valueName: "duration"))
    var window: String?

    @Option(name: .customLong("by"), help: "Count separately by this.")
    var breakdown = FunnelBreakdown.none

    @Option(
        help: ArgumentHelp(
            "With --by variant: the experiment. Default: what the catalog names, else the events' own variants.",
            valueName: "name"))
    var experiment: String?

    @Option(help: ArgumentHelp("Only what had been recorded by then.", valueName: "time"))
    var knownAt: String?

    @OptionGroup var environment: EnvironmentOption
    @OptionGroup var ledger: LedgerOptions
    @OptionGroup var output: OutputOptions

    mutating func validate() throws {
        guard experiment == nil || breakdown == .variant else {
            throw ValidationError("An experiment has variants; write --by variant beside it.")
        }
    }

    mutating func run() async throws {
        let range = try InstantText.span(from: from, until: until)
        let window = try DurationText.read(window, "--window")
        let knownAt = try InstantText.knowledge(knownAt, "--known-at")
        try await ledger.asking { ledger in
            guard let name else {
                return try list(
                    try ledger.catalogs(knownAt: knownAt).newest?.catalog.funnels ?? [])
            }
            let report = try ledger.funnel(
                name, environment: environment.environment, from: range.from, until: range.until,
                windowMilliseconds: window, breakdown: breakdown, experiment: experiment,
                knownAt: knownAt)
            try output.show(report.json) { FunnelText(report: report).text($0) }
        }
    }

    private func list(_ funnels: [Funnel]) throws {
        var table = Table()
        for funnel in funnels {
            table.add(
                .init(funnel.name, .bold),
                .init(funnel.steps.map(\.name).joined(separator: " → ")))
        }
        try output.show(funnels.json) { table.text($0, indent: 0) }
    }
}
