import Daybook
import Synchronization
import Testing

/// Replays share their work out in turns.
@Suite("Turns of several threads")
struct ParallelTests {
    private struct Failure: Error, Equatable {
        var turn: Int
    }

    @Test("Every turn is taken once, by any free thread", arguments: [1, 2, 7])
    func all(_ workers: Int) throws {
        let spaces = try Parallel.run(workers: workers, turns: 10_000, workspace: { _ in [Int]() })
        {
            taken, turn, _ in taken.append(turn)
        }
        #expect(spaces.flatMap(\.self).sorted() == Array(0..<10_000))
        #expect(spaces.count == workers)
        #expect(
            try Parallel.run(workers: workers, turns: 0, workspace: { $0 }) { _, _, _ in }.count
                == workers)
    }

    @Test(
        "Once a turn failed no thread begins another, and its error is the one that is thrown",
        arguments: [1, 2, 7])
    func failure(_ workers: Int) {
        let begun = Atomic<Int>(0)
        let error = #expect(throws: Failure.self) {
            _ = try Parallel.run(workers: workers, turns: 1_000_000, workspace: { _ in }) {
                _, turn, turns in
                begun.add(1, ordering: .relaxed)
                guard turn > 0 else { throw Failure(turn: turn) }
                // Ends when the other is known to have failed; bounded, so that a fault shows instead of hanging.
                var tries = 0
                while !turns.isStopped, tries < 1_000_000_000 { tries += 1 }
                throw Failure(turn: turn)
            }
        }
        #expect(error == Failure(turn: 0))
        let count = begun.load(ordering: .relaxed)
        #expect(count <= workers)
    }

    @Test("A workspace that cannot be made ends the run")
    func workspace() {
        let begun = Atomic<Int>(0)
        #expect(throws: Failure(turn: -1)) {
            _ = try Parallel.run(
                workers: 2, turns: 1_000_000,
                workspace: { worker in
                    if worker == 0 { throw Failure(turn: -1) }
                },
                { _, _, turns in
                    begun.add(1, ordering: .relaxed)
                    var tries = 0
                    while !turns.isStopped, tries < 1_000_000_000 { tries += 1 }
                })
        }
        let count = begun.load(ordering: .relaxed)
        #expect(count <= 1)
    }
}
