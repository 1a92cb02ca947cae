import DaybookDomain
import DaybookEvents
import DaybookStore

/// What a ledger keeps in memory: heads, keys and identities; of folded aggregates those that were asked for lately.
///
/// One function, `apply`, takes every committed event, of any process: opening, catching up and publishing an own
/// commit are the same path. With a snapshot all but what came after it stays in the mapped file.
package struct LedgerState: Sendable {
    /// Where its events lie.
    package private(set) var log: EventLog
    /// The snapshot that this state began with.
    let base: MappedState?
    /// Shared by copies; `nil` for a state of the past, of which every aggregate is asked for once.
    package private(set) var cache: AggregateCache?

    package var names: NameTable
    /// How many names the store has; those above were interned for a commit that is not there yet.
    package var storedNameCount: Int
    package var streams: StreamTable
    package private(set) var storedStreamCount: Int
    /// `nil`: not read yet; a look-up of a key reads them first (`LedgerCore.readKeys`).
    package var keys: KeyIndex?
    package private(set) var head = StoreHead(position: 0, recordedAt: 0)
    /// The position of the last event in a stream that is no customer's; 0: none came since the snapshot that the state
    /// began with.
    package private(set) var sharedHead: Int64 = 0
    /// The name of all up to the head, or to where it was last compared with the store; `nil`: not known, of the past.
    package private(set) var history: HistoryPoint?

    package private(set) var identity: Identity
    /// Customers by their ids; asking puts those into their places that were named since.
    var customers: CustomerOrder
    package private(set) var corrections = CorrectionBook()
    package var catalogs = CatalogHistory()
    package var zones = ZoneSet(["UTC": .utc])

    /// Lineages that ever named a customer, since the snapshot.
    private var lineagesNaming = PartitionedMap<CustomerKey, [UInt32]>()
    /// Customers who may be with other ids now than the aggregates of their streams say; `regroup` finds out.
    package var touched: Set<CustomerKey> = []
    /// How many links were looked at to put aggregates together.
    package var groupingStepCount = 0
    /// Events with links between ids, or with what was handed over, since the snapshot.
    private var linkCount = 0
    private var newZones: Set<NameID> = []
    /// Zones that any customer named.
    package private(set) var zoneNames: Set<NameID> = []
    /// Positions of corrections and catalogs, which a snapshot does not hold itself.
    package private(set) var special: [Int64] = []
    /// Events that need more than memory: catalogs to read, targets of corrections to find.
    package private(set) var pending: [Event] = []

    /// - Parameter base: Names, streams and persons up to its cut. What it lists as special must be read and noted.
    init(log: EventLog, base: MappedState? = nil, cache: AggregateCache? = nil) {
        self.log = log
        self.base = base
        self.cache = cache
        names = NameTable(base: base)
        streams = StreamTable(base: base)
        identity = Identity(base: base)
        customers = CustomerOrder(base: base)
        storedNameCount = names.count
        storedStreamCount = streams.count
        guard let base else { return }
        base.each(base.special) { special.append($0.number(0)) }
        base.each(base.zones) { zoneNames.insert($0.number(0)) }
        newZones = zoneNames
    }

    /// The same ledger, which remembers nothing of what is asked of it: for one look at all customers.
    package func forgetful() -> LedgerState {
        var other = self
        other.cache = nil
        return other
    }

    /// The same ledger for one question that folds the same customer again and again: events are read once.
    package func remembering() -> LedgerState {
        var other = self
        other.log = log.remembering()
        return other
    }

    /// The same ledger as if one event had never been there; nothing that is asked of it is remembered.
    package func leavingOut(_ key: EventKey) -> LedgerState {
        var other = forgetful()
        other.corrections.leaveOut(key)
        return other
    }

    /// The same for a ledger that goes its own way from here, with events and answers of its own.
    package func goingOn(in log: EventLog, _ cache: AggregateCache) -> LedgerState {
        var other = self
        other.log = log
        other.cache = cache
        return other
    }

    /// Takes in the names that the store has and the state does not.
    /// - Throws: `.damaged` for a text that is there twice: every later name would get another number than in the file.
    /// - Parameter countMax: Of all names; later ones are left out.
    /// - Returns: New streams, to be added. Read before the names: if another process writes between, each has a name.
    package mutating func takeNames(
        from store: any EventStore, countMax: Int = .max
    ) throws -> [StreamRecord] {
        let streams = try store.streams(after: UInt32(storedStreamCount))
        for name in try store.names(after: names.count).prefix(max(0, countMax - names.count)) {
            let number = names.count + 1
            guard names.intern(name) == NameID(number) else {
                throw StoreError(
                    .damaged,
                    "the ledger is damaged: name \(number) is there twice; restore a backup")
            }
        }
        storedNameCount = names.count
        return streams
    }

    // MARK: Streams

    package func stream(_ id: UInt32) -> StreamRecord { streams[id].record }

    package func streamName(_ id: UInt32) -> StreamName {
        let record = stream(id)
        return StreamName(record.environment, record.kind, names[record.name])
    }

    package func streamID(
        _ environment: Environment, _ kind: StreamKind, _ name: NameID
    ) -> UInt32? { streams.id(environment, kind, name) }

    package func headOf(_ stream: UInt32) -> StreamTable.Head { streams[stream].head }

    /// The aggregate that a stream is folded in: its own number, or that of the person's first stream.
    package func aggregate(of stream: UInt32) -> UInt32 { streams[stream].aggregate }

    /// Whether a stream is an aggregate by itself.
    package func isAlone(_ stream: UInt32) -> Bool { isAlone(streams[stream], stream) }

    /// - Parameter entry: Of the stream; of a number that was never given it says aggregate 0.
    package func isAlone(_ entry: StreamTable.Entry, _ stream: UInt32) -> Bool {
        entry.aggregate == stream && (identity.isEmpty || streams(of: stream).count == 1)
    }

    /// The streams of an aggregate.
    package func streams(of aggregate: UInt32) -> [UInt32] { streams.members(of: aggregate) }

    /// Takes a stream of the store, with which the next committed events may begin.
    package mutating func add(_ record: StreamRecord) {
        streams.append(record)
        storedStreamCount = streams.count
        touch(record)
    }

    /// The number of a stream, given now if need be; no aggregate knows of it before the commit that begins it.
    package mutating func internStream(_ name: StreamName) -> UInt32 {
        let id = names.intern(name.name)
        if let known = streamID(name.environment, name.kind, id) { return known }
        let record = StreamRecord(
            id: UInt32(streams.count + 1), environment: name.environment, kind: name.kind, name: id)
        streams.append(record)
        return record.id
    }

    /// Whether the store has a stream, so that its number stays for ever.
    package func isStored(stream id: UInt32) -> Bool { id <= storedStreamCount }

    /// The streams that were given for a commit that is not there yet.
    package var newStreams: [StreamRecord] { streams.records(after: storedStreamCount) }

    /// Names and streams, with those that were given for a commit.
    package struct Names: Sendable {
        var names: NameTable
        var streams: StreamTable
    }

    /// Takes names and streams that the store has by now, in place of those that were there before them.
    mutating func take(_ given: consuming Names) {
        names = given.names
        streams = given.streams
        storedNameCount = names.count
        let new = newStreams
        storedStreamCount = streams.count
        for record in new { touch(record) }
    }

    /// The name of a committed event.
    package func eventKey(_ event: Event) -> EventKey {
        EventKey(stream(event.stream).environment, event.source, event.key)
    }

    /// Takes one committed event; anything that needs the store waits in `pending`.
    package mutating func apply(_ event: Event, recordedAt: Int64) {
        let stream = streams[event.stream]
        // An alias joins aggregates, which are then folded anew.
        let isCarriedOn =
            cache?.knows(stream.aggregate) == true && event.type != .subjectAliased
            && event.type != .subjectUnaliased
        let known = isCarriedOn ? stamp(of: stream.aggregate) : nil
        streams.setHead(
            of: event.stream,
            .init(position: event.position, version: stream.head.version + 1))
        head = StoreHead(position: event.position, recordedAt: recordedAt)
        if stream.record.kind != .customer { sharedHead = event.position }
        let key = EventKey(stream.record.environment, event.source, event.key)
        keys?.note(key, EventIDs(event, in: stream.record), at: event.position)
        note(event, stream.record)
        if stream.record.kind == .lineage { noteNaming(event, stream.record) }
        if stream.record.kind == .customer, stream.head.version == 0 {
            customers.note(CustomerKey(stream.record.environment, stream.record.name))
            joinSpellings(of: stream.record.name, stream.record.environment, event)
        }
        guard let known, !corrections.concerns(key) else { return }
        let next = stamp(of: stream.aggregate)
        cache?.evolve(stream.aggregate, event, from: known, to: next, names: names)
    }

    /// The folded state of an aggregate as it is now.
    /// - Parameter first: Its first stream, whose number it has.
    package func live(_ first: StreamTable.Entry) throws -> SharedAggregate {
        let (aggregate, kind) = (first.record.id, first.record.kind)
        let stamp = stamp(of: first)
        if let known = cache?.state(of: aggregate, stamp), known.kind == kind { return known }
        let folded = SharedAggregate(
            try AggregateFold(self).fold(
                kind: kind, environment: first.record.environment,
                heads: heads(of: first).map(\.position)))
        // The number of a stream without events may yet become another's: of a commit that failed, or of a dry run.
        if folded.newest != .first { cache?.keep(folded, of: aggregate, stamp) }
        return folded
    }

    /// Every aggregate that has events, ascending; those of the ledger itself are none.
    package var aggregateIDs: [UInt32] {
        var ids: [UInt32] = []
        for id in 1..<UInt32(storedStreamCount + 1) {
            let entry = streams[id]
            guard entry.aggregate == id, entry.record.kind != .ledger else { continue }
            let isBegun =
                entry.head.position > 0 || streams(of: id).contains { headOf($0).position > 0 }
            if isBegun { ids.append(id) }
        }
        return ids
    }

    /// A table of one part that has more is not copied for one commit.
    private static let longTableCount = 4_096

    /// Whether the change that an event makes would copy a long table of a state that others have, too: links between
    /// ids and corrections lie in tables of one part.
    package func copiesLongTable(for event: Event) -> Bool {
        switch event.type {
        case .subjectAliased, .subjectUnaliased, .purchaseTransferred:
            linkCount > Self.longTableCount
        case .correctionVoided, .correctionAmended: corrections.count > Self.longTableCount
        default: false
        }
    }

    /// Takes in what is read before any fold.
    private mutating func note(_ event: Event, _ stream: StreamRecord) {
        switch event.type {
        case .subjectAliased, .subjectUnaliased:
            linkCount += 1
            identity.note(event, environment: stream.environment)
            touch(link: event, stream.environment)
            joinSpellings(ofBoth: event, stream.environment)
            return
        case .purchaseTransferred where stream.kind == .customer:
            linkCount += 1
            identity.note(event, environment: stream.environment)
            joinSpellings(ofBoth: event, stream.environment)
            return
        case .correctionVoided, .correctionAmended:
            corrections.note(event, environment: stream.environment)
            pending.append(event)
        case .catalogPublished, .catalogRolledBack: pending.append(event)
        case .subjectCreated, .subjectTimeZoneChanged:
            note(zone: event.timeZone)
            return
        default: return
        }
        special.append(event.position)
    }

    /// A zone that an event or a correction names: its table is loaded before the next answer.
    package mutating func note(zone: NameID) {
        guard zone != 0 else { return }
        newZones.insert(zone)
        zoneNames.insert(zone)
    }

    private mutating func noteNaming(_ event: Event, _ stream: StreamRecord) {
        for name in event.namedCustomers {
            let customer = CustomerKey(stream.environment, name)
            if lineagesNaming[customer]?.contains(stream.id) == true { continue }
            if base?.lineages(naming: customer).contains(stream.id) == true { continue }
            lineagesNaming.update(customer, default: []) { $0.append(stream.id) }
            customers.note(customer)
            joinSpellings(of: name, stream.environment, event)
        }
    }

    private mutating func joinSpellings(ofBoth event: Event, _ environment: Environment) {
        for name in [event.nameA, event.nameB] where name != 0 {
            customers.note(CustomerKey(environment, name))
            joinSpellings(of: name, environment, event)
        }
    }

    /// Two ids that are one UUID are one person from the event on that names the second of them.
    private mutating func joinSpellings(
        of name: NameID, _ environment: Environment, _ event: Event
    ) {
        guard let spelling = UUIDText.otherSpelling(of: names[name]),
            let other = names.id(of: spelling), isKnown(CustomerKey(environment, other)),
            !identity.hasSpelling(CustomerKey(environment, name))
        else { return }
        let isUpper = precedesInBytes(names[name], spelling)
        identity.note(
            upper: isUpper ? name : other, lower: isUpper ? other : name, in: environment,
            at: event.position)
        touched.insert(CustomerKey(environment, name))
        touched.insert(CustomerKey(environment, other))
    }

    /// Lineages that ever named a customer.
    package func lineages(naming customer: CustomerKey) -> [UInt32] {
        guard let base else { return lineagesNaming[customer] ?? [] }
        return base.lineages(naming: customer) + (lineagesNaming[customer] ?? [])
    }

    /// Every customer that a lineage names, with the lineage: ascending by customer, those of one in order of arrival.
    package func forEachNaming(_ body: (CustomerKey, UInt32) -> Void) {
        var added: [(customer: CustomerKey, lineages: [UInt32])] = []
        lineagesNaming.forEach { added.append(($0, $1)) }
        added.sort { $0.customer < $1.customer }
        let each = added.flatMap { naming in naming.lineages.map { (naming.customer, $0) } }
        var merge = OrderedMerge(each) { $0.0 < $1.0 }
        base?.forEachNaming { customer, lineage in
            merge.take((customer, lineage)) { body($0.0, $0.1) }
        }
        merge.finish { body($0.0, $0.1) }
    }

    /// Zones that were named since the last call.
    package mutating func takeNewZones() -> Set<NameID> {
        defer { newZones = [] }
        return newZones
    }

    /// The same with an alias that is decided and not committed.
    package func joined(by alias: Event, in environment: Environment) -> LedgerState {
        var state = self
        state.identity.note(alias, environment: environment)
        return state
    }

    /// The first pending event is dealt with.
    package mutating func finishPending() { pending.removeFirst() }

    /// Whether something was committed that could not be taken in yet, because the store could not be read.
    package var needsSettling: Bool { !pending.isEmpty || !touched.isEmpty }

    // MARK: Snapshots

    /// An event that a snapshot covers and does not hold: a correction or a catalog.
    package mutating func noteSpecial(_ event: Event) {
        switch event.type {
        case .correctionVoided, .correctionAmended:
            corrections.note(event, environment: stream(event.stream).environment)
        default: pending.append(event)
        }
    }

    package mutating func setHead(_ newHead: StoreHead, _ newHistory: HistoryPoint) {
        head = newHead
        history = newHistory
    }

    /// Takes the name of the history that the state has reached; says whether it is that of the head.
    @discardableResult
    package mutating func note(_ point: HistoryPoint) -> Bool {
        guard point.position == head.position else { return false }
        history = point
        return true
    }

    /// The sums of folded aggregates that the snapshot of this very state holds; `nil` without such a snapshot.
    package var snapshotSums: BucketSums? {
        guard let base, base.cut == head.position else { return nil }
        return base.sums
    }
}
