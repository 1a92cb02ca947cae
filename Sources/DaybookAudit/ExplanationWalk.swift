import Daybook
import DaybookDomain

/// Walks through a customer's events and through time, and notes where an answer changed.
struct ExplanationWalk {
    /// No more moments without an event than this are looked at between two events.
    private static let edgeCountMax = 1_000

    let timeline: CustomerTimeline
    let asked: CheckQuestion
    private(set) var steps: [Explanation.Step] = []
    private(set) var silentCount = 0
    /// Time brought more moments between two events than are looked at.
    private(set) var isSkipping = false
    private var decision: Decision?
    private var at = Int64.min
    /// The event that a moment is known from.
    private var causes: [Int64: HistoryEntry] = [:]
    /// The last event that changed anything about a source.
    private var touches: [String: HistoryEntry] = [:]

    init(_ timeline: CustomerTimeline, _ asked: CheckQuestion) {
        self.timeline = timeline
        self.asked = asked
    }

    /// - Parameter end: The asked time.
    mutating func run(until end: Int64) throws {
        for (index, entry) in timeline.entries.enumerated() {
            let instant = min(entry.event.draft.occurredAt ?? Int64.min, end)
            if index > 0, instant > at { try pass(until: instant - 1, count: index) }
            at = max(at, instant)
            try take(entry, index)
        }
        if timeline.entries.isEmpty {
            at = end
            decision = try timeline.decision(count: 0, at: end, asked)
        }
        if at < end { try pass(until: end, count: timeline.entries.count) }
    }

    /// Takes an event at its time. What that moment did without it is not the event's doing, unless the event turned it
    /// back: a renewal in the moment in which the period ends.
    private mutating func take(_ entry: HistoryEntry, _ index: Int) throws {
        let before = decision
        let timed = index == 0 ? nil : try timeline.decision(count: index, at: at, asked)
        let after = try timeline.decision(count: index + 1, at: at, asked)
        guard index > 0, !Self.differ(timed, after) else {
            decision = after
            return note(AnswerChange.between(before, after), before, entry)
        }
        decision = timed
        let passed = AnswerChange.between(before, timed)
        if !passed.isEmpty { steps.append(step(passed, before)) }
        decision = after
        note(AnswerChange.between(timed, after), timed, entry)
    }

    private mutating func note(
        _ changes: [AnswerChange], _ before: Decision?, _ entry: HistoryEntry
    ) {
        for change in changes where change.field.hasSuffix("_at") {
            if let instant = change.after.integer { causes[instant] = entry }
        }
        for source in changes.compactMap(\.source) { touches[source] = entry }
        guard !changes.isEmpty else {
            silentCount += 1
            return
        }
        steps.append(step(changes, before, event: entry))
    }

    private func step(
        _ changes: [AnswerChange], _ before: Decision?, event: HistoryEntry? = nil
    ) -> Explanation.Step {
        Explanation.Step(
            at: at, event: event, cause: event == nil ? cause(of: changes) : nil,
            allowed: decision?.allowed ?? false, reason: decision?.reason ?? .noCatalog,
            changes: changes,
            isTurn: Self.differ(before, decision))
    }

    /// The event that had set this moment, else the last one of a source that time changed.
    private func cause(of changes: [AnswerChange]) -> HistoryEntry? {
        causes[at] ?? changes.lazy.compactMap(\.source).compactMap { touches[$0] }.first
    }

    /// Lets time pass without an event.
    private mutating func pass(until end: Int64, count: Int) throws {
        var moves = 0
        while moves < Self.edgeCountMax {
            let question = try timeline.question(count: count, at: at)
            guard let edge = CaseEdges(question, decision).first(after: at), edge <= end
            else { break }
            try move(to: edge, count: count)
            moves += 1
        }
        if moves == Self.edgeCountMax { isSkipping = true }
        guard at < end else { return }
        let last = try timeline.decision(count: count, at: end, asked)
        if Self.differ(last, decision) {
            // No source names the moment, so it is searched.
            let turn = try firstHolding(after: at, by: end) {
                Self.differ(try timeline.decision(count: count, at: $0, asked), decision)
            }
            try move(to: turn, count: count)
        }
        if at < end { try move(to: end, count: count) }
    }

    private static func differ(_ left: Decision?, _ right: Decision?) -> Bool {
        left?.allowed != right?.allowed || left?.reason != right?.reason
    }

    private mutating func move(to instant: Int64, count: Int) throws {
        at = instant
        let before = decision
        decision = try timeline.decision(count: count, at: instant, asked)
        let changes = AnswerChange.between(before, decision)
        if !changes.isEmpty { steps.append(step(changes, before)) }
    }
}
