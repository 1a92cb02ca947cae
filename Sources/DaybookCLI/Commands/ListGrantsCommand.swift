import ArgumentParser
import Daybook

struct ListGrantsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "grants", abstract: "List grants and what is left of them, the newest first.",
        discussion: """
              daybook list grants
              daybook list grants --all --limit 20
              daybook list grants --at 2026-03-01T00:00:00Z --json
            """)

    @Flag(help: "Also those that were used up, voided, or are over.")
    var all = false

    @OptionGroup var list: ListOptions

    mutating func run() async throws {
        try await list.show(
            empty: all ? "no grants" : "no grants that hold or begin later",
            cells: \.cells, json: \.json
        ) { try $0.grants($1, isAll: all) }
    }
}

extension GrantRow {
    fileprivate var cells: [Table.Cell] {
        let units =
            grant.isUnlimited
            ? "unlimited"
            : grant.amount.map { amount in
                grant.left.map { "\($0) of \(amount) left" } ?? "\(amount)"
            } ?? ""
        let what = [grant.entitlement, grant.feature, grant.meter].compactMap(\.self).first ?? ""
        return [
            .init(subject, .bold), .init(grant.name), .init(grant.state.rawValue), .init(what),
            .init(units), .init(grant.every.map { "every \($0)" } ?? ""),
            .init(grant.expiresAt.map { "until \(Words.time($0))" } ?? ""),
            .init("@\(position)", .dim),
        ]
    }
}
