import ArgumentParser
import Daybook

struct SnapshotCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "snapshot", abstract: "Write a snapshot, so that the next start is fast.",
        discussion: """
            A snapshot changes the time to an answer, never the answer; it can be deleted at any time. Sealed \
            segments are written with it: all events once more, in a layout that is read many times as fast.

              daybook snapshot
            """)

    @OptionGroup var basic: BasicOptions

    mutating func run() async throws {
        let report = try await basic.ledger.opening("sealing") { ledger, bar in
            let events = try ledger.head().position
            return try ledger.snapshot { bar.show($0, of: $1, events: events) }
        }
        try basic.output.show([
            "path": .string(report.path), "bytes": .count(report.byteCount),
            "position": .integer(report.position), "aggregates": .count(report.aggregates),
            "segment_bytes": .count(report.segmentByteCount),
        ]) {
            "\($0.tick) \(report.path): \(Words.count(report.aggregates, "aggregate")) at position \(report.position), \(Words.grouped(report.byteCount)) bytes, segments \(Words.grouped(report.segmentByteCount)) bytes\n"
        }
    }
}
