import ArgumentParser
import Daybook
import DaybookDomain

struct FunnelCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "funnel", abstract: "Count how many got how far, and how fast.",
        discussion: """
            Funnels are defined in the catalog; without a name they are listed.

              daybook funnel
              daybook funnel paywall_to_purchase \\
                --from 2026-03-01T00:00:00Z --until 2026-04-01T00:00:00Z
              daybook funnel paywall_to_purchase --by context --json
              daybook funnel paywall_to_purchase --by variant --experiment price
              daybook funnel paywall_to_purchase --per session --session-gap PT1H
              daybook funnel paywall_to_purchase --entry best --by context --touch last
              daybook funnel paywall_to_purchase --behind paywallShown --stopped
            """)

    @Argument(help: "A funnel of the catalog.")
    var name: String?

    @Option(help: .value("time", "First step at or after this time."))
    var from: String?

    @Option(help: .value("time", "First step before this time."))
    var until: String?

    @OptionGroup var rules: FunnelRulesOptions

    @Option(name: .customLong("by"), help: "Count separately by this.")
    var breakdown = FunnelBreakdown.none

    @Option(
        help: .value(
            "name",
            "With --by variant: the experiment. Default: what the catalog names, else the events' own variants."
        ))
    var experiment: String?

    @Option(help: .value("step", "Tell which customers took this step."))
    var behind: String?

    @Flag(help: "With --behind: only those who went no further.")
    var stopped = false

    @OptionGroup var customers: CustomerFilterOptions
    @OptionGroup var moment: MomentOptions
    @OptionGroup var environment: EnvironmentOption
    @OptionGroup var ledger: LedgerOptions
    @OptionGroup var format: MetricsOutput

    mutating func validate() throws {
        try require(
            behind != nil || !(stopped || format.isOfLines),
            "--stopped, --csv and --ndjson are of --behind; write it beside.")
        try require(
            experiment == nil || breakdown == .variant,
            "An experiment has variants; write --by variant beside it.")
        try require(
            rules.touch == .first || breakdown != .none,
            "Without --by there is nothing to tell apart; write it.")
    }

    mutating func run() async throws {
        guard let name else {
            let knownAt = try moment.moment().knownAt
            return try await ledger.asking { ledger in
                try list(try ledger.catalogs(knownAt: knownAt).newest?.catalog.funnels ?? [])
            }
        }
        let request = try request(name)
        if let behind { return try await showCustomers(request, behind) }
        let report = try await ledger.counting("funnel") { try $0.funnel(request, progress: $1) }
        try format.output.show(report.json) { FunnelText(report: report).text($0) }
    }

    private func showCustomers(_ funnel: FunnelRequest, _ step: String) async throws {
        var request = FunnelStepRequest(funnel, step: step)
        request.isStopped = stopped
        let found = try await ledger.counting("funnel") { [request] in
            try $0.customers(at: request, progress: $1)
        }
        try format.show(found) { ContributionsText.text(found, $0) }
    }

    private func request(_ name: String) throws -> FunnelRequest {
        var request = FunnelRequest(
            name, by: breakdown, experiment: experiment, environment: environment.environment)
        (request.from, request.until) = try InstantText.span(from: from, until: until)
        try rules.apply(to: &request)
        request.filter = try customers.filter()
        request.moment = try moment.moment()
        return request
    }

    private func list(_ funnels: [Funnel]) throws {
        let table = Table(funnels) { funnel in
            [.init(funnel.name, .bold), .init(funnel.steps.map(\.name).joined(separator: " → "))]
        }
        try format.output.show(funnels.json) { table.text($0, indent: 0) }
    }
}
