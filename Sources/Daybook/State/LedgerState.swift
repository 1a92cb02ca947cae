import DaybookDomain
import DaybookEvents
import DaybookStore

/// What a ledger keeps in memory: heads, keys, who is who, and the folded state of every unit.
///
/// One function, `apply`, takes every event that was ever committed, by whomever: opening, catching up with other
/// processes and publishing an own commit are the same path.
struct LedgerState {
    struct StreamHead {
        /// The position of the stream's last event.
        var position: Int64
        var version: Int64
    }
    struct StreamKey: Hashable {
        var environment: Environment
        var kind: StreamKind
        var name: NameID
    }

    var names = NameTable()
    /// How many names the store has; those above were interned for a commit that is not there yet.
    var storedNameCount = 0
    private(set) var streams: [StreamRecord] = []
    private var streamIDs: [StreamKey: UInt32] = [:]
    private(set) var storedStreamCount = 0
    private(set) var heads: [StreamHead] = []
    var keys = KeyIndex()
    private(set) var head = StoreHead(position: 0, recordedAt: 0)

    private(set) var identity = Identity()
    private(set) var corrections = CorrectionBook()
    var catalogs = CatalogHistory()
    var zones = ZoneSet(["UTC": .utc])

    /// The unit that a stream is folded in: its own number, or that of the person's first stream.
    private(set) var unitOf: [UInt32] = []
    private(set) var members: [UInt32: [UInt32]] = [:]
    private(set) var units = UnitTable()
    /// Units that must be folded anew before they can answer.
    private(set) var late: Set<UInt32> = []
    /// Lines that ever named a customer.
    private(set) var linesNaming: [CustomerKey: [UInt32]] = [:]
    private var newZones: Set<NameID> = []
    /// Zones that any customer named.
    private(set) var zoneNames: Set<NameID> = []
    /// Positions of the events that are read before any fold: aliases, whole transfers, corrections, catalogs.
    private(set) var special: [Int64] = []
    /// Events that need more than memory: catalogs to read, targets of corrections to find.
    private(set) var pending: [Event] = []

    // MARK: Names

    /// Takes in the names that the store has and the state does not.
    /// - Throws: `.damaged` for a text that is there twice: every later name would get another number than in the file.
    mutating func takeNames(from store: any EventStore) throws {
        for name in try store.names(after: names.count) {
            let number = names.count + 1
            guard names.intern(name) == NameID(number) else {
                throw StoreError(
                    .damaged,
                    "the ledger is damaged: name \(number) is there twice; restore a backup")
            }
        }
        storedNameCount = names.count
    }

    // MARK: Streams

    func stream(_ id: UInt32) -> StreamRecord { streams[Int(id) - 1] }

    func streamName(_ id: UInt32) -> StreamName {
        let record = stream(id)
        return StreamName(record.environment, record.kind, names[record.name])
    }

    func streamID(_ environment: Environment, _ kind: StreamKind, _ name: NameID) -> UInt32? {
        streamIDs[StreamKey(environment: environment, kind: kind, name: name)]
    }

    func headOf(_ stream: UInt32) -> StreamHead {
        Int(stream) <= heads.count ? heads[Int(stream) - 1] : StreamHead(position: 0, version: 0)
    }

    /// Takes a stream of the store, with which the next committed events may begin.
    mutating func add(_ record: StreamRecord) {
        note(record)
        storedStreamCount = streams.count
        if record.kind == .customer { join(CustomerKey(record.environment, record.name)) }
    }

    private mutating func note(_ record: StreamRecord) {
        streams.append(record)
        streamIDs[
            StreamKey(environment: record.environment, kind: record.kind, name: record.name)] =
            record.id
        heads.append(StreamHead(position: 0, version: 0))
        unitOf.append(record.id)
    }

    /// The number of a stream, given now if need be; no unit knows of it before the commit that begins it.
    mutating func internStream(_ name: StreamName) -> UInt32 {
        let id = names.intern(name.name)
        if let known = streamID(name.environment, name.kind, id) { return known }
        let record = StreamRecord(
            id: UInt32(streams.count + 1), environment: name.environment, kind: name.kind, name: id)
        note(record)
        return record.id
    }

    /// The store has now all names and streams that were given.
    mutating func markStored() {
        storedNameCount = names.count
        let new = streams[storedStreamCount...]
        storedStreamCount = streams.count
        for record in new where record.kind == .customer {
            join(CustomerKey(record.environment, record.name))
        }
    }

