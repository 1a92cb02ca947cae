import DaybookDomain
import DaybookEvents
import DaybookTesting

/// A decision without a ledger: what happened, a command, and what it comes to.
///
/// ```swift
/// try Scenario().given(.used("stories", at: Scenario.now - 1, ref: "s1"))
///     .when(.consume(meter: "stories", amount: 3, ref: "s2")).rejection
/// ```
struct Scenario {
    /// 2026-03-01T12:00:00Z.
    static let now: Int64 = 1_772_366_400_000
    static let document = """
        app: scenario
        groups: [club]
        products:
          club.monthly: { kind: autoRenewable, group: club, period: P1M, entitlements: [club] }
          dog: { kind: nonConsumable, scope: profile, profileKind: puppy, entitlements: [dog] }
          forever: { kind: nonConsumable, entitlements: [club] }
        entitlements:
          club: [voices]
          dog: [logs]
        features:
          voices:
          logs:
        meters:
          stories: { kind: counter, limit: 3 }
          tales: { kind: counter, limit: 2, requires: voices }
          groups: { kind: gauge, limit: 2 }
          history: { kind: window, limit: 7 }
          weight: { kind: reading, limit: 100 }
          kids: { kind: gauge, limit: 1, countsProfiles: child }
          chores: { kind: counter, limit: 9, withinGauge: kids }
        experiments:
          price: { variants: { regular: 1, lower: 1 } }
        promotions:
          reviewers: { entitlement: club, codes: 5, until: 2026-03-01T12:00:00Z }
          breeders: { entitlement: dog, scope: profile, codes: 5 }
        policies:
          reassignmentsMax: 1

        """

    private var catalog: Catalog?
    private var drafts: [EventDraft] = []
    private(set) var now = Self.now
    /// Every id that is the customer's, and the one of them under which the customer is shown.
    var person = ["ada"]
    var shown = "ada"
    var links: [AliasLink] = []
    var lineage: LineageCase?
    var promotion: PromotionCase?

    /// - Parameter document: `nil`: no catalog was published.
    init(_ document: String? = Self.document) throws {
        catalog = try document.map { try CatalogReader.read(Array($0.utf8)) }
    }

    /// What happened, in any order.
    func given(_ drafts: EventDraft...) -> Scenario { given(drafts) }

    func given(_ drafts: [EventDraft]) -> Scenario {
        var scenario = self
        scenario.drafts += drafts
        return scenario
    }

    /// Decided at another time.
    func at(_ now: Int64) -> Scenario {
        var scenario = self
        scenario.now = now
        return scenario
    }

    /// With what the ledger knows besides the customer's own events.
    func with(_ change: (inout Scenario) -> Void) -> Scenario {
        var scenario = self
        change(&scenario)
        return scenario
    }

    func when(
        _ command: Command, profile: String? = nil, environment: Environment = .production,
        reason: String? = nil
    ) throws -> Verdict {
        let request = CommandRequest(
            command, subject: "ada", environment: environment, key: "key", profile: profile,
            reason: reason)
        return Decider(
            try customer(environment), request, now: now, recordedAt: now, key: "key",
            zoneExists: { $0 == "UTC" }, person: person, links: links, lineage: lineage,
            promotion: promotion
        ).decide()
    }

    // MARK: The case that is decided upon

    private func customer(_ environment: Environment) throws -> CustomerCase {
        var names = NameTable()
        var streams: [StreamName: [OrderedEvent]] = [:]
        for (index, draft) in drafts.enumerated() {
            let canonical = try EventValidator.canonical(draft)
            var event = EventEncoder.row(canonical, names: &names).event
            event.position = Int64(index + 2)
            streams[EventRouter.stream(of: canonical), default: []].append(
                OrderedEvent(event: event, key: canonical.source.key ?? ""))
        }
        var customer = AggregateState(kind: .customer)
        var owned: [CustomerCase.OwnedLineage] = []
        for (stream, var events) in streams {
            OrderedEvent.sort(&events, names: names)
            var state = AggregateState(kind: stream.kind)
            for ordered in events { state.evolve(ordered.event, names: names) }
            if stream.kind == .customer {
                customer = state
            } else {
                owned.append(
                    .init(
                        name: stream.name, folded: SharedAggregate(state), stretches: [.init()]))
            }
        }
        var catalogs = CatalogHistory()
        if let catalog {
            catalogs.publish(
                CatalogVersion(
                    version: 1, effectiveAt: 0, scope: .all, position: 1, catalog: catalog,
                    documentDigest: ""))
        }
        return CustomerCase(
            environment: environment, subject: shown, isKnown: !drafts.isEmpty,
            folded: SharedAggregate(customer),
            lineages: owned.sorted { precedesInBytes($0.name, $1.name) }, lineagesOfOthers: [],
            catalogs: catalogs, zones: ZoneSet(), names: names, at: now)
    }
}

// What happens in many of them.
extension Scenario {
    static func used(_ count: Int, _ meter: String = "stories") -> [EventDraft] {
        (0..<count).map { .used(meter, at: now - 100 + Int64($0), ref: "s\($0)") }
    }

    static func reserved(
        _ amount: Int64 = 1, until end: Int64 = now + 10, id: String = "r"
    ) -> EventDraft {
        .reported(
            .usageReserved, at: now - 50, key: "reserve/\(id)",
            [
                "reservation_id": .string(id), "meter": "stories", "amount": .integer(amount),
                "expires_at": .integer(end),
            ])
    }

    static func profile(_ name: String, _ kind: String = "puppy") -> EventDraft {
        .reported(
            .profileCreated, at: now - 90, key: "create/\(name)",
            ["profile": .string(name), "kind": .string(kind)])
    }

    static func bought(_ product: String, _ id: String, shared: Bool = false) -> EventDraft {
        LineageFixture(id, product: product).event(
            .purchaseCompleted, at: now - 80,
            [
                "product": .string(product), "kind": "non_consumable",
                "transaction_id": .string(id), "price_milli": 19_000, "currency": "EUR",
                "ownership": shared ? "family_shared" : "purchased",
            ])
    }

    static func assigned(_ id: String, _ profile: String, at: Int64, isEnd: Bool = false)
        -> EventDraft
    {
        .reported(
            isEnd ? .purchaseUnassigned : .purchaseAssigned, at: at, key: "\(profile)/\(at)",
            ["transaction_id": .string(id), "profile": .string(profile)])
    }

    static func consume(_ amount: Int64, _ meter: String = "stories", ref: String? = "new")
        -> Command
    {
        .consume(meter: meter, amount: amount, ref: ref)
    }
}
