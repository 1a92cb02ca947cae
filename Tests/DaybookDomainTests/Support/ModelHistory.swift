import DaybookDomain
import DaybookEvents
import DaybookTesting
import Testing

/// A ledger in a list, for hand-computed answers of the reference model.
struct ModelHistory {
    var catalog: Catalog
    var environment = Environment.production
    var events: [RecordedEvent] = []
    var later: [(effectiveAt: Int64, scope: CatalogScope, catalog: Catalog)] = []

    static let start: Int64 = 1_767_225_600_000
    static func day(_ count: Int64) -> Int64 { start + count * 86_400_000 }
    static func hour(_ count: Int64) -> Int64 { start + count * 3_600_000 }

    init(_ catalog: Catalog) { self.catalog = catalog }

    /// Adds one event of `ada`, validated as the ledger would.
    mutating func add(
        _ type: String, at: Int64, _ fields: JSONObject, key: String? = nil,
        subject: String? = "ada", profile: String? = nil, trust: Trust = .verified,
        signedAt: Int64? = nil
    ) throws {
        let draft = try EventValidator.canonical(
            EventDraft(
                type: EventTypeName(rawValue: type), environment: environment, subject: subject,
                profile: profile,
                occurredAt: at,
                source: EventSource(
                    kind: "native", key: key ?? "k\(events.count)", signedAt: signedAt),
                trust: trust, data: fields))
        events.append(
            RecordedEvent(
                position: Int64(events.count) + 2, streamVersion: 1, recordedAt: at,
                stream: EventRouter.stream(of: draft), draft: draft))
    }

    mutating func use(_ meter: String, _ amount: Int64, at: Int64, ref: String? = nil) throws {
        var fields: JSONObject = ["meter": .string(meter), "amount": .integer(amount)]
        fields["ref"] = ref.map(JSONValue.string)
        try add("usage.recorded", at: at, fields, trust: .imported)
    }

    mutating func grant(_ id: String, _ amount: Int64, at: Int64, _ more: JSONObject = [:]) throws {
        var fields: JSONObject = [
            "grant_id": .string(id), "meter": "units", "amount": .integer(amount),
            "starts_at": .integer(at), "reason": "support",
        ]
        for member in more.members { fields[member.name] = member.value }
        try add("grant.issued", at: at, fields, trust: .admin)
    }

    mutating func charge(
        _ transaction: String, from: Int64, to: Int64, _ more: JSONObject = [:],
        product: String = "com.nestling.pro.monthly", trust: Trust = .verified
    ) throws {
        var fields: JSONObject = [
            "product": .string(product), "original_transaction_id": "1",
            "transaction_id": .string(transaction), "starts_at": .integer(from),
            "expires_at": .integer(to), "price_milli": 5990, "currency": "USD",
        ]
        for member in more.members { fields[member.name] = member.value }
        try add("subscription.renewed", at: from, fields, trust: trust)
    }

    func answer(
        at: Int64, cut: Int64 = Int64.max, subject: String = "ada"
    ) -> ReferenceAnswer {
        model.answer(subject: subject, environment: environment, at: at, cut: cut)
    }

    var model: ReferenceModel {
        var catalogs = [
            (
                position: Int64(1), effectiveAt: Self.start, scope: CatalogScope.all,
                document: "1", catalog: catalog
            )
        ]
        for (index, next) in later.enumerated() {
            catalogs.append(
                (
                    position: Int64(1000 + index), effectiveAt: next.effectiveAt, scope: next.scope,
                    document: "\(index + 2)", catalog: next.catalog
                ))
        }
        return ReferenceModel(events: events, catalogs: catalogs) { name in
            CalendarFixtures.everyZone.first { $0.name == name }
        }
    }

    /// One lifetime counter `units` without a free quota.
    static func units(limit: Int64 = 0, allowsDebt: Bool = false) -> ModelHistory {
        var catalog = Catalog(app: "test")
        var meter = Meter(name: "units", kind: .counter)
        meter.limit = limit
        meter.allowsDebt = allowsDebt
        catalog.meters = [meter]
        var pack = Product(id: "pack", kind: .consumable)
        pack.credits = Credits(meter: "units", amount: 10)
        catalog.products = [pack]
        return ModelHistory(catalog)
    }

    static func app(_ name: String) throws -> ModelHistory {
        ModelHistory(try CatalogSamples.catalog(ofApp: name))
    }
}