    /// Where the event of this name stands; `nil` while it is unknown.
    func position(of key: EventKey, in store: any EventStore) throws -> Int64? {
        switch keys.candidates(key) {
        case .exact(let position): return position
        case .perhaps(let positions, let unread):
            if !positions.isEmpty {
                for row in try store.rows(at: positions) where eventKey(row.event) == key {
                    return row.event.position
                }
            }
            for range in unread {
                if let position = try scan(range, for: key, in: store) { return position }
            }
            return nil
        }
    }

    private func scan(
        _ range: ClosedRange<Int64>, for key: EventKey, in store: any EventStore
    ) throws -> Int64? {
        var found: Int64?
        try store.scan(
            after: Checkpoint(position: range.lowerBound - 1),
            through: Checkpoint(position: range.upperBound), chunkCount: 1_000
        ) { events in
            for index in events.indices where found == nil && eventKey(events[index]) == key {
                found = events[index].position
            }
        }
        return found
    }

    /// The name of a committed event.
    func eventKey(_ event: Event) -> EventKey {
        EventKey(stream(event.stream).environment, event.source, event.key)
    }

    // MARK: Folding

    /// Takes one committed event; anything that needs the store waits in `pending`.
    mutating func apply(_ event: Event, recordedAt: Int64) {
        let stream = stream(event.stream)
        let index = Int(event.stream) - 1
        heads[index].position = event.position
        heads[index].version += 1
        head = StoreHead(position: event.position, recordedAt: recordedAt)
        let key = EventKey(stream.environment, event.source, event.key)
        keys.note(key, at: event.position)
        note(event, stream)
        if stream.kind == .line { noteNaming(event, stream) }
        fold(event, key)
    }

