import DaybookEvents
import DaybookStore
import DaybookTesting
import Dispatch
import Foundation
import Synchronization
import Testing

/// A writer that waits for the lock gets it in turn, however busy another one is.
@Suite("Turns between writers")
struct LedgerGateTests {
    /// A writer that takes the lock back as soon as it has released it.
    private final class Saturating: Sendable {
        let commits = Atomic<Int>(0)
        private let isOver = Atomic<Bool>(false)
        private let hasFailed = Atomic<Bool>(false)
        private let ended = DispatchSemaphore(value: 0)

        init(_ store: SQLiteEventStore) {
            DispatchQueue(label: "saturating").async {
                var builder = BatchBuilder()
                let stream = builder.stream("ada")
                while !self.isOver.load(ordering: .relaxed) {
                    let rows = [builder.row(in: stream, key: "\(builder.head + 1)")]
                    let batch = builder.batch(rows, recordedAt: 1_700_000_000_000)
                    do {
                        try store.exclusively { try $0.append(batch) }
                        self.commits.add(1, ordering: .relaxed)
                    } catch {
                        self.hasFailed.store(true, ordering: .relaxed)
                        break
                    }
                }
                self.ended.signal()
            }
        }

        /// Waits for so many more commits; a writer that fails is not waited for.
        func goesOn(_ count: Int) -> Bool {
            let wanted = commits.load(ordering: .relaxed) + count
            while commits.load(ordering: .relaxed) < wanted {
                if hasFailed.load(ordering: .relaxed) { return false }
            }
            return true
        }

        func end() {
            isOver.store(true, ordering: .relaxed)
            ended.wait()
        }
    }

    /// How long this thread could run so far and did not, because others had the processors; 0 where the system does
    /// not tell.
    private static func nanosecondsHeldUp() -> Int64 {
        // Documentation/scheduler/sched-stats of Linux: time on a processor, time waiting for one, how often it ran.
        guard
            let text = try? String(contentsOfFile: "/proc/thread-self/schedstat", encoding: .utf8)
        else { return 0 }
        let words = text.split(separator: " ")
        return words.count == 3 ? Int64(words[1]) ?? 0 : 0
    }

    @Test("Beside a writer that never rests, every wait ends within a few of its commits")
    func turns() throws {
        let folder = try TemporaryFolder()
        let path = folder.newPath()
        // Two stores have two descriptors of the lock, as two processes have.
        let busy = try SQLiteEventStore.create(at: path, app: "dozzi")
        let other = try SQLiteEventStore(path: path)
        try busy.exclusively { _ in }
        try other.exclusively { _ in }
        let writer = Saturating(busy)
        defer { writer.end() }
        try #require(writer.goesOn(10))
        // What was under way, and what had passed the gate. A wait in which this thread could run and did not, because
        // the machine has other work, tells nothing of the gate; without one, waits take thousands of commits.
        var waits: [Int] = []
        var tries = 0
        while waits.count < 50, tries < 500 {
            tries += 1
            let heldUp = Self.nanosecondsHeldUp()
            let start = ContinuousClock.now
            let before = writer.commits.load(ordering: .relaxed)
            var after = before
            var isFair = true
            try other.exclusively { _ in
                after = writer.commits.load(ordering: .relaxed)
                let wait = (ContinuousClock.now - start) / .nanoseconds(1)
                let idle = Double(Self.nanosecondsHeldUp() - heldUp)
                // One that sleeps again and again is held up a little each time, however long it takes.
                isFair = idle < 100_000 || idle < wait / 4
            }
            try #require(writer.goesOn(2))
            if isFair { waits.append(after - before) }
        }
        waits.sort()
        try #require(waits.count == 50, "of \(tries) waits only \(waits.count) tell anything")
        print(
            "commits of the other while waiting: median \(waits[25]), longest \(waits[49]); \(tries - 50) waits left out"
        )
        #expect(waits[45] <= 4, "\(waits)")
        try other.close()
    }

    @Test("Many who wait all get their turn")
    func many() throws {
        let folder = try TemporaryFolder()
        let path = folder.newPath()
        let busy = try SQLiteEventStore.create(at: path, app: "dozzi")
        let writer = Saturating(busy)
        let done = Atomic<Int>(0)
        let group = DispatchGroup()
        for number in 0..<4 {
            let store = try SQLiteEventStore(path: path)
            DispatchQueue(label: "waiting \(number)").async(group: group) {
                for _ in 0..<25 {
                    // A failure would show in the count.
                    if (try? store.exclusively { _ in }) != nil { done.add(1, ordering: .relaxed) }
                }
                // Whatever goes wrong with closing is not what is asked here.
                try? store.close()
            }
        }
        group.wait()
        writer.end()
        #expect(done.load(ordering: .relaxed) == 100)
        let commits = writer.commits.load(ordering: .relaxed)
        print("commits of the other while 4 waited 25 times each: \(commits)")
        // Hardly more than one for each of the 100 turns; it was thousands without the gate.
        #expect(commits <= 500)
        try busy.close()
    }
}
