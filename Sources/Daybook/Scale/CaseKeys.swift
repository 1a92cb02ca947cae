import DaybookDomain
import DaybookEvents

/// Which events are folded together: a case is every customer and lineage between whom an alias, a spelling, a naming
/// or a transfer makes a connection, at whatever time (rules 7 and 23).
///
/// No answer about one case depends on an event of another. A lineage that changed hands is in one case with all of its
/// owners, so that it is digested once and asked about for each.
struct CaseKeys: Sendable {
    /// By stream, from 1 on: a stream of the same case, up to the first one, which is its own.
    private var parents: [UInt32]
    /// The first stream that stands for a customer who has no stream of their own.
    private var strangers: [CustomerKey: UInt32] = [:]
    /// By the first stream of a case: the stream whose name is the case's, and how many events it has.
    private var cases: [UInt32: (key: UInt32, eventCount: Int64)] = [:]
    private let state: LedgerState

    /// - Complexity: O(*s* log *s*) in the ledger's streams and connections, and a look at the types of all events.
    init(_ state: LedgerState) throws {
        self.state = state
        parents = (0...UInt32(clamping: state.streams.count)).map { $0 }
        for stream in parents.dropFirst() where state.stream(stream).kind != .ledger {
            join(stream, state.aggregate(of: stream))
        }
        state.forEachNaming { customer, lineage in join(customer, lineage) }
        var pairs: [(CustomerKey, CustomerKey)] = []
        state.identity.forEach(
            { key, link in pairs.append((key, CustomerKey(key.environment, link.other))) },
            { key, handover in
                pairs.append((key, CustomerKey(key.environment, handover.from)))
                pairs.append((key, CustomerKey(key.environment, handover.to)))
            })
        for (one, other) in pairs where one.name != 0 && other.name != 0 {
            join(one, node(of: other))
        }
        // Who is told about may be others than the one under whose name it is told.
        var told: [Event] = []
        try state.log.forEachBackwards(
            of: [.subjectAliased, .subjectUnaliased], through: state.head.position
        ) {
            told.append($0)
            return true
        }
        for event in told {
            let environment = state.stream(event.stream).environment
            for name in [event.nameA, event.nameB] where name != 0 {
                join(CustomerKey(environment, name), event.stream)
            }
        }
        countCases()
    }

    private mutating func countCases() {
        for stream in 1..<max(1, UInt32(clamping: state.streams.count) + 1) {
            let record = state.stream(stream)
            let events = state.headOf(stream).version
            guard record.kind != .ledger, events > 0 else { continue }
            let first = root(stream)
            guard let known = cases[first] else {
                cases[first] = (stream, events)
                continue
            }
            let isLess = precedesInBytes(name(of: stream), name(of: known.key))
            cases[first] = (isLess ? stream : known.key, known.eventCount + events)
        }
    }

    /// How many cases there are.
    var count: Int { cases.count }
    /// How many events all cases have together.
    var eventCount: Int64 { cases.values.reduce(0) { $0 + $1.eventCount } }

    /// Which cases there are, each with how many events: a sum that tells a missing one from one that came twice.
    var digest: StateDigest {
        cases.values.reduce(into: StateDigest()) {
            $0.add(case: name(of: $1.key), eventCount: $1.eventCount)
        }
    }

    /// The streams of one case, ascending, and the least of their names, which is the case's.
    struct Case: Sendable {
        var name: String
        var streams: [UInt32]
    }

    /// The cases of so many partitions, each by their first streams; to which one a case belongs its name tells.
    /// - Complexity: O(*s*) in the ledger's streams.
    mutating func cases(in count: Int) -> [[Case]] {
        var places: [UInt32: (partition: Int, index: Int)] = [:]
        places.reserveCapacity(cases.count)
        var found = [[Case]](repeating: [], count: count)
        for stream in 1..<max(1, UInt32(clamping: state.streams.count) + 1) {
            guard state.stream(stream).kind != .ledger, state.headOf(stream).position > 0
            else { continue }
            let first = root(stream)
            if let place = places[first] {
                found[place.partition][place.index].streams.append(stream)
                continue
            }
            guard let known = cases[first] else { continue }
            let name = name(of: known.key)
            let partition = Int(NameHash.of(name) % UInt64(count))
            places[first] = (partition, found[partition].count)
            found[partition].append(Case(name: name, streams: [stream]))
        }
        return found
    }

    private func name(of stream: UInt32) -> String { state.streamName(stream).description }

    // MARK: Joining

    private mutating func node(of customer: CustomerKey) -> UInt32 {
        if let own = state.streamID(customer.environment, .customer, customer.name) { return own }
        if let known = strangers[customer] { return known }
        let node = UInt32(parents.count)
        parents.append(node)
        strangers[customer] = node
        return node
    }

    private mutating func join(_ customer: CustomerKey, _ other: UInt32) {
        join(node(of: customer), other)
    }

    private mutating func join(_ one: UInt32, _ other: UInt32) {
        let (first, second) = (root(one), root(other))
        guard first != second else { return }
        parents[Int(max(first, second))] = min(first, second)
    }

    /// Halves the way on each walk, so that later ones are short.
    private mutating func root(_ node: UInt32) -> UInt32 {
        var node = Int(node)
        while parents[node] != UInt32(node) {
            parents[node] = parents[Int(parents[node])]
            node = Int(parents[node])
        }
        return UInt32(node)
    }
}

extension StateDigest {
    /// Adds a case that is there, whatever its events say.
    mutating func add(case name: String, eventCount: Int64) { add(text: "\(eventCount) \(name)") }
}
