import DaybookEvents
import Testing

@Suite("Vocabulary")
struct VocabularyTests {
    /// Every field that is a word of a list kept in the flags.
    static let wordFields:
        [(schema: EventSchema, field: EventField, words: [EventWord], width: UInt8)] =
            Vocabulary.schemas.flatMap { schema in
                schema.fields.compactMap { field in
                    guard case .word(let words) = field.kind, case .flags(_, let width) = field.slot
                    else { return nil }
                    return (schema, field, words, width)
                }
            }

    @Test("Every list of words leaves a number for words that are not in it")
    func width() {
        #expect(Self.wordFields.count > 20)
        for (schema, field, words, width) in Self.wordFields {
            #expect(words.count < (1 << Int(width)) - 1, "\(schema.name) \(field.name)")
        }
    }

    static func event(_ type: String, _ data: JSONObject) -> Event {
        var names = NameTable()
        return EventEncoder.row(EventRowTests.draft(type, data: data), names: &names).event
    }

    @Test(
        "What folds read of a word is its place in the list, and all ones for any other word",
        arguments: [
            ("purchase.completed", "kind", "purchaseKind"),
            ("purchase.refunded", "kind", "purchaseKind"),
            ("purchase.refunded", "type", "refundType"),
            ("store.transaction_stated", "revocation_type", "revocationType"),
            ("subscription.product_changed", "effective", "productChange"),
            ("subscription.price_increase", "status", "priceStatus"),
            ("usage.reset", "trigger", "resetTrigger"),
            ("debug.override_set", "kind", "overrideKind"),
            ("catalog.published", "applies_to", "catalogScope"),
            ("subscription.started", "offer.type", "offerType"),
            ("subscription.started", "offer.discount", "offerDiscount"),
        ])
    func accessors(_ type: String, _ field: String, _ accessor: String) throws {
        let entry = try #require(
            Self.wordFields.first { $0.schema.name == type && $0.field.name == field })
        func read(_ word: JSONValue?) -> UInt8 {
            var data = JSONObject()
            let path = entry.field.path
            if let word {
                data = path.count == 1 ? [path[0]: word] : [path[0]: .object([path[1]: word])]
            }
            let event = Self.event(type, data)
            return switch accessor {
            case "purchaseKind": event.purchaseKind
            case "refundType": event.refundType
            case "revocationType": event.revocationType
            case "productChange": event.productChange
            case "priceStatus": event.priceStatus
            case "resetTrigger": event.resetTrigger
            case "overrideKind": event.overrideKind
            case "catalogScope": event.catalogScope?.rawValue ?? UInt8(event.bits(0, 3))
            case "offerType": event.offerType
            default: event.offerDiscount
            }
        }
        #expect(read(nil) == 0)
        for (index, word) in entry.words.enumerated() {
            for spelling in [word.name] + word.spellings {
                #expect(read(.string(spelling)) == UInt8(index + 1), "\(spelling)")
            }
        }
        #expect(read("a word from tomorrow") == UInt8(1 << Int(entry.width)) - 1)
    }

    @Test("Slots have paths of their own, none of which begins another")
    func paths() {
        for schema in Vocabulary.schemas {
            let paths = schema.fields.filter { $0.slot != nil }.map(\.path)
            for (index, path) in paths.enumerated() {
                for other in paths[(index + 1)...] {
                    let isPart = other.starts(with: path) || path.starts(with: other)
                    #expect(!isPart, "\(schema.name): \(path), \(other)")
                }
            }
        }
    }

    @Test("An account token is told from a revocation that is none of the list")
    func token() {
        let stated = Self.event("store.transaction_stated", ["revocation_type": "tomorrow's"])
        #expect(stated.accountToken == 0)
        let named = Self.event("store.transaction_stated", ["app_account_token": "ada"])
        #expect(named.accountToken != 0)
        #expect(named.revocationType == 0)
    }

    @Test("A reset under a word that is not in the list is neither scheduled nor decided")
    func resets() {
        func reset(_ trigger: String) -> Event {
            Self.event("usage.reset", ["meter": "m", "trigger": .string(trigger)])
        }
        #expect(reset("scheduled").isScheduledReset && !reset("scheduled").isDecidedReset)
        for trigger in ["manual", "plan_change"] { #expect(reset(trigger).isDecidedReset) }
        #expect(!reset("lunar").isScheduledReset && !reset("lunar").isDecidedReset)
    }

    @Test(
        "What follows a consumable goes where the consumable is, under every spelling of its kind",
        arguments: [
            "purchase.completed", "purchase.refunded", "purchase.refund_reversed",
            "purchase.revoked", "refund.requested", "refund.declined",
        ])
    func consumables(_ type: String) throws {
        func stream(_ kind: JSONValue?) throws -> StreamName {
            var data: JSONObject = [
                "transaction_id": "77", "revoked_at": 1, "product": "p", "price_milli": 1,
                "currency": "USD",
            ]
            data["kind"] = kind
            return EventRouter.stream(
                of: try EventValidator.canonical(EventRowTests.draft(type, data: data)))
        }
        let lineage = StreamName(.production, .lineage, "apple:77")
        for kind in [
            "consumable", "Consumable", "non_consumable", "Non-Consumable",
            "Auto-Renewable Subscription",
        ] {
            #expect(try stream(.string(kind)) == lineage)
        }
        if type != "purchase.completed" { #expect(try stream(nil) == lineage) }
    }

    @Test("A consumable is a lineage by itself, whatever the store calls its original transaction")
    func ownLineage() throws {
        var names = NameTable()
        for (kind, name) in [("consumable", "apple:78"), ("non_consumable", "apple:77")] {
            let draft = try EventValidator.canonical(
                EventRowTests.draft(
                    "purchase.completed",
                    data: [
                        "transaction_id": "78", "original_transaction_id": "77", "product": "p",
                        "price_milli": 1, "currency": "USD", "kind": .string(kind),
                    ]))
            let stream = EventRouter.stream(of: draft)
            #expect(stream.name == name)
            // What the stream's name does not say stays in the row.
            let row = EventEncoder.row(draft, names: &names)
            let read = try EventDecoder.recorded(row, stream: stream, names: names).draft
            #expect(EventJSON.canonicalBytes(of: read) == EventJSON.canonicalBytes(of: draft))
        }
    }

    @Test("A claim names a customer, and no client may make one")
    func claims() throws {
        var claim = EventRowTests.draft("purchase.claimed", data: ["transaction_id": "77"])
        #expect(EventRouter.stream(of: try EventValidator.canonical(claim)).name == "apple:77")
        claim.trust = .clientAsserted
        #expect(throws: EventProblem.self) { try EventValidator.canonical(claim) }
        claim.trust = .imported
        claim.subject = nil
        #expect(throws: EventProblem.self) { try EventValidator.canonical(claim) }
    }

    @Test("A field that is a time in one type is a time in every type: a patch is read by its name")
    func times() {
        let fields = Vocabulary.schemas.flatMap { schema in
            schema.fields.map { (schema: schema, field: $0) }
        }
        let times = Set(fields.filter { $0.field.kind == .time }.map(\.field.name))
        #expect(times.contains("starts_at"))
        for (schema, field) in fields where times.contains(field.name) {
            #expect(field.kind == .time, "\(schema.name).v\(schema.version) \(field.name)")
        }
    }
}
