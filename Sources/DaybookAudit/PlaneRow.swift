import Daybook
import DaybookDomain
import DaybookEvents

/// What is asked about a customer for a plane, with the events that are read once for all of its rows.
final class PlaneQuestion {
    let environment: Environment
    let subject: String
    let asked: CheckQuestion
    let kind: BeliefPlane.Kind
    let state: LedgerState
    let zones: ZoneTables
    /// By stream, oldest first, up to the last position that any row knows.
    private var streams: [UInt32: [Event]] = [:]
    private let cut: Int64
    /// Every time that an event which may matter names, with where that stands, ascending.
    private(set) var times: [(time: Int64, position: Int64)] = []
    private var lookCount = 0

    /// A plane that needs more is refused: a look takes some ten microseconds, of customers with many lineages more.
    private static let lookCountMax = 1_000_000

    init(
        _ environment: Environment, _ subject: String, _ asked: CheckQuestion,
        _ kind: BeliefPlane.Kind, _ state: LedgerState, _ zones: ZoneTables, cut: Int64
    ) {
        self.environment = environment
        self.subject = subject
        self.asked = asked
        self.kind = kind
        self.state = state
        self.zones = zones
        self.cut = cut
    }

    /// Counts a look, of which a plane may take so many.
    func noteLook() throws {
        lookCount += 1
        if lookCount > Self.lookCountMax { throw PlaneTooLarge() }
    }

    /// Takes the times that events name; of screens only that of the first event of all, which may be the first sight.
    func note(_ events: [Event]) {
        let first = events.map(\.occurredAt).min()
        for event in events where !event.type.isOfScreens || event.occurredAt == first {
            for time in Set([event.occurredAt, event.timeA, event.timeB, event.timeC])
            where time != Event.absent {
                times.append((time, event.position))
            }
        }
        times.sort { $0 < $1 }
        // Most events stand as they were told and as they are corrected.
        var kept: [(time: Int64, position: Int64)] = []
        for time in times where kept.last.map({ $0 != time }) ?? true { kept.append(time) }
        times = kept
    }

    /// The events of a stream within a cut.
    func events(of stream: UInt32, cut: Int64) throws -> [Event] {
        let all: [Event]
        if let known = streams[stream] {
            all = known
        } else {
            all = try state.log.stream(
                endingAt: state.headOf(stream).position, cut: self.cut)
            streams[stream] = all
        }
        return (all.last?.position ?? 0) <= cut ? all : all.filter { $0.position <= cut }
    }
}

/// The answers about a customer at any time, as known at one cut.
final class PlaneRow {
    struct Cell: Equatable {
        var from: Int64
        var answer: BeliefPlane.Answer?
    }

    /// An answer with the first moment at which time alone may make it another one.
    struct Look {
        var answer: BeliefPlane.Answer?
        var edge: Int64?
    }

    /// A row with more stretches is refused.
    static let cellCountMax = 4_096

    private let question: PlaneQuestion
    private var cut: Int64
    private var fold: AggregateFold
    /// Corrected, in canonical order, by the first stream of the aggregate.
    private var settled: [UInt32: [Event]] = [:]
    /// The customer's own events that happened first, folded.
    private var prefix = (count: 0, state: AggregateState(kind: .customer))
    /// Which streams the prefix is of.
    private var prefixStreams: [UInt32] = []

    init(_ question: PlaneQuestion, cut: Int64) {
        self.question = question
        self.cut = cut
        fold = AggregateFold(question.state, cut: cut)
    }

    /// Goes on to the next cut where what came only adds uses and screens to the end of the customer's own events.
    /// - Returns: `false`: the row of that cut has to begin anew; this one is as it was.
    /// - Parameter own: The customer's streams.
    func advance(
        to next: Int64, with events: [Event], own: Set<UInt32>
    ) throws -> Bool {
        guard let first = own.min(), var last = settled[first]?.last else { return false }
        let later = AggregateFold(question.state, cut: next)
        for event in events {
            guard event.type.isUsage || event.type.isOfScreens,
                own.contains(event.stream),
                OrderKey(last).isBefore(OrderKey(event)) == true,
                try later.settled([event], question.environment) == [event]
            else { return false }
            last = event
        }
        settled[first]?.append(contentsOf: events)
        cut = next
        fold = later
        return true
    }

    // MARK: Cells

    /// The answers in a stretch of time, each where it begins.
    /// - Throws: `PlaneTooLarge` where there are too many.
    func cells(in range: Range<Int64>) throws -> [Cell] {
        let times = question.times
        var place = times.sortedPrefixCount { $0.time <= range.lowerBound }
        var at = range.lowerBound
        var now = try look(at: at)
        var cells = [Cell(from: at, answer: now.answer)]
        func take(_ instant: Int64, _ answer: BeliefPlane.Answer?) throws {
            guard answer != cells[cells.count - 1].answer else { return }
            cells.append(Cell(from: instant, answer: answer))
            if cells.count > Self.cellCountMax { throw PlaneTooLarge() }
        }
        while true {
            while place < times.count, times[place].time <= at || times[place].position > cut {
                place += 1
            }
            let named = place < times.count ? times[place].time : Int64.max
            let next = min(now.edge ?? Int64.max, named, range.upperBound)
            if next - 1 > at {
                // What no source and no event names is found by its effect.
                let last = try look(at: next - 1)
                if last.answer != now.answer {
                    at = try firstHolding(after: at, by: next - 1) {
                        try look(at: $0).answer != now.answer
                    }
                    now = try look(at: at)
                    try take(at, now.answer)
                    continue
                }
            }
            guard next < range.upperBound else { return cells }
            at = next
            now = try look(at: at)
            try take(at, now.answer)
        }
    }

