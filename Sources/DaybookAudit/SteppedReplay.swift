public import Daybook
public import DaybookDomain
public import DaybookEvents

/// One customer's events, replayed one by one, forwards and backwards, with what is so after each.
///
/// Canonical order, as folds see it; identities, corrections and catalogs are those of the cut. Nothing is written: a
/// replay holds copies, and has no way to the ledger's writer.
public struct SteppedReplay {
    /// What one event did.
    public struct Step: Sendable, Equatable {
        /// How many events took part, 0 before the first.
        public var count: Int
        /// `nil` before the first event.
        public var event: HistoryEntry?
        /// The time at which the customer is looked at: the event's.
        public var at: Int64
        /// What the event changed about the customer's status at that time, field by field.
        public var changes: [JSONDifference]
    }

    /// Where a walk ended.
    public enum Outcome: Sendable, Equatable {
        /// A condition held that had not held before.
        case stopped(at: AnswerCondition)
        /// The place that was asked for was reached.
        case arrived
        /// There is no event further on.
        case ended
    }

    private let timeline: CustomerTimeline
    private let profile: String?
    /// The latest time up to each event.
    private let instants: [Int64]
    /// How many events take part.
    public private(set) var count = 0

    init(_ timeline: CustomerTimeline, profile: String?) {
        self.timeline = timeline
        self.profile = profile
        var latest = Int64.min
        instants = timeline.entries.map { entry in
            latest = max(latest, entry.event.draft.occurredAt ?? latest)
            return latest
        }
    }

    /// The customer, by the id that was asked about.
    public var subject: String { timeline.subject }
    /// Everything that concerns the customer, in canonical order; void events are listed and change nothing.
    public var entries: [HistoryEntry] { timeline.entries }

    /// The last event that took part, and what it changed.
    public func step() throws -> Step {
        guard count > 0 else {
            return Step(count: 0, event: nil, at: instant(of: 0), changes: [])
        }
        let at = instant(of: count)
        let before = try status(count - 1, at: at)
        let after = try status(count, at: at)
        return Step(
            count: count, event: entries[count - 1], at: at,
            changes: JSONDifference.between(before, after))
    }

    /// The customer's whole status after the events that took part, at the time of the last.
    public func status() throws -> JSONObject { try status(count, at: instant(of: count)) }

    private func status(_ count: Int, at instant: Int64) throws -> JSONObject {
        let question = try timeline.question(count: count, at: instant)
        guard let answer = StatusQuestion(question)?.answer(profile: profile, locale: nil) else {
            return JSONObject()
        }
        var object = answer.json(
            AsOf(
                at: instant, knownAt: nil, position: timeline.cut,
                catalog: question.catalog(at: instant)?.version, isOpen: false))
        // The cut is the same all the way.
        object["as_of"] = nil
        return object
    }

    /// The time of the last event that takes part; before the first event, its time.
    private func instant(of count: Int) -> Int64 {
        instants.isEmpty ? 0 : instants[max(0, count - 1)]
    }

    // MARK: Walking

    /// One event further.
    public mutating func next() -> Outcome {
        guard count < entries.count else { return .ended }
        count += 1
        return .arrived
    }

    /// One event back.
    public mutating func back() -> Outcome {
        guard count > 0 else { return .ended }
        count -= 1
        return .arrived
    }

    /// Goes to where the event of a position is the last that took part, forwards or backwards.
    /// - Throws: `LedgerError.badInput` for a position that is not among the customer's events.
    public mutating func go(toPosition position: Int64) throws {
        if position == 0 {
            count = 0
            return
        }
        guard let index = entries.firstIndex(where: { $0.event.position == position }) else {
            throw LedgerError.bad(
                "unknown_position",
                "no event of \(subject) stands at position \(position); they stand at \(Self.list(entries.map(\.event.position)))"
            )
        }
        count = index + 1
    }

    private static func list(_ positions: [Int64]) -> String {
        let shown = positions.sorted().prefix(12).map(String.init).joined(separator: ", ")
        return positions.count > 12 ? "\(shown), and \(positions.count - 12) more" : shown
    }

    /// Goes to where everything that happened up to a time took part.
    public mutating func go(toTime instant: Int64) {
        count = entries.prefix { ($0.event.draft.occurredAt ?? Int64.min) <= instant }.count
    }

    /// Goes on until one of the conditions holds that did not hold before, or until the end.
    /// - Throws: `LedgerError.badInput` for a condition whose name the catalog does not have.
    public mutating func run(until conditions: [AnswerCondition]) throws -> Outcome {
        var held = try conditions.map { try holds($0) }
        while count < entries.count {
            count += 1
            for (index, condition) in conditions.enumerated() {
                let isHolding = try holds(condition)
                defer { held[index] = isHolding }
                // An event is there and gone; a state that goes on is no news.
                if isHolding, !held[index] || condition.isEvent { return .stopped(at: condition) }
            }
        }
        return .ended
    }

    /// Whether a condition holds now.
    public func holds(_ condition: AnswerCondition) throws -> Bool {
        let question = try timeline.question(count: count, at: instant(of: count))
        let type = count > 0 ? entries[count - 1].event.draft.type : nil
        do throws(UnknownName) {
            return try condition.holds(of: question, after: type, profile: profile)
        } catch {
            throw LedgerError.bad("unknown_name", error.description)
        }
    }
}

extension AnswerCondition {
    fileprivate var isEvent: Bool {
        if case .event = self { true } else { false }
    }
}

extension Ledger {
    /// A replay of one customer, at its beginning.
    /// - Parameters:
    ///   - subject: The customer, by any of their ids.
    ///   - environment: The environment in which the subject is a customer.
    ///   - profile: Which profile the customer is looked at through.
    ///   - knownAt: What had been recorded by then; `nil`: everything.
    public func stepping(
        _ subject: String, environment: Environment = .production, profile: String? = nil,
        knownAt: Moment.Knowledge? = nil
    ) throws -> SteppedReplay {
        try refresh()
        return try core.translating {
            let asked = try core.resolve(knownAt, now: core.clock()).position
            let state = core.state.withLock { $0 }
            let cut = min(asked, state.head.position)
            return SteppedReplay(
                try timeline(of: subject, environment, state, cut: cut), profile: profile)
        }
    }
}
