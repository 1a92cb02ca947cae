import DaybookEvents
import Testing

@Suite("Which sources may state which events")
struct TrustTests {
    private static func draft(
        _ type: String, _ data: JSONObject, trust: Trust, environment: Environment = .production
    ) -> EventDraft {
        EventDraft(
            type: EventTypeName(rawValue: type), environment: environment, subject: "ada",
            occurredAt: 1,
            source: EventSource(kind: "native", key: "k"), trust: trust, data: data)
    }

    private static let target: JSONObject = [
        "target": ["source": "native", "key": "x"], "reason": "r", "patch": ["amount": 1],
    ]

    static let policies: [(String, JSONObject)] = [
        ("correction.voided", target), ("correction.amended", target),
        (
            "grant.issued",
            ["grant_id": "g", "entitlement": "premium", "starts_at": 1, "reason": "promo"]
        ),
        ("grant.voided", ["grant_id": "g", "voided_at": 1]),
        ("usage.reset", ["meter": "m", "period_start": 1, "effective_at": 1]),
        ("usage.reversed", ["target": "x"]),
        ("purchase.transferred", ["from": "ada", "to": "bob"]),
        ("purchase.assigned", ["transaction_id": "1", "profile": "rex"]),
        ("purchase.unassigned", ["transaction_id": "1"]),
        ("subject.aliased", ["alias": "ada", "canonical": "bob"]),
        ("subject.unaliased", ["alias": "ada"]), ("subject.erased", ["key_id": "k"]),
        (
            "catalog.published",
            ["version": 1, "effective_at": 1, "applies_to": "all", "document_sha256": "d"]
        ),
    ]

    static let debug: [(String, JSONObject)] = [
        (
            "debug.override_set",
            ["kind": "force_entitlement", "expires_at": 9, "actor": "developer"]
        ),
        ("debug.override_cleared", [:]), ("clock.advanced", ["virtual_now": 9]),
    ]

    @Test("A client may not assert what gives, takes back or joins IDs", arguments: policies)
    func clientAsserted(_ type: String, _ data: JSONObject) throws {
        for trust in [Trust.verified, .imported, .admin, .system] {
            _ = try EventValidator.canonical(Self.draft(type, data, trust: trust))
        }
        #expect {
            try EventValidator.canonical(Self.draft(type, data, trust: .clientAsserted))
        } throws: {
            let problem = $0 as? EventProblem
            return problem?.code == .forbidden && problem?.member == "trust"
                && problem?.reason.contains(type) == true
        }
    }

    @Test("A client may tell of its own purchases, usage, profiles, gates and screens")
    func ownFacts() throws {
        let purchase: JSONObject = [
            "product": "p", "kind": "non_consumable", "transaction_id": "1", "price_milli": 1,
            "currency": "EUR",
        ]
        let facts: [(String, JSONObject)] = [
            ("purchase.completed", purchase), ("usage.recorded", ["meter": "m", "amount": 1]),
            ("profile.created", ["profile": "rex", "kind": "puppy"]),
            ("access.denied", ["feature": "f", "reason_code": "limit_reached"]),
            ("paywall.shown", ["context": "settings"]), ("subject.tz_changed", ["tz": "UTC"]),
        ]
        for (type, data) in facts {
            _ = try EventValidator.canonical(Self.draft(type, data, trust: .clientAsserted))
        }
    }

    @Test("Debug events are refused in production whatever their source", arguments: debug)
    func debugInProduction(_ type: String, _ data: JSONObject) throws {
        for trust in Trust.allCases {
            #expect(throws: EventProblem.self) {
                try EventValidator.canonical(Self.draft(type, data, trust: trust))
            }
        }
        for trust in [Trust.debug, .imported, .admin] {
            _ = try EventValidator.canonical(
                Self.draft(type, data, trust: trust, environment: .sandbox))
        }
        #expect(throws: EventProblem.self) {
            try EventValidator.canonical(
                Self.draft(type, data, trust: .clientAsserted, environment: .sandbox))
        }
    }
}

@Suite("Bounds of what is bought and given")
struct QuantityTests {
    private static let purchase: JSONObject = [
        "product": "p", "kind": "consumable", "transaction_id": "1", "price_milli": 1,
        "currency": "EUR",
    ]
    private static let grant: JSONObject = ["grant_id": "g", "meter": "m", "starts_at": 1]
    private static let reservation: JSONObject = [
        "reservation_id": "r", "meter": "m", "expires_at": 9,
    ]

    private static func code(_ type: String, _ data: JSONObject) -> EventProblem.Code? {
        do {
            _ = try EventValidator.canonical(
                EventDraft(
                    type: EventTypeName(rawValue: type), subject: "ada", occurredAt: 1,
                    source: EventSource(kind: "native", key: "k"), trust: .imported, data: data))
            return nil
        } catch {
            return error.code
        }
    }

    private static func with(_ data: JSONObject, _ name: String, _ value: JSONValue) -> JSONObject {
        var data = data
        data[name] = value
        return data
    }