    /// The events of some streams, each by itself, corrected.
    func corrected(streams: Set<UInt32>) throws -> [Event] {
        try streams.sorted().filter { question.state.stream($0).kind != .ledger }.flatMap {
            try fold.settled(try question.events(of: $0, cut: cut), question.environment)
        }
    }

    /// Which streams are the customer's own, and when the customer was first seen by them; `Int64.max`: never.
    func ownEvents() throws -> (streams: Set<UInt32>, firstAt: Int64) {
        let builder = CaseBuilder(
            state: question.state, cut: cut, at: Int64.max)
        guard let key = try builder.key(question.environment, question.subject) else {
            return ([], Int64.max)
        }
        let streams = ownStreams(builder.members(key))
        var state = AggregateState(kind: .customer)
        for event in try events(of: streams) where state.customer.firstEventAt == Event.absent {
            state.evolve(event, names: question.state.names)
        }
        return (Set(streams), state.customer.firstEventAt.orNil ?? Int64.max)
    }

    /// Whether the answers are those of some cells, as far as their first and last moments tell.
    func has(_ cells: [Cell], until end: Int64) throws -> Bool {
        for (index, cell) in cells.enumerated() {
            let next = index + 1 < cells.count ? cells[index + 1].from : end
            guard try look(at: cell.from).answer == cell.answer,
                try look(at: next - 1).answer == cell.answer
            else { return false }
        }
        return true
    }

    // MARK: One moment

    private func ownStreams(_ members: [NameID]) -> [UInt32] {
        members.compactMap { question.state.streamID(question.environment, .customer, $0) }
    }

    private func events(of streams: [UInt32]) throws -> [Event] {
        guard let first = streams.min() else { return [] }
        if let known = settled[first] { return known }
        let events = try fold.settled(
            streams.flatMap { try question.events(of: $0, cut: cut) }, question.environment)
        settled[first] = events
        return events
    }

    func look(at instant: Int64) throws -> Look {
        try question.noteLook()
        var builder = CaseBuilder(
            state: question.state, cut: cut, at: instant)
        guard let key = try builder.key(question.environment, question.subject) else {
            return look(try builder.build(question.environment, question.subject))
        }
        let members = builder.members(key)
        var lineages: [UInt32: AggregateState] = [:]
        for stream in builder.candidateLineages(members, key.environment) {
            var state = AggregateState(kind: .lineage)
            for event in try events(of: [stream]) {
                state.evolve(event, names: question.state.names, until: instant)
            }
            lineages[stream] = state
        }
        builder.foldedLineages = lineages
        let customer = try customer(ownStreams(members), at: instant)
        return look(question.zones.completing(try builder.build(key, folded: customer)))
    }

    /// The customer's own events folded for a time: what happened by then, and of what happened later the facts.
    private func customer(_ streams: [UInt32], at instant: Int64) throws -> AggregateState {
        let events = try events(of: streams)
        let count = events.sortedPrefixCount { $0.occurredAt <= instant }
        if count < prefix.count || streams != prefixStreams {
            prefix = (0, AggregateState(kind: .customer))
            prefixStreams = streams
        }
        let names = question.state.names
        for event in events[prefix.count..<count] { prefix.state.evolve(event, names: names) }
        prefix.count = count
        var state = prefix.state
        // No answer depends on what screens tell later, but the first event of all is the first sight.
        for event in events[count...]
        where !event.type.isOfScreens || state.customer.firstEventAt == Event.absent {
            state.evolve(event, names: names, until: instant)
        }
        return state
    }

    private func look(_ context: CustomerCase) -> Look {
        let asked = question.asked
        guard let check = Check(context) else {
            return Look(answer: nil, edge: CaseEdges(context, nil, nil).first(after: context.at))
        }
        var decision: Decision?
        var answer: BeliefPlane.Answer?
        if question.kind == .entitlement {
            let isThere = check.catalog.entitlements.contains { haveSameBytes($0.name, asked.name) }
            if isThere {
                let found = StatusQuestion(context, check).entitlement(
                    asked.name, profile: asked.profile)
                answer = .init(
                    allowed: found.isActive, reason: found.state.rawValue, remaining: nil)
            }
        } else {
            decision = try? check.bareDecision(asked)
            answer = decision.map {
                .init(
                    allowed: $0.allowed, reason: $0.reason.rawValue, remaining: $0.usage?.remaining)
            }
        }
        return Look(
            answer: answer, edge: CaseEdges(context, check, decision).first(after: context.at))
    }
}

/// An answer changes more often than a plane can show.
struct PlaneTooLarge: Error {}
