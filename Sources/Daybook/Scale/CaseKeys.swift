import DaybookDomain
import DaybookEvents

/// Which events are folded together: a case is every customer and lineage between whom an alias, a spelling, a naming
/// or a transfer makes a connection, at whatever time (rules 7 and 23).
///
/// No answer about one case depends on an event of another. A lineage that changed hands is in one case with all of its
/// owners, so that it is digested once and asked about for each. Memory is some 20 bytes for each stream.
struct CaseKeys: Sendable {
    /// By stream, from 1 on: a stream of the same case, up to the first one, which is its own.
    private var parents: [UInt32]
    /// The first stream that stands for a customer who has no stream of their own.
    private var strangers: [CustomerKey: UInt32] = [:]
    /// By the first stream of a case: the stream whose name is the case's; 0 elsewhere.
    private var keys: [UInt32] = []
    /// By the first stream of a case: how many events it has.
    private var eventCounts: [Int64] = []
    private let state: LedgerState

    /// How many cases there are.
    private(set) var count = 0
    /// How many events all cases have together.
    private(set) var eventCount: Int64 = 0
    /// Which cases there are, each with how many events: a sum that tells a missing one from one that came twice.
    private(set) var digest = StateDigest()

    /// - Complexity: O(*s* log *s*) in the ledger's streams and connections, and a look at the types of all events.
    init(_ state: LedgerState) throws {
        self.state = state
        parents = (0...UInt32(clamping: state.streams.count)).map { $0 }
        for stream in parents.dropFirst() where state.stream(stream).kind != .ledger {
            join(stream, state.aggregate(of: stream))
        }
        state.forEachNaming { customer, lineage in join(customer, lineage) }
        var pairs: [(CustomerKey, CustomerKey)] = []
        state.identity.forEachLink { key, link in
            pairs.append((key, CustomerKey(key.environment, link.other)))
        }
        state.identity.forEachHandover { key, handover in
            pairs.append((key, CustomerKey(key.environment, handover.from)))
            pairs.append((key, CustomerKey(key.environment, handover.to)))
        }
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
        keys = [UInt32](repeating: 0, count: parents.count)
        eventCounts = [Int64](repeating: 0, count: parents.count)
        for stream in streams {
            let first = Int(root(stream))
            eventCounts[first] += state.headOf(stream).version
            let known = keys[first]
            if known == 0 || precedesInBytes(name(of: stream), name(of: known)) {
                keys[first] = stream
            }
        }
        for first in keys.indices where keys[first] != 0 {
            count += 1
            eventCount += eventCounts[first]
            digest.add(case: name(of: keys[first]), eventCount: eventCounts[first])
        }
    }

    /// Those that are part of a case and have events.
    private var streams: some Sequence<UInt32> {
        (1..<max(1, UInt32(clamping: state.streams.count) + 1)).lazy.filter { [state] in
            state.stream($0).kind != .ledger && state.headOf($0).position > 0
        }
    }

    /// Some cases, as the streams of each one after the other: packed, because an export holds all of them.
    struct Partition: Sendable {
        /// The first stream of the case, then the stream itself, 32 bits each; ascending.
        fileprivate(set) var packed: [UInt64] = []
    }

    /// The cases in so many partitions; to which one a case belongs its name tells.
    /// - Complexity: O(*s* log *s*) in the ledger's streams.
    mutating func partitions(_ count: Int) -> [Partition] {
        var found = [Partition](repeating: Partition(), count: count)
        for stream in streams {
            let first = root(stream)
            let name = name(of: keys[Int(first)])
            found[Int(NameHash.of(name) % UInt64(count))].packed
                .append(UInt64(first) << 32 | UInt64(stream))
        }
        for index in found.indices { found[index].packed.sort() }
        return found
    }

    /// The cases of a partition, one after the other.
    func forEachCase(of partition: Partition, _ body: (String, [UInt32]) throws -> Void) rethrows {
        var start = 0
        let packed = partition.packed
        while start < packed.count {
            let first = packed[start] >> 32
            var end = start + 1
            while end < packed.count, packed[end] >> 32 == first { end += 1 }
            try body(
                name(of: keys[Int(first)]),
                packed[start..<end].map { UInt32(truncatingIfNeeded: $0) })
            start = end
        }
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
