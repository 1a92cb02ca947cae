import DaybookEvents
import DaybookStore

/// The ids by which a person finds an event, besides its key and the names of customers and lines: a transaction, a
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
