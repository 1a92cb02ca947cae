import Daybook
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookStore
import DaybookTesting
import Synchronization
import Testing

/// A group of commands is decided while the one before is written to the disk.
@Suite("Groups that follow each other")
struct FollowingGroupTests {
    private static let hasSeveralProcessors = Parallel.processorCount > 1

    /// A clock that goes on by a millisecond whenever it is read.
    private final class SteppingClock: Sendable {
        private let time = Mutex(Fixtures.now)
        func read() -> Int64 { advance(by: 1) }
        @discardableResult
        func advance(by step: Int64) -> Int64 {
            time.withLock { time in
                time += step
                return time
            }
        }
    }

    private static func uses(_ numbers: Range<Int>, customers: Int) -> [CommandRequest] {
        numbers.map { number in
            CommandRequest(
                .consume(meter: "stories", amount: 1, ref: "\(number)"),
                subject: "customer-\(number % customers)", key: "use-\(number)")
        }
    }

    private static func dozzi(
        _ store: any EventStore, _ clock: @escaping @Sendable () -> Int64
    ) async throws -> Ledger {
        let ledger = try Ledger(store: store, clock: clock)
        try await ledger.publish(
            CatalogPublication(document: try Fixtures.catalogDocument("dozzi"), effectiveAt: 0))
        return ledger
    }

