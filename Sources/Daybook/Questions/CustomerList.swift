import DaybookDomain
import DaybookEvents
import DaybookStore

/// The customers of a ledger.
struct CustomerList {
    let core: LedgerCore

    /// The ids of customers that begin with a text, in the order of their bytes.
    func customers(
        prefix: String = "", _ request: OverviewRequest = OverviewRequest()
    ) throws -> OverviewPage<CustomerRow> {
        return try core.answering {
            let (names, look) = looking(request.environment) { state in
                state.customers.page(
                    request.environment, prefix: prefix, after: request.after,
                    limit: request.limit + 1, state.names)
            }
            var page = OverviewPage<CustomerRow>(rows: [], asOf: look.asOf)
            for name in names.prefix(request.limit) {
                page.rows.append(try look.row(CustomerKey(request.environment, name)))
            }
            if names.count > request.limit { page.next = page.rows.last?.id }
            return page
        }
    }

    /// Every customer whom an id leads to: the id of a customer, of a purchase, a grant, a reservation or a profile,
    /// what a use was for, or an event's key, perhaps with its source before it (`native:story-1`).
    func customers(
        withID text: String, environment: Environment = .production
    ) throws -> (matches: [CustomerMatch], isCut: Bool, asOf: AsOf) {
        try core.refresh()
        try core.readKeys()
        return try core.translating {
            let look = looking(environment) { _ in }.look
            guard !text.isEmpty else { return ([], false, look.asOf) }
            let search = try IDSearch(text, environment).found(look.state, core.store)
            var matches: [CustomerMatch] = []
            var seen: Set<[ExactText]> = []
            func add(
                _ kind: CustomerMatch.Kind, _ owner: NameID, _ position: Int64?, _ stream: String?
            ) throws {
                let key = CustomerKey(environment, owner)
                // Every purchase without an owner is a match of its own.
                let holder = owner == 0 ? stream ?? "" : look.shown(key)
                let place = [kind.rawValue, owner == 0 ? "" : "customer", holder]
                guard seen.insert(place.map { ExactText($0) }).inserted else { return }
                matches.append(
                    CustomerMatch(
                        customer: owner == 0 ? nil : try look.row(key), kind: kind,
                        position: position, stream: stream))
            }
            for customer in search.customers { try add(.customer, customer.name, nil, nil) }
            for kind in CustomerMatch.Kind.allCases {
                for place in search.places where place.kind == kind {
                    let stream = look.state.stream(place.stream)
                    let owner =
                        stream.kind == .customer
                        ? stream.name : try look.owner(of: place.stream)
                    try add(
                        kind, owner, place.position,
                        look.state.streamName(place.stream).description)
                }
            }
            return (matches, search.isCut, look.asOf)
        }
    }

    /// The ledger as it is now, and what is found in it.
    private func looking<Found: Sendable>(
        _ environment: Environment, _ body: (inout LedgerState) -> Found
    ) -> (found: Found, look: CustomerLook) {
        let now = core.clock()
        return core.state.withLock { state in
            let found = body(&state)
            let time = LedgerClock(wall: now, last: state.head.recordedAt)
            let asOf = AsOf(
                at: time.now, knownAt: nil, position: state.head.position,
                catalog: state.catalogs.latest(at: time.now)?.version, isOpen: true,
                clockLead: time.lead)
            let builder = CaseBuilder(state: state, cut: Int64.max, at: time.now)
            return (found, CustomerLook(state: state, builder: builder, asOf: asOf))
        }
    }
}

/// The customers of a ledger as it is now.
final class CustomerLook {
    let state: LedgerState
    let asOf: AsOf
    private let builder: CaseBuilder

    init(state: LedgerState, builder: CaseBuilder, asOf: AsOf) {
        self.state = state
        self.builder = builder
        self.asOf = asOf
    }

    /// The owner of a lineage now; 0: no customer.
    func owner(of lineage: UInt32) throws -> NameID { try builder.lineage(lineage).owner }

    /// The name under which a customer is shown.
    func shown(_ key: CustomerKey) -> String { builder.shown(key) }

