import ArgumentParser
import Daybook

struct TickCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tick", abstract: "Write the periodic resets that are due.",
        discussion: """
            Answers never wait for them: they are evidence, for timelines. Doing it twice adds nothing.

              daybook tick
              daybook tick --at 2026-04-01T00:00:00Z
            """)

    @Option(help: .value("time", "Due by then, at most now. Default: now."))
    var at: String?

    @OptionGroup var basic: BasicOptions

    mutating func run() async throws {
        let instant = try InstantText.read(at, "--at")
        let (receipt, json) = try await basic.ledger.opening("tick") { ledger, bar in
            let receipt = try await ledger.tick(at: instant) { bar.show($0, of: $1) }
            return (receipt, ledger.json(of: receipt))
        }
        let text =
            receipt.appended == 0
            ? "nothing was due" : "\(Words.count(receipt.appended, "reset")) written"
        try basic.output.show(json) { "\($0.tick) \(text)\n" }
    }
}