    /// Takes in what is read before any fold.
    private mutating func note(_ event: Event, _ stream: StreamRecord) {
        switch event.type {
        case .subjectAliased, .subjectUnaliased:
            identity.note(event, environment: stream.environment)
            // Whoever was one person through the alias may be two now.
            let alias = CustomerKey(stream.environment, event.nameA)
            for name in [alias.name] + identity.everLinked(to: alias) {
                join(CustomerKey(stream.environment, name))
            }
        case .purchaseTransferred where stream.kind == .customer:
            identity.note(event, environment: stream.environment)
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
    mutating func note(zone: NameID) {
        guard zone != 0 else { return }
        newZones.insert(zone)
        zoneNames.insert(zone)
    }

    private mutating func noteNaming(_ event: Event, _ stream: StreamRecord) {
        for name in event.namedCustomers {
            let customer = CustomerKey(stream.environment, name)
            if linesNaming[customer]?.contains(stream.id) == true { continue }
            linesNaming[customer, default: []].append(stream.id)
        }
    }

    private mutating func fold(_ event: Event, _ key: EventKey) {
        let unit = unitOf[Int(event.stream) - 1]
        if late.contains(unit) { return }
        let kind = stream(event.stream).kind
        if corrections.concerns(key) || !units.evolve(unit, kind, event, names: names) {
            late.insert(unit)
        }
    }

    /// Puts the streams of one person into one unit.
    private mutating func join(_ customer: CustomerKey) {
        guard !identity.isEmpty else { return }
        let person = identity.person(
            customer, cut: Int64.max, corrections: corrections, names: names)
        let streams = person.members.compactMap { streamID(customer.environment, .customer, $0) }
        guard let unit = streams.min() else { return }
        let isUnchanged =
            streams.allSatisfy { unitOf[Int($0) - 1] == unit }
            && (members[unit] ?? [unit]).count == streams.count
        if isUnchanged { return }
        // Whoever was in one of these units before may now stand alone.
        let before = Set(streams.map { unitOf[Int($0) - 1] })
        var affected = Set(streams)
        for old in before { affected.formUnion(members[old] ?? [old]) }
        for old in before { dissolve(old) }
        for stream in affected.subtracting(streams) { regroup(stream) }
        for stream in streams { unitOf[Int(stream) - 1] = unit }
        members[unit] = streams.sorted()
        markLate(unit)
    }

    private mutating func regroup(_ stream: UInt32) {
        let record = self.stream(stream)
        let person = identity.person(
            CustomerKey(record.environment, record.name), cut: Int64.max,
            corrections: corrections, names: names)
        let streams = person.members.compactMap { streamID(record.environment, .customer, $0) }
        let unit = streams.min() ?? stream
        for member in streams { unitOf[Int(member) - 1] = unit }
        members[unit] = streams.sorted()
        markLate(unit)
    }

    /// A unit whose streams go elsewhere must leave nothing behind, or it would be folded, and counted, once more.
    private mutating func dissolve(_ unit: UInt32) {
        members[unit] = nil
        units.set(unit, nil)
        late.remove(unit)
    }

    private mutating func markLate(_ unit: UInt32) {
        units.set(unit, nil)
        late.insert(unit)
    }

    /// The event of a stream must be folded without, or otherwise than, it was.
    mutating func refoldUnit(of stream: UInt32) { markLate(unitOf[Int(stream) - 1]) }

    /// An alias was voided: everybody is grouped anew.
    mutating func regroupAll() {
        let customers = streams.filter { $0.kind == .customer }
        for record in customers { dissolve(record.id) }
        for record in customers { regroup(record.id) }
    }

    /// Zones that were named since the last call.
    mutating func takeNewZones() -> Set<NameID> {
        defer { newZones = [] }
        return newZones
    }

    /// The same with an alias that is decided and not committed.
    func joined(by alias: Event, in environment: Environment) -> LedgerState {
        var state = self
        state.identity.note(alias, environment: environment)
        return state
    }

    /// The first pending event is dealt with.
    mutating func finishPending() { pending.removeFirst() }

    /// Whether something was committed that could not be folded yet, because the store could not be read.
    var needsSettling: Bool { !pending.isEmpty || !late.isEmpty }

    /// The streams of a unit.
    func streams(of unit: UInt32) -> [UInt32] { members[unit] ?? [unit] }

    mutating func settle(_ unit: UInt32, _ state: UnitState) {
        late.remove(unit)
        units.set(unit, state.eventCount == 0 && state.newest == .first ? nil : state)
    }

    // MARK: Snapshots

    /// What a snapshot gives back.
    struct Restored {
        var units: UnitTable
        var heads: [(position: Int64, version: Int64, unit: UInt32)] = []
        var linesNaming: [CustomerKey: [UInt32]] = [:]
        var special: [Int64] = []
        var zoneNames: Set<NameID> = []
    }

    /// Takes what a snapshot gives back; names and streams are there already.
    mutating func restore(_ restored: Restored) {
        units = restored.units
        linesNaming = restored.linesNaming
        special = restored.special
        zoneNames = restored.zoneNames
        newZones = restored.zoneNames
        for (index, head) in restored.heads.enumerated() {
            heads[index] = StreamHead(position: head.position, version: head.version)
            unitOf[index] = head.unit
        }
        for (index, unit) in unitOf.enumerated() where UInt32(index + 1) != unit {
            members[unit, default: [unit]].append(UInt32(index + 1))
        }
    }

    /// An event that a snapshot covers, but whose meaning is read before any fold. Its folds are in the snapshot.
    mutating func noteSpecial(_ event: Event) {
        let stream = stream(event.stream)
        switch event.type {
        case .correctionVoided, .correctionAmended:
            corrections.note(event, environment: stream.environment)
        case .catalogPublished, .catalogRolledBack: pending.append(event)
        default: identity.note(event, environment: stream.environment)
        }
    }

    /// Gives a unit of a snapshot its rebuilt state.
    mutating func replace(_ unit: UInt32, _ state: UnitState) {
        if !late.contains(unit) { units.set(unit, state) }
    }

    /// Groups the streams that begin after the snapshot: an alias in it may name an id that had no event yet.
    mutating func joinLaterStreams() {
        for record in streams where record.kind == .customer && headOf(record.id).position == 0 {
            join(CustomerKey(record.environment, record.name))
        }
    }

    mutating func setHead(_ newHead: StoreHead) { head = newHead }

    /// Forgets names and streams that were given for a commit that failed.
    mutating func dropUnstored() {
        while streams.count > storedStreamCount {
            let record = streams.removeLast()
            streamIDs[
                StreamKey(
                    environment: record.environment, kind: record.kind, name: record.name)] = nil
            heads.removeLast()
            unitOf.removeLast()
        }
        names.truncate(to: storedNameCount)
    }
}
