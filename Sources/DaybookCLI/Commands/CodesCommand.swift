import ArgumentParser
import Daybook
import DaybookDomain

struct CodesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "codes", abstract: "Write a batch of codes of a promotion.",
        discussion: """
            One per line, with its number and the customer who redeemed it. The codes follow from the ledger's secret \
            and are the same each time, so nothing is kept and nothing is used up by writing them; a backup has them, \
            another ledger has others. Every reader of a code can redeem it.

              daybook codes reviewers
              daybook codes reviewers --from 11 --count 10 --json
              daybook codes reviewers --plain > codes.txt
            """)

    @Argument(help: "The promotion, as the catalog names it.")
    var promotion: String

    @Option(help: .value("n", "The number of the first one."))
    var from: Int64 = 1

    @Option(help: .value("n", "How many; default: all."))
    var count: Int64?

    @Flag(help: "Only codes that are not redeemed yet, one per line and nothing else.")
    var plain = false

    @OptionGroup var common: CommonOptions

    mutating func validate() throws {
        try require(from >= 1 && count ?? 1 >= 1, "--from and --count count from 1.")
        try require(
            !plain || !common.output.json, "--plain and --json are two formats; choose one.")
    }

    mutating func run() async throws {
        let last = from.addingReportingOverflow((count ?? Promotion.codesMax) - 1)
        let range = from...max(from, last.overflow ? Promotion.codesMax : last.partialValue)
        let codes = try await common.ledger.asking {
            try $0.codes(of: promotion, numbers: range, in: common.environment)
        }
        if plain {
            let free = codes.filter { $0.redeemedBy == nil }.map { "\($0.code.text)\n" }
            return try Terminal.output.write(HumanText(stringLiteral: free.joined()))
        }
        var table = Table()
        for issued in codes {
            table.add(
                .init("\(issued.code.number)", .dim), .init(issued.code.text, .bold),
                .init(
                    issued.redeemedBy.map {
                        "redeemed by \($0), \(Words.time(issued.redeemedAt))"
                    } ?? ""))
        }
        try common.output.show(codes.json(of: promotion)) {
            codes.isEmpty ? "no code has such a number\n" : table.text($0, indent: 0)
        }
    }
}
