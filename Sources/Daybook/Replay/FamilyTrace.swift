import DaybookDomain
import DaybookEvents

/// The streams of one family, event by event in the order of recording: which aggregates they are then, and their
/// digests.
package struct FamilyTrace {
    /// What a point of the family's history changed.
    package struct Change {
        var position: Int64
        var before: StateDigest
        var after: StateDigest
        /// Else it stands for earlier events of the family since the checkpoint before as well.
        var isExact: Bool
    }

    private struct Group {
        var streams: [UInt32]
        var name: StreamName
        var state: AggregateState
        var digest = StateDigest()
    }

    private let ledger: LedgerState
    private let fold: AggregateStep
    private let record: StreamRecord
    private let streams: [UInt32]
    /// In the order of positions.
    private let events: [Event]
    /// Where a correction changes what an event says, or a second spelling of an id joins two ids; ascending.
    private let changes: [Int64]
    private var groups: [Group] = []
    private var total = StateDigest()

    package init(
        state: LedgerState, fold: @escaping AggregateStep, record: StreamRecord, streams: [UInt32],
        events: [Event], changes: [Int64]
    ) {
        ledger = state
        self.fold = fold
        self.record = record
        self.streams = streams
        self.events = events
        self.changes = changes
    }

    /// - Parameters:
    ///   - checkpoint: The number of the checkpoint that a position belongs to.
    ///   - note: Is given every change, in the order of positions.
    package mutating func run(
        checkpoint: (Int64) -> Int64, _ note: (Change) throws -> Void
    ) throws {
        var (next, change) = (0, 0)
        var noted = StateDigest()
        var isExact = true
        regroup(at: 0)
        while next < events.count || change < changes.count {
            let event = next < events.count ? events[next] : nil
            let position: Int64
            if let event, change == changes.count || event.position < changes[change] {
                position = event.position
                next += 1
                try take(event, count: next)
            } else {
                position = changes[change]
                change += 1
                regroup(at: position)
                try refold(count: next, at: position)
            }
            let following = min(
                next < events.count ? events[next].position : Int64.max,
                change < changes.count ? changes[change] : Int64.max)
            let isDeferred =
                next > TracePass.eventsPerAggregateMax && following < Int64.max
                && checkpoint(following) == checkpoint(position)
            guard !isDeferred else {
                isExact = false
                continue
            }
            digest()
            try note(Change(position: position, before: noted, after: total, isExact: isExact))
            noted = total
            isExact = true
        }
    }

    private mutating func take(_ event: Event, count: Int) throws {
        let isLink = event.type == .subjectAliased || event.type == .subjectUnaliased
        guard !isLink, let index = groups.firstIndex(where: { $0.streams.contains(event.stream) })
        else {
            regroup(at: event.position)
            return try refold(count: count, at: event.position)
        }
        let key = EventKey(record.environment, event.source, event.key)
        if groups[index].state.accepts(event), !ledger.corrections.concerns(key) {
            fold(&groups[index].state, event, ledger.names)
        } else {
            try refold(index, count: count, at: event.position)
        }
    }

    /// Puts the streams together as known at a position: a single stream may get another name, too, by an alias of an
    /// id without events.
    private mutating func regroup(at position: Int64) {
        guard record.kind == .customer else {
            groups = streams.map {
                Group(
                    streams: [$0], name: ledger.streamName($0),
                    state: AggregateState(kind: record.kind))
            }
            return
        }
        let persons = Persons(ledger, cut: position)
        var members: [NameID: [UInt32]] = [:]
        for stream in streams {
            members[persons[key(of: stream)].shown, default: []].append(stream)
        }
        groups = []
        for stream in streams {
            let own = key(of: stream)
            let shown = persons[own].shown
            guard let streams = members.removeValue(forKey: shown) else { continue }
            groups.append(
                Group(
                    streams: streams,
                    name: StreamName(own.environment, .customer, ledger.names[shown]),
                    state: AggregateState(kind: .customer)))
        }
    }

    private func key(of stream: UInt32) -> CustomerKey {
        let record = ledger.stream(stream)
        return CustomerKey(record.environment, record.name)
    }

    private mutating func refold(count: Int, at position: Int64) throws {
        var own: [UInt32: Int] = [:]
        for (index, group) in groups.enumerated() {
            for stream in group.streams { own[stream] = index }
        }
        var shares = [[Event]](repeating: [], count: groups.count)
        for event in events.prefix(count) {
            if let index = own[event.stream] { shares[index].append(event) }
        }
        for index in groups.indices { try refold(index, shares[index], at: position) }
    }

    /// Folds the first so many events of a group as they count at a position.
    private mutating func refold(_ index: Int, count: Int, at position: Int64) throws {
        try refold(
            index, events.prefix(count).filter { groups[index].streams.contains($0.stream) },
            at: position)
    }

    private mutating func refold(_ index: Int, _ own: [Event], at position: Int64) throws {
        let settled = try AggregateFold(ledger, cut: position).settled(own, record.environment)
        groups[index].state = AggregateState(kind: record.kind)
        for event in settled { fold(&groups[index].state, event, ledger.names) }
    }

    private mutating func digest() {
        total = StateDigest()
        for group in groups where group.state.isInDigest {
            total.add(aggregate: group.name, group.state, names: ledger.names)
        }
    }
}
