import DaybookFixtures
import Dispatch
import Foundation
import Synchronization

/// What a task came to, for a thread that waits for it.
private final class Outcome<Value: Sendable>: Sendable {
    private let value = Mutex<Result<Value, any Error>?>(nil)
    private let isThere = DispatchSemaphore(value: 0)

    init(_ body: @escaping @Sendable () async throws -> Value) {
        Task.detached { [self] in
            let result: Result<Value, any Error>
            do { result = .success(try await body()) } catch { result = .failure(error) }
            value.withLock { $0 = result }
            isThere.signal()
        }
    }

    func wait() throws -> Value {
        isThere.wait()
        guard let result = value.withLock({ $0 }) else { throw BenchmarkError("nothing came") }
        return try result.get()
    }
}

extension Benchmark {
    /// - Throws: `Skipped` where a tool is missing.
    private func instructionCount(_ name: String) throws -> Double {
        // Built together with the server.
        let program = URL(filePath: programs.server).deletingLastPathComponent()
            .appending(path: "DaybookSamples").path
        let folder = programs.folder
        do {
            return try Outcome {
                try await InstructionCount(program: program, folder: folder).perPiece(name)
            }.wait()
        } catch let failure as InstructionCount.Failure where failure.isSkipped {
            throw Skipped(reason: failure.description)
        }
    }

    var instructions: Topic {
        let ways = thresholds.map { threshold in
            Comparison.Way(threshold.name, roundMax: 1) {
                var measurement = Measurement()
                measurement["instructions"] = try instructionCount(threshold.name)
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
