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
    /// After the events that were taken, at the time that has come; `nil` before the first.
    private var standing: CustomerTimeline.Standing?
    private var decision: Decision? { standing?.decision }
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
    /// - Returns: The customer after all events, at that time.
    mutating func run(until end: Int64) throws -> CustomerCase {
        for (index, entry) in timeline.entries.enumerated() {
            let instant = min(entry.event.draft.occurredAt ?? Int64.min, end)
            let isLater = index > 0 && instant > at
            if isLater { try pass(until: instant - 1, count: index) }
            at = max(at, instant)
            try take(entry, index, isLater: isLater)
        }
        let count = timeline.entries.count
        if count > 0, at < end { try pass(until: end, count: count) }
        if let standing, standing.question.at == end { return standing.question }
        return try timeline.question(count: count, at: end)
    }

    /// Takes an event at its time. What that moment did without it is not the event's doing, unless the event turned it
    /// back: a renewal in the moment in which the period ends.
    /// - Parameter isLater: Time has passed since the event before it.
    private mutating func take(_ entry: HistoryEntry, _ index: Int, isLater: Bool) throws {
        let before = decision
        if isLater, !stands(until: at) {
            standing = try timeline.standing(count: index, at: at, asked)
        }
        let timed = decision
        // The fold adds the event in place: a case that is kept would have it copy the customer's state.
        standing = nil
        standing = try timeline.standing(count: index + 1, at: at, asked)
        guard index > 0, !Self.differ(timed, decision) else {
            return note(AnswerChange.between(before, decision), before, entry)
        }
        let passed = AnswerChange.between(before, timed)
        if !passed.isEmpty { steps.append(step(passed, before, timed)) }
        note(AnswerChange.between(timed, decision), timed, entry)
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
        steps.append(step(changes, before, decision, event: entry))
    }

    private func step(
        _ changes: [AnswerChange], _ before: Decision?, _ after: Decision?,
        event: HistoryEntry? = nil
    ) -> Explanation.Step {
        Explanation.Step(
            at: at, event: event, cause: event == nil ? cause(of: changes) : nil,
            allowed: after?.allowed ?? false, reason: after?.reason ?? .noCatalog,
            changes: changes, isTurn: Self.differ(before, after))
    }

    /// The event that had set this moment, else the last one of a source that time changed.
    private func cause(of changes: [AnswerChange]) -> HistoryEntry? {
        causes[at] ?? changes.lazy.compactMap(\.source).compactMap { touches[$0] }.first
    }

    /// Whether the answer is known to be the same at a later time.
    private func stands(until instant: Int64) -> Bool {
        standing?.end.map { instant < $0 } ?? false
    }

    /// Lets time pass without an event.
    private mutating func pass(until end: Int64, count: Int) throws {
        var moves = 0
        while !stands(until: end), moves < Self.edgeCountMax {
            guard let question = standing?.question,
                let edge = CaseEdges(question, decision).first(after: at), edge <= end
            else { break }
            move(to: edge, try timeline.standing(count: count, at: edge, asked))
            moves += 1
        }
        guard at < end else { return }
        if stands(until: end) {
            at = end
            return
        }
        if moves == Self.edgeCountMax { isSkipping = true }
        let last = try timeline.standing(count: count, at: end, asked)
        if Self.differ(last.decision, decision) {
            // No source names the moment, so it is searched.
            let turn = try firstHolding(after: at, by: end) {
                let then = try timeline.standing(count: count, at: $0, asked)
                return Self.differ(then.decision, decision)
            }
            move(to: turn, try timeline.standing(count: count, at: turn, asked))
        }
        if at < end { move(to: end, last) }
    }

    private static func differ(_ left: Decision?, _ right: Decision?) -> Bool {
        left?.allowed != right?.allowed || left?.reason != right?.reason
    }

    private mutating func move(to instant: Int64, _ next: CustomerTimeline.Standing) {
        at = instant
        let before = decision
        standing = next
        let changes = AnswerChange.between(before, decision)
        if !changes.isEmpty { steps.append(step(changes, before, decision)) }
    }
}
