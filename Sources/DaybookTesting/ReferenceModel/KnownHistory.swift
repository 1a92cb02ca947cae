import DaybookEvents

/// What was known at a cut in one environment: not void, amended, in canonical order.
struct KnownHistory {
    /// In canonical order (rule 2).
    let events: [KnownEvent]
    /// How UUIDs are written that name customers, by the UUID in small letters; what is void names them all the same.
    let spellings: [String: Set<String>]
    /// Every lineage, in the order of their names.
    let lineages: [LineageFacts]
    let identities: Identities
    /// All owners of each lineage, one after the other, by its name (rule 7).
    let ownings: [String: [Identities.Owning]]

    /// - Parameters:
    ///   - recorded: In the order of their positions.
    ///   - catalogs: Those that are known at the cut.
    init(
        _ recorded: [RecordedEvent], environment: Environment, cut: Int64,
        catalogs: [PublishedCatalog]
    ) {
        var seen: Set<EventIdentity> = []
        var known: [KnownEvent] = []
        // Rule 4: an event takes part iff its position is within the cut. Rule 9: nothing mixes.
        for event in recorded
        where event.position <= cut && event.draft.environment == environment {
            let candidate = KnownEvent(event)
            // Rule 16: (environment, source, key) binds once, for ever.
            if seen.insert(candidate.identity).inserted { known.append(candidate) }
        }
        known.sort(by: KnownEvent.isOrdered)
        var spellings: [String: Set<String>] = [:]
        for name in Set(known.flatMap(Self.customers)) where Self.isUUID(name) {
            spellings[name.lowercased(), default: []].insert(name)
        }
        self.spellings = spellings
        let valid = Self.withoutVoided(known)
        events = Self.amended(valid)
        var told: [String: [KnownEvent]] = [:]
        for event in events {
            guard case .lineage(let name) = event.belonging else { continue }
            told[name, default: []].append(event)
        }
        // What a product is to the store; structure never changes (rule 8).
        lineages = told.sorted { precedes($0.key, $1.key) }.map { name, events in
            LineageFacts(name: name, events: events) { id in
                catalogs.lazy.compactMap { $0.catalog.product(id)?.kind }.first
            }
        }
        let identities = Identities(events, spellings: spellings)
        self.identities = identities
        ownings = Dictionary(
            uniqueKeysWithValues: lineages.map { ($0.name, identities.ownings(of: $0)) })
    }

    /// Every customer that an event of a customer or of a lineage names.
    private static func customers(_ event: KnownEvent) -> [String] {
        if event.belonging == .ledger { return [] }
        var members = ["alias", "canonical"]
        if event.type == .purchaseTransferred {
            members.append("to")
            // The owner of a single purchase is told by its own events.
            if case .customer = event.belonging { members.append("from") }
        }
        if LineageFacts.purchaseTypes.contains(event.type) { members.append("app_account_token") }
        return [event.subject].compactMap(\.self) + members.compactMap(event.text)
    }

    private static func isUUID(_ name: String) -> Bool {
        let parts = name.split(separator: "-", omittingEmptySubsequences: false)
        return parts.map(\.count) == [8, 4, 4, 4, 12]
            && parts.joined().allSatisfy { $0.isASCII && $0.isHexDigit }
    }

    /// Rule 20: void iff a `correction.voided` that is not itself void targets it.
    private static func withoutVoided(_ events: [KnownEvent]) -> [KnownEvent] {
        var voids: [EventIdentity: [KnownEvent]] = [:]
        for event in events where event.type == .correctionVoided {
            guard let target = target(of: event) else { continue }
            voids[target, default: []].append(event)
        }
        // An event without a void holds, and so on; two voids of each other are no history, and decide nothing.
        var holding: Set<EventIdentity> = []
        var void: Set<EventIdentity> = []
        var count = -1
        while count != holding.count + void.count {
            count = holding.count + void.count
            for event in events {
                let own = (voids[event.identity] ?? []).map(\.identity)
                if own.allSatisfy(void.contains) { holding.insert(event.identity) }
                if own.contains(where: holding.contains) { void.insert(event.identity) }
            }
        }
        return events.filter { !void.contains($0.identity) }
    }

    /// Rule 20: `amended` replaces fields in place, last in canonical order wins.
    private static func amended(_ events: [KnownEvent]) -> [KnownEvent] {
        var patches: [EventIdentity: [JSONObject]] = [:]
        for event in events where event.type == .correctionAmended {
            guard let target = target(of: event), let patch = event.fields["patch"]?.object
            else { continue }
            patches[target, default: []].append(patch)
        }
        return events.map { event in
            // Signed facts can be voided, never amended; nor can events that decide in which aggregate others are
            // folded.
            guard let own = patches[event.identity], event.trust != .verified,
                !unamendable.contains(event.type)
            else { return event }
            var amended = event
            for patch in own {
                // A patch holds as a whole, and its outcome is an event that would have been accepted (E76).
                guard patch.members.allSatisfy({ isField($0.name, of: event) }),
                    let next = amended.replacing(patch), next.belonging == event.belonging
                else { continue }
                amended = next
            }
            return amended
        }
    }

    /// Read before anything is folded.
    private static let unamendable: Set<EventTypeName> = [
        .subjectAliased, .subjectUnaliased, .purchaseTransferred, .correctionVoided,
        .correctionAmended, .catalogPublished, .catalogRolledBack,
    ]

    /// What says which event it is, in which stream, and about which customer: void and record anew.
    private static let naming: Set<String> = [
        "original_transaction_id", "transaction_id", "store", "profile", "app_account_token",
        "grant_id", "reservation_id", "subject",
    ]

    /// E76: limited by the schema of the event's type and version.
    private static func isField(_ name: String, of event: KnownEvent) -> Bool {
        guard let schema = Vocabulary.schema(named: event.type, version: event.version) else {
            return false
        }
        if event.type.isOf(.purchase) || event.type.isOf(.refund), name == "kind" {
            return false
        }
        return !naming.contains(name) && schema.fields.contains { $0.path.first == name }
    }

    private static func target(of correction: KnownEvent) -> EventIdentity? {
        guard let source = correction.fields.value(at: ["target", "source"])?.text,
            let key = correction.fields.value(at: ["target", "key"])?.text
        else { return nil }
        return EventIdentity(source: source, key: key)
    }
}
