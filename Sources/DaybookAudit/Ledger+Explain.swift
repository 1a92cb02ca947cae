public import Daybook
public import DaybookDomain
import DaybookEvents

/// Why an answer is what it is (decision 0020).
extension Ledger {
    /// At most so many events are tried to be left out, the latest that changed the answer.
    private static let leftOutCountMax = 64
    /// At most so many commits are looked at for what was believed, the latest.
    private static let beliefCountMax = 256

    /// Explains the answer to a question: the events that led there, what would turn it, and what was believed before.
    /// - Throws: As `check` does.
    /// - Complexity: One fold and one answer for each event of the customer, and a fold of them all for each event that
    ///   is tried to be left out and for each later commit.
    public func explain(
        _ question: CheckQuestion, for subject: String, environment: Environment = .production,
        moment: Moment = .now
    ) throws -> Explanation {
        let (decision, asOf) = try check(
            question, for: subject, environment: environment, moment: moment)
        return try core.translating {
            let knownAsked = try core.store.position(recordedAtOrBefore: asOf.at)
            // A copy, so that no writer waits for an explanation.
            let state = core.state.withLock { $0.remembering() }
            let timeline = try timeline(of: subject, environment, state, cut: asOf.position)
            var walk = ExplanationWalk(timeline, question)
            let now = try walk.run(until: asOf.at)
            var alternatives = AlternativeSearch(now, question, decision).alternatives()
            let tried = try leftOut(timeline, walk.steps, question, decision, at: asOf.at)
            alternatives += tried.found
            let believed = try beliefs(timeline, question, at: asOf.at, from: knownAsked)
            return Explanation(
                subject: subject, isKnown: now.isKnown, decision: decision, asOf: asOf,
                steps: walk.steps,
                silentCount: walk.silentCount, isSkipping: walk.isSkipping,
                alternatives: alternatives, untriedCount: tried.untriedCount,
                beliefs: believed.found, passedCommitCount: believed.passedCount)
        }
    }

    /// Everything that concerns a customer within a cut.
    func timeline(
        of subject: String, _ environment: Environment, _ state: LedgerState, cut: Int64
    ) throws -> CustomerTimeline {
        let rows = try CustomerHistory(core: core).listedRows(
            subject, environment, state, cut: cut, withHandedLineages: true)
        return CustomerTimeline(
            environment, subject, cut: cut, state: state, zones: core.zoneTables,
            entries: try CustomerHistory(core: core).entries(
                rows, state, cut: cut, until: Int64.max))
    }

    /// The events without which the answer would be the other one.
    private func leftOut(
        _ timeline: CustomerTimeline, _ steps: [Explanation.Step], _ asked: CheckQuestion,
        _ decision: Decision, at instant: Int64
    ) throws -> (found: [Alternative], untriedCount: Int) {
        var found: [Alternative] = []
        let events = steps.compactMap(\.event).filter { !$0.isVoid }
        for event in events.suffix(Self.leftOutCountMax).map(\.event) {
            guard let source = timeline.state.names.id(of: event.draft.source.kind) else {
                continue
            }
            let key = EventKey(
                event.draft.environment, source, Reference(event.draft.source.key ?? ""))
            let other = try self.decision(
                timeline.state.leavingOut(key), timeline, asked, cut: timeline.cut, at: instant)
            guard let other, other.allowed != decision.allowed else { continue }
            found.append(.without(position: event.position, reason: other.reason))
        }
        return (found, max(0, events.count - Self.leftOutCountMax))
    }

    private func decision(
        _ state: LedgerState, _ timeline: CustomerTimeline, _ asked: CheckQuestion, cut: Int64,
        at instant: Int64
    ) throws -> Decision? {
        let builder = CaseBuilder(state: state, cut: cut, at: instant)
        let question = try builder.build(timeline.environment, timeline.subject)
        return try? Check(core.zoneTables.completing(question))?.bareDecision(asked)
    }