    func row(_ key: CustomerKey) throws -> CustomerRow {
        let question = try builder.build(key)
        let check = Check(question)
        let status = check.map { StatusQuestion(question, $0).answer(profile: nil, locale: nil) }
        return CustomerRow(
            id: state.names[key.name], subject: question.subject,
            ids: builder.members(key).map { state.names[$0] }, status: status?.status,
            entitlements: check?.entitlements.namesHeld ?? [],
            firstSeenAt: question.isKnown ? question.anchor : nil)
    }
}

/// Where an id is named.
private struct IDSearch {
    struct Place {
        var kind: CustomerMatch.Kind
        var stream: UInt32
        /// `nil`: the stream itself has the name.
        var position: Int64?
    }

    private(set) var customers: [CustomerKey] = []
    private(set) var places: [Place] = []
    /// Whether an id is named by more events than were looked at.
    private(set) var isCut = false
    private let environment: Environment
    /// As it was given, and a UUID in both letter cases.
    private let texts: [String]

    init(_ text: String, _ environment: Environment) {
        self.environment = environment
        var texts = [text]
        if let (lower, upper) = UUIDText.spellings(of: text) {
            for spelling in [lower, upper] where !texts.contains(spelling) {
                texts.append(spelling)
            }
        }
        self.texts = texts
    }

    func found(_ state: LedgerState, _ store: any EventStore) throws -> IDSearch {
        var search = self
        for name in state.customers(named: texts[0], in: environment) {
            let key = CustomerKey(environment, name)
            if state.isKnown(key) { search.customers.append(key) }
        }
        for text in texts {
            search.findLineage(text, state)
            try search.findReferences(text, state, store)
            try search.findKey(text, state, store)
        }
        return search
    }

    private mutating func findLineage(_ text: String, _ state: LedgerState) {
        let names = text.contains(":") ? [text] : EventSource.stores.map { "\($0):\(text)" }
        for name in names {
            guard let stream = state.stream(named: name, .lineage, in: environment),
                state.headOf(stream).position > 0
            else { continue }
            places.append(Place(kind: .lineage, stream: stream))
        }
    }

    private mutating func findReferences(
        _ text: String, _ state: LedgerState, _ store: any EventStore
    ) throws {
        var ids: [EventIDs.ID] = [.reference(environment, Reference(text))]
        if let name = state.names.id(of: text) { ids.append(.profile(environment, name)) }
        for id in ids {
            let (events, isCut) = try state.events(naming: id, in: store)
            self.isCut = self.isCut || isCut
            for event in events {
                let kind = Self.kind(of: event, id, in: state.stream(event.stream).kind)
                let isKnown = places.contains { $0.kind == kind && $0.stream == event.stream }
                if isKnown { continue }
                places.append(Place(kind: kind, stream: event.stream, position: event.position))
            }
        }
    }

    private static func kind(
        of event: Event, _ id: EventIDs.ID, in stream: StreamKind
    ) -> CustomerMatch.Kind {
        if case .profile = id { return .profile }
        if stream == .lineage { return .transaction }
        switch event.type {
        case .grantIssued, .grantVoided: return .grant
        case .usageReserved, .usageCommitted, .usageReleased: return .reservation
        case .purchaseAssigned, .purchaseUnassigned: return .transaction
        default: return .reference
        }
    }

    private mutating func findKey(
        _ text: String, _ state: LedgerState, _ store: any EventStore
    ) throws {
        var names = Self.sources.map { (source: $0, key: text) }
        if let colon = text.firstIndex(of: ":") {
            names.append((String(text[..<colon]), String(text[text.index(after: colon)...])))
        }
        for name in names {
            guard let source = state.names.id(of: name.source), source != 0,
                let position = try state.position(
                    of: EventKey(environment, source, Reference(name.key)), in: store),
                let row = try store.rows(at: [position]).first,
                state.stream(row.event.stream).kind != .ledger
            else { continue }
            places.append(Place(kind: .key, stream: row.event.stream, position: position))
        }
    }

    /// The sources under which a key is looked for where none is named: all that this program gives.
    private static let sources =
        EventSource.own + [EventSource.promotion, EventSource.reinterpretation]
}
