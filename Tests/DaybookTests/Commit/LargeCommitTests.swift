import Daybook
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookStore
import DaybookTesting
import Dispatch
import Synchronization
import Testing

/// While a commit of many events is taken in, those who ask get what was before it, from what is at hand.
@Suite("Large commits")
struct LargeCommitTests {
    private static let useCount = 300

    /// More uses of bob's than are taken in at once, a first one of cleo's, and a correction that takes bob's first use back.
    private var reports: [EventDraft] {
        (1...Self.useCount).map { number in
            .used(
                "stories", at: Fixtures.now - 500 + Int64(number), ref: "b\(number)", subject: "bob"
            )
        } + [
            .used("stories", at: Fixtures.now - 9, ref: "c1", subject: "cleo"),
            .reported(
                .correctionVoided, at: Fixtures.now - 8, key: "void", subject: "bob",
                [
                    "target": [
                        "source": "native", "key": .string("stories/b0/\(Fixtures.now - 600)"),
                    ],
                    "reason": "mistake",
                ]),
        ]
    }

    /// What those who ask are told.
    private struct Answers: Sendable {
        let bob: Decision
        let position: Int64
        /// The decision about bob that is at hand.
        let kept: Decision?
        let ada: Decision
        let cleo: Decision
        /// How many streams were read to answer.
        let streamReadCount: Int

        init(_ ledger: Ledger, _ streamReads: borrowing Atomic<Int>) throws {
            let before = streamReads.load(ordering: .relaxed)
            let question = CheckQuestion("stories")
            let (bob, asOf) = try ledger.check(question, for: "bob")
            (self.bob, position) = (bob, asOf.position)
            kept = try ledger.core.atHand(question, for: "bob", .production).decision?.decision
            ada = try ledger.check(question, for: "ada").decision
            cleo = try ledger.check(question, for: "cleo").decision
            streamReadCount = streamReads.load(ordering: .relaxed) - before
        }
    }

    /// What those are told who ask about the commit by its positions.
    private struct Beyond: Sendable {
        let event: EventDraft?
        let cleo: Decision

        init(_ ledger: Ledger, _ last: Int64) throws {
            event = try ledger.event(at: last - 1)?.draft
            cleo = try ledger.check(
                CheckQuestion("stories"), for: "cleo", moment: Moment(knownAt: .position(last))
            ).decision
        }
    }

    @Test("A check beside it answers from before, decided and at hand, until all of it is shown")
    func beside() async throws {
        let store = HookedStore(app: "dozzi")
        let ledger = try await store.dozzi()
        for subject in ["bob", "ada"] {
            try await ledger.record([
                .used(
                    "stories", at: Fixtures.now - 600, ref: "\(subject.prefix(1))0",
                    subject: subject
                )
            ])
        }
        let question = CheckQuestion("stories")
        for subject in ["bob", "ada"] { _ = try ledger.check(question, for: subject) }
        let head = try ledger.head().position

        let last = head + Int64(reports.count)
        let known = DispatchSemaphore(value: 0)
        let beyond = Mutex<Result<Beyond, any Error>?>(nil)
        let isCommitted = Atomic(false)
        let isAsked = Atomic(false)
        let streamReads = Atomic(0)
        let meanwhile = Mutex<Result<Answers, any Error>?>(nil)
        store.before { call in
            switch call {
            case .committed: isCommitted.store(true, ordering: .releasing)
            case .stream: streamReads.add(1, ordering: .relaxed)
            // The correction is looked up while the commit is taken in.
            case .rows where isCommitted.load(ordering: .acquiring):
                guard !isAsked.exchange(true, ordering: .acquiringAndReleasing) else { return }
                let answered = DispatchSemaphore(value: 0)
                DispatchQueue(label: "asking").async {
                    let answers = Result { try Answers(ledger, streamReads) }
                    meanwhile.withLock { $0 = answers }
                    answered.signal()
                }
                // It asks about what is on disk by now, so it waits.
                DispatchQueue(label: "asking beyond").async {
                    let answers = Result { try Beyond(ledger, last) }
                    beyond.withLock { $0 = answers }
                    known.signal()
                }
                // Answers that wait for the commit are a failure instead of a wait for ever.
                _ = answered.wait(timeout: .now() + 60)
            default: break
            }
        }
        #expect(try await ledger.record(reports).appended == reports.count)
        let answers = try #require(try meanwhile.withLock { try $0?.get() })
        #expect(answers.bob.usage?.used == 1 && answers.position == head)
        #expect(answers.kept == answers.bob)
        #expect(answers.ada.usage?.used == 1)
        #expect(answers.cleo.usage?.used == 0)
        #expect(answers.streamReadCount == 0)
        try #require(known.wait(timeout: .now() + 60) == .success)
        let later = try #require(try beyond.withLock { try $0?.get() })
        #expect(later.event?.subject == "cleo" && later.cleo.usage?.used == 1)

        let (after, asOfAfter) = try ledger.check(question, for: "bob")
        #expect(after.usage?.used == Int64(Self.useCount))
        #expect(asOfAfter.position == head + Int64(reports.count))
        #expect(try ledger.check(question, for: "cleo").decision.usage?.used == 1)
        let fresh = try Ledger(store: store, clock: { Fixtures.now })
        #expect(try fresh.check(question, for: "bob").decision == after)
    }

