import DaybookFixtures
import Foundation
import Testing

/// `Benchmarks/instructions.txt` says what a piece of work may take: seconds differ from run to run, instructions
/// hardly.
@Suite("Instructions of checks, uses, reports, histories, replays and folds")
struct InstructionTests {
    private static let thresholds =
        Fixtures.root.appending(path: "Benchmarks/instructions.txt").path
    private static let hasValgrind =
        ["/usr/bin/valgrind", "/usr/local/bin/valgrind"].contains {
            FileManager.default.isExecutableFile(atPath: $0)
        }

    @Test("None takes more than its line allows", .enabled(if: hasValgrind, "no valgrind"))
    func counted() async throws {
        let bench = try Workbench()
        let program = URL(filePath: Workbench.program).deletingLastPathComponent()
            .appending(path: "DaybookSamples").path
        let count = try await InstructionCount(program: program, folder: bench.folder)
        let thresholds = try InstructionCount.thresholds(Self.thresholds)
        #expect(thresholds.count == 12)
        for threshold in thresholds {
            let measured = try await count.perPiece(threshold.name)
            print("\(threshold.name): \(Int(measured)) instructions of \(Int(threshold.limit))")
            #expect(
                measured <= threshold.limit,
                "\(threshold.name) takes \(Int(measured)) instructions, more than \(Int(threshold.limit)): find out why, or raise its line in Benchmarks/instructions.txt and say so"
            )
            // A line that is far too high would notice nothing.
            #expect(
                measured >= threshold.limit / 2,
                "\(threshold.name) takes \(Int(measured)) instructions: lower its line")
        }
    }
}
