import DaybookEvents
import DaybookStore

/// The ids by which a person finds an event, besides its key and the names of customers and lineages: a transaction, a
/// grant, a reservation, the ref of a use, and a profile where it begins.
struct EventIDs {
    enum ID: Hashable {
        case reference(Environment, Reference)
        case profile(Environment, NameID)

        /// 64 bits that only the ledger's secret tells; the same in every process and for ever: files hold them.
        func hash(_ hashKey: SipHash.Key) -> UInt64 {
            switch self {
            case .reference(let environment, let reference):
                SipHash.hash64(
                    hashKey, reference.high, reference.low, UInt64(environment.rawValue))
            case .profile(let environment, let name):
                SipHash.hash64(hashKey, UInt64(name), 0, 1 << 8 | UInt64(environment.rawValue))
            }
        }
    }

    private let reference: ID?
    private let profile: ID?

    /// - Parameter stream: Where the event stands. What stands in a ledger's own streams is of no customer.
    init(_ event: Event, in stream: StreamRecord) {
        guard stream.kind != .ledger else {
            (reference, profile) = (nil, nil)
            return
        }
        reference =
            event.reference.isNone ? nil : .reference(stream.environment, event.reference)
        switch event.type {
        case .profileCreated, .profileRestored:
            profile = event.profile == 0 ? nil : .profile(stream.environment, event.profile)
        default: profile = nil
        }
    }

    /// The reference before the profile.
    func forEachHash(_ hashKey: SipHash.Key, _ body: (UInt64) -> Void) {
        if let reference { body(reference.hash(hashKey)) }
        if let profile { body(profile.hash(hashKey)) }
    }

    /// Whether the event names it.
    func names(_ id: ID) -> Bool { reference == id || profile == id }
}

extension LedgerState {
    /// How many events of one id are looked at.
    private static let eventsNamingMax = 1_000

    /// The newest thousand events that name an id, the newest first; whether there may be more. The keys were read.
    func events(
        naming id: EventIDs.ID, in store: any EventStore
    ) throws -> (events: [Event], isCut: Bool) {
        let limit = Self.eventsNamingMax
        guard let keys else { return ([], false) }
        let (positions, unread) = keys.candidates(id, limit: limit)
        var isCut = positions.count == limit
        func names(_ event: Event) -> Bool { EventIDs(event, in: stream(event.stream)).names(id) }
        var events = try store.rows(at: positions).map(\.event).filter(names)
        for range in unread {
            try store.scan(
                after: Checkpoint(position: range.lowerBound - 1),
                through: Checkpoint(position: range.upperBound), chunkCount: 1_000
            ) { found in
                for index in found.indices where names(found[index]) { events.append(found[index]) }
                // The memory that this takes does not grow with the range.
                if events.count > 2 * limit {
                    isCut = true
                    events.sort { $0.position < $1.position }
                    events.removeFirst(events.count - limit)
                }
            }
        }
        events.sort { $0.position > $1.position }
        return (events, isCut)
    }
}
