import DaybookFixtures
import Foundation

extension Benchmark {
    /// - Throws: `Skipped` where a tool is missing.
    private func instructionCount() throws -> InstructionCount {
        // Built together with the server.
        let program = URL(filePath: programs.server).deletingLastPathComponent()
            .appending(path: "DaybookSamples").path
        do {
            return try InstructionCount(program: program, folder: programs.folder)
        } catch let failure as InstructionCount.Failure where failure.isSkipped {
            throw Skipped(reason: failure.description)
        }
    }

    var instructions: Topic {
        let ways = thresholds.map { threshold in
            Comparison.Way(threshold.name, roundMax: 1) {
                var measurement = Measurement()
                measurement["instructions"] = try instructionCount().perPiece(threshold.name)
                return measurement
            }
        }
        return Topic(
            "Instructions",
            note: """
                Counted by valgrind --tool=callgrind, for each event, question or use; the targets \
                are Benchmarks/instructions.txt with its tolerance, and `make test` fails above them.
                """,
            share: 0.03, ways: ways,
            tables: [[.value("instructions", 0) { $0["instructions"] }]],
            goals: thresholds.map { threshold in
                Goal(
                    "\(threshold.name), instructions for each", .atMost, threshold.limit, places: 1
                ) { comparison in
                    Statistics.median(comparison[threshold.name].map { $0["instructions"] })
                }
            })
    }
}