    @Test("After a silence a first question waits for a commit, and later ones do not")
    func silence() async throws {
        let store = HookedStore(app: "dozzi")
        let ledger = try await store.dozzi()
        try await ledger.record([
            .used("stories", at: Fixtures.now - 600, ref: "b0", subject: "bob")
        ])
        let isCommitted = Atomic(false)
        // What was asked while the first large commit is taken in, and the second one.
        let asked = Mutex<[DispatchSemaphore]>([])
        let answers = Mutex<[Result<Int64?, any Error>]>([])
        let waited = Mutex<[Bool]>([])
        store.before { call in
            if call == .committed { isCommitted.store(true, ordering: .releasing) }
            guard call == .rows, isCommitted.exchange(false, ordering: .acquiringAndReleasing)
            else { return }
            let answered = DispatchSemaphore(value: 0)
            asked.withLock { $0.append(answered) }
            DispatchQueue(label: "asking").async {
                let answer = Result { try ledger.check("stories", for: "bob").usage?.used }
                answers.withLock { $0.append(answer) }
                answered.signal()
            }
            // The first one is answered after the commit; of the second, one that waits is a failure.
            let limit: DispatchTime = asked.withLock { $0.count } == 1 ? .now() + 0.2 : .now() + 60
            let isLate = answered.wait(timeout: limit) == .timedOut
            if !isLate { answered.signal() }
            waited.withLock { $0.append(isLate) }
        }
        #expect(try await ledger.record(reports).appended == reports.count)
        asked.withLock { $0 }.first?.wait()
        // Small commits in between change nothing, even many.
        for number in 1...300 {
            try await ledger.record([
                .used(
                    "stories", at: Fixtures.now - 5_000 + Int64(number), ref: "d\(number)",
                    subject: "dora")
            ])
        }
        try await ledger.record([
            .used("stories", at: Fixtures.now - 3, ref: "b-last", subject: "bob")
        ])
        isCommitted.store(false, ordering: .releasing)
        let more =
            (1...80).map {
                EventDraft.used(
                    "stories", at: Fixtures.now - 90 + Int64($0), ref: "more\($0)", subject: "bob")
            } + [
                .reported(
                    .correctionVoided, at: Fixtures.now - 2, key: "void more", subject: "bob",
                    [
                        "target": [
                            "source": "native",
                            "key": .string("stories/b1/\(Fixtures.now - 499)"),
                        ],
                        "reason": "mistake",
                    ])
            ]
        #expect(try await ledger.record(more).appended == more.count)
        #expect(waited.withLock { $0 } == [true, false])
        let used = try answers.withLock { try $0.map { try $0.get() } }
        let first = Int64(Self.useCount)
        #expect(used == [first, first + 1])
        #expect(try ledger.check("stories", for: "bob").usage?.used == first + 1 + 80 - 1)
    }

    @Test("Where it cannot be taken in it stands all the same, and the next question has all of it")
    func failure() async throws {
        let store = HookedStore(app: "dozzi")
        let ledger = try await store.dozzi()
        try await ledger.record([
            .used("stories", at: Fixtures.now - 600, ref: "b0", subject: "bob")
        ])
        let question = CheckQuestion("stories")
        _ = try ledger.check(question, for: "bob")
        let isCommitted = Atomic(false)
        let failureCount = Atomic(0)
        store.before { call in
            if call == .committed { isCommitted.store(true, ordering: .releasing) }
            guard call == .rows, isCommitted.load(ordering: .acquiring) else { return }
            failureCount.add(1, ordering: .relaxed)
            throw StoreError(.failed, "the test lets the correction's look-up fail")
        }
        #expect(try await ledger.record(reports).appended == reports.count)
        #expect(failureCount.load(ordering: .relaxed) == 1)
        store.fail(.none)
        let (after, asOf) = try ledger.check(question, for: "bob")
        let head = try store.head().position
        #expect(after.usage?.used == Int64(Self.useCount) && asOf.position == head)
        #expect(try ledger.replay().agrees)
    }

    @Test("A small one that cannot be taken in leaves what was there, also in a silence")
    func smallFailure() async throws {
        let store = HookedStore(app: "dozzi")
        let ledger = try await store.dozzi()
        try await ledger.record([
            .used("stories", at: Fixtures.now - 600, ref: "b0", subject: "bob"),
            .used("stories", at: Fixtures.now - 599, ref: "b1", subject: "bob"),
        ])
        let before = ledger.core.state.withLock { $0.head }
        let isCommitted = Atomic(false)
        store.before { call in
            if call == .committed { isCommitted.store(true, ordering: .releasing) }
            guard call == .rows, isCommitted.load(ordering: .acquiring) else { return }
            throw StoreError(.failed, "the test lets the correction's look-up fail")
        }
        let void = try #require(reports.last)
        #expect(try await ledger.record([void]).appended == 1)
        // Nothing of it is shown by halves.
        #expect(ledger.core.state.withLock { $0.head } == before)
        store.fail(.none)
        #expect(try ledger.check("stories", for: "bob").usage?.used == 1)
        #expect(try ledger.head().position == before.position + 1)
        #expect(try ledger.replay().agrees)
    }
}
