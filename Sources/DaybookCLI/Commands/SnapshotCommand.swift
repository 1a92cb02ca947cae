import ArgumentParser
import Daybook

struct SnapshotCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "snapshot", abstract: "Write a snapshot, so that the next start is fast.",
        discussion: """
            A snapshot changes the time to an answer, never the answer; it can be deleted at any time.

              daybook snapshot
            """)

    @OptionGroup var ledger: LedgerOptions
    @OptionGroup var output: OutputOptions

    mutating func run() async throws {
        let report = try await ledger.writing { try $0.snapshot() }
        guard !output.json else {
            return Terminal.output.write([
                "path": .string(report.path), "bytes": .integer(Int64(report.byteCount)),
                "position": .integer(report.position), "units": .integer(Int64(report.units)),
            ])
        }
        let mark = Terminal.output.paint("✓", .good)
        Terminal.output.write(
            "\(mark) \(report.path): \(Words.count(Int64(report.units), "unit")) at position \(report.position), \(Words.grouped(Int64(report.byteCount))) bytes\n"
        )
    }
}