    @Test(
        "It is decided when the commit before it begins to be written, unless the clock says that was long ago",
        .enabled(if: hasSeveralProcessors, "one processor"),
        arguments: [0, 60, 5_000, -5_000] as [Int64])
    func time(_ duration: Int64) async throws {
        let clock = SteppingClock()
        let store = HookedStore(app: "dozzi")
        let ledger = try await Self.dozzi(store, clock.read)
        let begun = Mutex<[Int64]>([])
        store.before { call in
            guard call == .commit else { return }
            begun.withLock { $0.append(clock.read()) }
            clock.advance(by: duration)
        }
        let requests = Self.uses(0..<60, customers: 60)
        for answer in ledger.writer.performTogether(requests, inGroupsOf: 20) {
            #expect(try answer.get().decision?.allowed == true)
        }
        let times = begun.withLock { $0 }
        try #require(times.count == 3)
        let rows = try store.rows(at: Array(2...61))
        try #require(rows.count == 60)
        let recorded = rows.map(\.recordedAt)
        #expect(recorded == recorded.sorted())
        for group in 0..<3 {
            let some = rows[group * 20..<group * 20 + 20]
            let (first, last) = (try #require(some.first), recorded[max(0, group * 20 - 1)])
            #expect(some.allSatisfy { $0.recordedAt == first.recordedAt })
            #expect(some.allSatisfy { $0.event.occurredAt == first.event.occurredAt })
            // What is told about a use is what was known at its time.
            #expect(first.event.occurredAt == first.recordedAt)
            guard group > 0 else { continue }
            let before = times[group - 1]
            switch duration {
            case ..<0: #expect(first.recordedAt == last)
            case ...100: #expect((last..<before).contains(first.recordedAt))
            default: #expect(first.recordedAt > before + duration)
            }
        }
    }

    @Test("Until a group is visible, what was known at its time may still change")
    func open() async throws {
        let clock = SteppingClock()
        let store = HookedStore(app: "dozzi")
        let ledger = try await Self.dozzi(store, clock.read)
        @Sendable func head(at time: Int64) -> AsOf? {
            try? ledger.status(
                of: "customer-0", moment: Moment(knownAt: .instant(time))
            ).asOf
        }
        let asked = Mutex<[(time: Int64, asOf: AsOf?)]>([])
        store.before { call in
            guard call == .commit else { return }
            // By the clock the time is over when it is asked about.
            let time = clock.read()
            let asOf = head(at: time)
            asked.withLock { $0.append((time, asOf)) }
        }
        let answers = ledger.writer.performTogether(
            Self.uses(0..<60, customers: 60), inGroupsOf: 20)
        #expect(answers.allSatisfy { (try? $0.get()) != nil })
        let questions = asked.withLock { $0 }
        #expect(questions.map(\.asOf?.isOpen) == [true, true, true])
        let later = questions.map { head(at: $0.time) }
        #expect(later.map { $0?.isOpen } == [false, false, false])
        // Else nothing would have changed.
        #expect(later.map { $0?.position } != questions.map(\.asOf?.position))
    }

    /// What another ledger of the file does between two groups.
    enum Deed: CaseIterable {
        /// A customer of the second group buys unlimited stories.
        case purchase
        /// A customer who bought hands all of it over to them.
        case handover
        /// A use of theirs is voided.
        case void
        /// They become one with a customer who bought, whichever of the two is asked about.
        case alias, aliasOfOwner
        /// Their last story is used, a moment after the second group was foreseen.
        case use
        /// The same under the other spelling of an id that nothing was known of.
        case spelling
    }

    private static let small = "6f9619ff-8b86-4d01-b42d-00cf4fc964ff"

    private static func purchase(by subject: String) -> EventDraft {
        LineageFixture(subject, product: "com.dozzi.unlimited_stories", subject: subject)
            .started(subject, from: Fixtures.now - 1_000, until: Fixtures.now + 86_400_000)
    }

    /// - Returns: The customer of whom it makes a difference.
    private static func act(_ deed: Deed, _ other: Ledger) -> String {
        func perform(_ command: Command, _ subject: String, count: Int = 1) -> Bool {
            let request = CommandRequest(command, subject: subject, reason: "a test")
            let answers = other.writer.performTogether(Array(repeating: request, count: count))
            return answers.allSatisfy { (try? $0.get()) != nil }
        }
        let use = Command.consume(meter: "stories", amount: 1, ref: nil)
        var isDone = true
        var subject = "late-7"
        switch deed {
        case .purchase: _ = other.writer.performTogether([], after: [purchase(by: subject)])
        case .handover:
            let draft = EventDraft.reported(
                .purchaseTransferred, at: Fixtures.now - 1, key: "hand", subject: "owner",
                ["from": "owner", "to": .string(subject)])
            _ = other.writer.performTogether([], after: [draft])
        case .void: isDone = perform(.voidEvent(source: "ledger", key: "use-7"), "support")
        case .alias: isDone = perform(.alias(to: "owner"), subject)
        case .aliasOfOwner: isDone = perform(.alias(to: subject), "owner")
        case .use:
            subject = "late-0"
            isDone = perform(use, subject)
        case .spelling:
            subject = small
            isDone = perform(use, small.uppercased(), count: 2)
        }
        #expect(isDone, "\(deed)")
        return subject
    }

    @Test(
        "What another ledger of the file commits between two groups counts for the second",
        .enabled(if: hasSeveralProcessors, "one processor"), arguments: Deed.allCases)
    func between(_ deed: Deed) async throws {
        let folder = try LedgerFolder()
        let readings = Mutex<Int?>(nil)
        let act = Mutex<(@Sendable () -> Void)?>(nil)
        // The fourth reading comes when the second group is about to ask for the right to write: the first two are the
        // first group's, and the third says when the second one is decided.
        let ledger = try await folder.create(
            "dozzi",
            clock: {
                let count = readings.withLock { count in
                    count = count.map { $0 + 1 }
                    return count ?? 0
                }
                if count == 4 { act.withLock { $0 }?() }
                return Fixtures.now + (count < 4 ? 0 : 60)
            })
        let delay: Int64 = deed == .use ? 50 : 0
        let other = try Ledger.open(folder.path, clock: { Fixtures.now + delay })
        try await ledger.record([Self.purchase(by: "owner")])
        // One of them has a story left.
        let before = (0..<39).map { number in
            CommandRequest(
                .consume(meter: "stories", amount: 1, ref: nil),
                subject: "late-\(19 - number % 20)", key: "use-\(19 - number)")
        }
        #expect(ledger.writer.performTogether(before).allSatisfy { (try? $0.get()) != nil })
        let changed = Mutex("")
        let head = Mutex<Int64>(0)
        let isOpen = Mutex<Bool?>(nil)
        act.withLock { act in
            act = {
                head.withLock { $0 = (try? other.head().position) ?? 0 }
                let subject = Self.act(deed, other)
                changed.withLock { $0 = subject }
                // The first group is visible, and the second one will be recorded at a time that is over.
                let moment = Moment(knownAt: .instant(Fixtures.now + 1))
                isOpen.withLock {
                    $0 = try? ledger.status(of: "early-0", moment: moment).asOf.isOpen
                }
            }
        }
        readings.withLock { $0 = 0 }
        let subjects = (0..<21).map { "early-\($0)" } + (0..<20).map { "late-\($0)" }
        let next = (subjects + [Self.small]).map {
            CommandRequest(.consume(meter: "stories", amount: 1, ref: nil), subject: $0)
        }
        let answers = ledger.writer.performTogether(next, inGroupsOf: 21)
        // It was done right after the first group.
        #expect(try head.withLock { $0 } == answers[20].get().positions.last)
        #expect(isOpen.withLock { $0 } == true)
        let name = changed.withLock { $0 }
        for (use, answer) in zip(next, answers) {
            let wasAllowed = !use.subject.hasPrefix("late-") || use.subject == "late-0"
            let isAllowed = (use.subject == name) != wasAllowed
            #expect(((try? answer.get()) != nil) == isAllowed, "\(use.subject): \(answer)")
        }
        try other.close()
        try ledger.close()
    }

    @Test(
        "A group that is decided while the one before fails comes to what it comes to without that one"
    )
    func failure() async throws {
        let store = HookedStore(app: "dozzi")
        let together = try await Self.dozzi(store) { Fixtures.now }
        let alone = try await Self.dozzi(InMemoryEventStore(app: "dozzi")) { Fixtures.now }
        let commits = Mutex(0)
        store.before { call in
            guard call == .commit else { return }
            let number = commits.withLock { commits in
                commits += 1
                return commits
            }
            if number == 2 { throw StoreError(.failed, "the disk is full") }
        }
        // Two stories are free, and the group that fails has the second one of each customer.
        let requests = Self.uses(0..<100, customers: 20)
        let answers = together.writer.performTogether(requests, inGroupsOf: 20)
        for (number, answer) in answers.enumerated() {
            if (20..<40).contains(number) {
                let error = #expect(throws: LedgerError.self) { try answer.get() }
                #expect("\(try #require(error))".contains("the disk is full"))
                continue
            }
            let expected = try #require(alone.writer.performTogether([requests[number]]).first)
            #expect((try? answer.get()) == (try? expected.get()), "use \(number)")
        }
        #expect(try together.place() == (try alone.place()))
        #expect(answers.count { (try? $0.get()) != nil } == 40)
    }

    @Test("Of many clients each gets an answer, and no quota is exceeded or left")
    func clients() async throws {
        let folder = try LedgerFolder()
        let ledger = try await folder.create("dozzi", clock: { Fixtures.now })
        let granted = try await withThrowingTaskGroup(of: [String].self) { group in
            for client in 0..<64 {
                group.addTask {
                    var granted: [String] = []
                    for turn in 0..<15 {
                        let subject = "customer-\((client * 15 + turn) % 200)"
                        let use = Command.consume(meter: "stories", amount: 1, ref: nil)
                        do {
                            _ = try await ledger.perform(CommandRequest(use, subject: subject))
                            granted.append(subject)
                        } catch LedgerError.rejected {
                        }
                    }
                    return granted
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        let counts = Dictionary(grouping: granted) { $0 }.mapValues(\.count)
        #expect(counts.count == 200 && counts.values.allSatisfy { $0 == 2 }, "\(counts)")
        #expect(try ledger.activity().events >= 400)
        try ledger.close()
    }
}
