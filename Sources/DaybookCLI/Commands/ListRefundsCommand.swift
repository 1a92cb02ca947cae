import ArgumentParser
import Daybook

struct ListRefundsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "refunds",
        abstract: "List what stores took back, the latest first, each transaction once.",
        discussion: """
            Refunds, revocations and refunds that were reversed since.

              daybook list refunds
              daybook list refunds --known-at @1 --json
            """)

    @OptionGroup var list: ListOptions

    mutating func run() async throws {
        try await list.show(empty: "no refunds", cells: \.cells, json: \.json) {
            try $0.refunds($1)
        }
    }
}

extension RefundRow {
    fileprivate var cells: [Table.Cell] {
        let amount = amountMilli.flatMap { amount in
            currency.map { Words.money(milli: amount, $0) }
        }
        return [
            .init(subject ?? "no customer", .bold), .init(kind?.rawValue ?? "reversed"),
            .init(product ?? ""), .init(transaction), .init(Words.time(revokedAt)),
            .init(amount ?? "", isRight: true), .init(Words.spaced(reason ?? "")),
            .init("@\(position)", .dim),
        ]
    }
}
