import ArgumentParser
import Daybook
import DaybookEvents

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
        let json: JSONObject = [
            "path": .string(report.path), "bytes": .integer(Int64(report.byteCount)),
            "position": .integer(report.position), "units": .integer(Int64(report.units)),
        ]
        try output.show(json) {
            "\($0.tick) \(report.path): \(Words.count(Int64(report.units), "unit")) at position \(report.position), \(Words.grouped(Int64(report.byteCount))) bytes\n"
        }
    }
}