    /// What was answered about a time as known then, and after each later commit that changed it (rule 24).
    /// - Parameter first: The last position that was known at the asked time.
    private func beliefs(
        _ timeline: CustomerTimeline, _ asked: CheckQuestion, at instant: Int64, from first: Int64
    ) throws -> (found: [Explanation.Belief], passedCount: Int) {
        guard first < timeline.cut else { return ([], 0) }
        func decision(_ cut: Int64) throws -> Decision? {
            try self.decision(timeline.state, timeline, asked, cut: cut, at: instant)
        }
        var last = (position: first, decision: try decision(first))
        var beliefs = [
            Explanation.Belief(
                position: first, recordedAt: instant,
                allowed: last.decision?.allowed ?? false,
                reason: last.decision?.reason ?? .noCatalog, changes: [], event: nil)
        ]
        func note(_ position: Int64, _ after: Decision?, _ event: HistoryEntry?) throws {
            let changes = AnswerChange.between(last.decision, after)
            last = (position, after)
            guard !changes.isEmpty, let row = try core.store.rows(at: [position]).first else {
                return
            }
            beliefs.append(
                Explanation.Belief(
                    position: position, recordedAt: row.recordedAt,
                    allowed: after?.allowed ?? false, reason: after?.reason ?? .noCatalog,
                    changes: changes, event: event))
        }
        let commits = try commits(timeline, after: first)
        let passedCount = max(0, commits.count - Self.beliefCountMax)
        for commit in commits.suffix(Self.beliefCountMax) {
            let after = try decision(commit.position)
            if AnswerChange.between(last.decision, after).isEmpty { continue }
            // Of a commit with many events, the first with which the answer is what it is after the last.
            var (low, high) = (0, commit.entries.count)
            while low < high {
                let middle = low + (high - low) / 2
                let then = try decision(commit.entries[middle].event.position)
                if AnswerChange.between(then, after).isEmpty {
                    high = middle
                } else {
                    low = middle + 1
                }
            }
            let isCustomers = low < commit.entries.count
            try note(commit.position, after, isCustomers ? commit.entries[low] : nil)
        }
        // An event of another customer can matter, too: an alias that is no more.
        let final = try decision(timeline.cut)
        guard !AnswerChange.between(last.decision, final).isEmpty else {
            return (beliefs.count > 1 ? beliefs : [], passedCount)
        }
        let turn = try firstHolding(after: last.position, by: timeline.cut) {
            AnswerChange.between(try decision($0), final).isEmpty
        }
        let event = try CustomerHistory(core: core).entries(
            try core.store.rows(at: [turn]), timeline.state, cut: timeline.cut, until: Int64.max
        ).first
        try note(turn, final, event)
        return (beliefs, passedCount)
    }

    /// The commits after a position that name the customer or bring a catalog: the last position of each, and the
    /// customer's events in the order of their positions.
    private func commits(
        _ timeline: CustomerTimeline, after first: Int64
    ) throws -> [(position: Int64, entries: [HistoryEntry])] {
        var commits: [Int64: (position: Int64, entries: [HistoryEntry])] = [:]
        let later = timeline.entries.filter { $0.event.position > first }
        for entry in later.sorted(by: { $0.event.position < $1.event.position }) {
            commits[entry.event.recordedAt, default: (0, [])].position = entry.event.position
            commits[entry.event.recordedAt, default: (0, [])].entries.append(entry)
        }
        for version in timeline.state.catalogs.known(at: timeline.cut).versions
        where version.position > first {
            guard let row = try core.store.rows(at: [version.position]).first else { continue }
            if version.position > commits[row.recordedAt]?.position ?? 0 {
                commits[row.recordedAt] = (
                    version.position, commits[row.recordedAt]?.entries ?? []
                )
            }
        }
        return commits.values.sorted { $0.position < $1.position }
    }
}
