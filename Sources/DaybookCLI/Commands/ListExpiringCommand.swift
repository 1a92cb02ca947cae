import ArgumentParser
import Daybook

struct ListExpiringCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "expiring",
        abstract: "List entitlements and granted units that end soon, the soonest first.",
        discussion: """
            Every customer who ever bought or was granted anything is looked at, which takes seconds where there are \
            many.

              daybook list expiring
              daybook list expiring --within P30D --ending
              daybook list expiring --at 2026-03-01T00:00:00Z --json
            """)

    @Option(help: .value("duration", "How far ahead, such as P14D or PT12H."))
    var within: String = "P7D"

    @Flag(help: "Only what the store will not renew.")
    var ending = false

    @OptionGroup var list: ListOptions

    mutating func run() async throws {
        let request = try list.request()
        let span = try DurationText.read(within, "--within") ?? 0
        let found = try await list.ask.ledger.asking("list") { ledger, bar in
            try ledger.expiring(request, within: span, isEndingAlone: ending) { done, all in
                bar.show(done, of: all, note: Words.count(all, "customer"))
            }
        }
        try found.show(
            list.ask.output, empty: "nothing ends within \(within)", cells: \.cells, json: \.json)
    }
}

extension ExpiryRow {
    fileprivate var cells: [Table.Cell] {
        [
            .init(Words.time(expiresAt)), .init(subject, .bold),
            .init(name), .init(profile ?? ""), .init(Words.spaced(state)),
            .init(left.map { "\($0) left of \(source)" } ?? source),
            .init(willRenew ? "renews" : ""),
        ]
    }
}