    @Test("Nothing of what is bought, given or set aside is negative or beyond all bounds")
    func bounds() {
        let refund: JSONObject = ["transaction_id": "1", "revoked_at": 1]
        let cases: [(String, JSONObject, String, ClosedRange<Int64>)] = [
            ("purchase.completed", Self.purchase, "quantity", 1...1_000_000_000),
            ("purchase.refunded", refund, "pct_milli", 0...100_000),
            ("grant.issued", Self.grant, "amount", 0...1_000_000_000),
            ("usage.reserved", Self.reservation, "amount", 1...1_000_000_000),
            ("usage.committed", ["reservation_id": "r"], "amount", 1...1_000_000_000),
        ]
        for (type, data, field, range) in cases {
            for value in [range.lowerBound, range.upperBound] {
                #expect(Self.code(type, Self.with(data, field, .integer(value))) == nil)
            }
            for value in [range.lowerBound - 1, -3, range.upperBound + 1, Int64.min, Int64.max] {
                #expect(
                    Self.code(type, Self.with(data, field, .integer(value))) == .outOfBounds,
                    "\(type) \(field) \(value)")
            }
        }
        let rollover = Self.with(Self.grant, "rollover", ["max": -1, "min": 0])
        #expect(Self.code("grant.issued", Self.with(rollover, "amount", 1)) == .outOfBounds)
    }

    @Test("A grant of a meter says how much, or that it is unlimited")
    func unlimited() {
        #expect(Self.code("grant.issued", Self.grant) == .missingField)
        let unlimited = { Self.with(Self.grant, "unlimited", .bool($0)) }
        #expect(Self.code("grant.issued", unlimited(false)) == .missingField)
        #expect(Self.code("grant.issued", unlimited(true)) == nil)
        #expect(Self.code("grant.issued", Self.with(unlimited(false), "amount", 3)) == nil)
        #expect(
            Self.code(
                "grant.issued", ["grant_id": "g", "entitlement": "premium", "starts_at": 1]) == nil)
    }
}

@Suite("Amendments of one event")
struct EventAmendmentTests {
    private static func draft(
        _ type: String, _ data: JSONObject, trust: Trust = .imported
    ) -> EventDraft {
        EventDraft(
            type: EventTypeName(rawValue: type), subject: "ada", occurredAt: 1,
            source: EventSource(kind: "native", key: "k"), trust: trust, data: data)
    }
    private static let use = draft(
        "usage.recorded", ["meter": "m", "amount": 1, "ref": "s", "covered_by": "premium"])
    private static let refund = draft(
        "purchase.refunded",
        ["transaction_id": "1", "original_transaction_id": "1", "revoked_at": 5, "type": "full"])

    private static func code(_ draft: EventDraft, _ patch: JSONObject) -> EventProblem.Code? {
        do {
            _ = try draft.amending(by: patch)
            return nil
        } catch {
            return error.code
        }
    }

    @Test("A patch replaces and removes fields, and obeys the schema and the bounds")
    func fields() throws {
        let amended = try Self.use.amending(by: ["amount": 2, "covered_by": nil])
        #expect(amended.data == ["meter": "m", "amount": 2, "ref": "s"])
        #expect(Self.code(Self.use, ["amount": 99_999_999_999]) == .outOfBounds)
        #expect(Self.code(Self.use, ["amount": .integer(Int64.min)]) == .outOfBounds)
        #expect(Self.code(Self.use, ["amount": "hello"]) == .wrongType)
        #expect(Self.code(Self.use, ["amount": nil]) == .missingField)
        #expect(Self.code(Self.use, ["colour": "red"]) == .unknownName)
        // A field of the data may have the name of an envelope's member.
        #expect(Self.code(Self.refund, ["type": "prorated"]) == nil)
    }

    @Test("An event's identity, stream and customer cannot be amended")
    func naming() {
        for field in [
            "key", "type", "occurred_at", "subject", "profile", "source", "trust", "environment",
        ] {
            #expect(Self.code(Self.use, JSONObject([.init(name: field, value: "x")])) == .forbidden)
        }
        for field in ["transaction_id", "original_transaction_id", "store", "kind"] {
            let patch = JSONObject([.init(name: field, value: "x")])
            #expect(Self.code(Self.refund, patch) == .forbidden, "\(field)")
        }
        let alias = Self.draft("subject.aliased", ["alias": "a", "canonical": "b"])
        #expect(Self.code(alias, ["canonical": "c"]) == .forbidden)
    }

    @Test("A signed fact and an unknown type cannot be amended")
    func others() {
        #expect(
            Self.code(Self.draft("usage.recorded", Self.use.data, trust: .verified), ["amount": 2])
                == .forbidden)
        #expect(Self.code(Self.draft("moon.rose", ["amount": 1]), ["amount": 2]) == .forbidden)
        #expect(Self.use.amended(by: ["amount": -1_000_000_001]) == nil)
    }
}
