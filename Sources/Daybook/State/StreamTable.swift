import DaybookEvents
import DaybookStore

/// The streams of a ledger by number: what they are, where they end, and which aggregate they are folded in.
///
/// Those of a snapshot lie in its file; what changed since and what was added lies here, so that a change of a table of
/// which a reader holds a copy copies a small part of it.
package struct StreamTable: Sendable {
    package struct Head: Sendable, Equatable {
        /// The position of the stream's last event; 0: none.
        package var position: Int64
        package var version: Int64

        static let none = Head(position: 0, version: 0)
    }

    package struct Entry: Sendable {
        var record: StreamRecord
        /// The number of the person's first stream, or its own; here it fills what alignment would leave empty.
        var aggregate: UInt32
        var head = Head.none

        /// Stands for a number that was never given.
        static let unknown = Entry(
            record: StreamRecord(id: 0, environment: .production, kind: .ledger, name: 0),
            aggregate: 0)
    }

    private struct Key: Partitioned {
        var environment: Environment
        var kind: StreamKind
        var name: NameID

        init(_ record: StreamRecord) {
            self.init(record.environment, record.kind, record.name)
        }

        init(_ environment: Environment, _ kind: StreamKind, _ name: NameID) {
            self.environment = environment
            self.kind = kind
            self.name = name
        }

        var partition: UInt32 { name }
    }

    private let base: MappedState?
    private let baseCount: Int
    /// Where those of the base's streams end that got events since.
    private var heads = PartitionedMap<UInt32, Head>()
    /// Of the base's streams that were regrouped since.
    private var regrouped = PartitionedMap<UInt32, UInt32>()
    private var added = PagedArray<Entry>()
    private var ids = PartitionedMap<Key, UInt32>()
    /// Streams of the aggregates that were regrouped here; none: the aggregate is gone.
    private var members = PartitionedMap<UInt32, [UInt32]>()

    init(base: MappedState? = nil) {
        self.base = base
        baseCount = base?.streamCount ?? 0
    }

    package var count: Int { baseCount + added.count }

    /// - Parameter id: A number that was never given stands for a stream without events.
    package subscript(id: UInt32) -> Entry {
        let index = Int(id) - baseCount - 1
        if index >= 0 { return index < added.count ? added[index] : .unknown }
        guard id != 0, let former = base?.stream(id) else { return .unknown }
        return current(former)
    }

    /// An entry of the base as it is now.
    private func current(_ former: Entry) -> Entry {
        var entry = former
        if let head = heads[entry.record.id] { entry.head = head }
        if let aggregate = regrouped[entry.record.id] { entry.aggregate = aggregate }
        return entry
    }

    /// A stream with all that is known of it.
    package func entry(
        _ environment: Environment, _ kind: StreamKind, _ name: NameID
    ) -> Entry? {
        if let id = ids[Key(environment, kind, name)] { return self[id] }
        guard let former = base?.stream(environment, kind, name) else { return nil }
        return current(former)
    }

    /// The first stream of the aggregate that a stream is folded in.
    package func first(of stream: Entry) -> Entry {
        stream.aggregate == stream.record.id ? stream : self[stream.aggregate]
    }

    package func id(_ environment: Environment, _ kind: StreamKind, _ name: NameID) -> UInt32? {
        if let id = ids[Key(environment, kind, name)] { return id }
        return base?.stream(environment, kind, name)?.record.id
    }

    /// - Parameter id: A number that was never given is passed over.
    package mutating func setHead(of id: UInt32, _ head: Head) {
        let index = Int(id) - baseCount - 1
        if index >= added.count || id == 0 { return }
        if index >= 0 { added.update(index) { $0.head = head } } else { heads[id] = head }
    }

    /// - Parameter id: A number that was never given is passed over.
    package mutating func setAggregate(of id: UInt32, _ aggregate: UInt32) {
        let index = Int(id) - baseCount - 1
        if index >= added.count || id == 0 { return }
        if index >= 0 {
            added.update(index) { $0.aggregate = aggregate }
        } else {
            regrouped[id] = aggregate
        }
    }

    /// Takes the next stream, which is its own aggregate at first.
    package mutating func append(_ record: StreamRecord) {
        added.append(Entry(record: record, aggregate: record.id))
        ids[Key(record)] = record.id
    }

    /// Forgets the streams above a number, which no event has reached.
    package mutating func truncate(to count: Int) {
        while self.count > count, let last = added.popLast() {
            ids[Key(last.record)] = nil
        }
    }

    /// The records above a number.
    package func records(after count: Int) -> [StreamRecord] {
        (max(0, count - baseCount)..<max(added.count, count - baseCount)).map { added[$0].record }
    }

    /// The streams of an aggregate, ascending.
    package func members(of aggregate: UInt32) -> [UInt32] {
        if let known = members[aggregate] { return known.isEmpty ? [aggregate] : known }
        guard let known = base?.members(of: aggregate), !known.isEmpty else { return [aggregate] }
        return known
    }

    /// - Parameter streams: Ascending; empty: the aggregate has no streams any more, or only its own.
    package mutating func setMembers(of aggregate: UInt32, _ streams: [UInt32]) {
        members[aggregate] = streams
    }

    /// The aggregate of every stream, by number; 0 stands for itself.
    package var aggregates: [UInt32] {
        var aggregates: [UInt32] = []
        aggregates.reserveCapacity(count + 1)
        for id in 0..<UInt32(baseCount + 1) { aggregates.append(self[id].aggregate) }
        added.forEach { aggregates.append($0.aggregate) }
        return aggregates
    }

    /// Every aggregate of a table's own that has more than one stream.
    package var groups: [(aggregate: UInt32, streams: [UInt32])] {
        var all: [UInt32: [UInt32]] = [:]
        base?.forEachMember { aggregate, stream in all[aggregate, default: []].append(stream) }
        members.forEach { all[$0] = $1 }
        return all.filter { $0.value.count > 1 }.map { ($0.key, $0.value) }
            .sorted { $0.aggregate < $1.aggregate }
    }
}
