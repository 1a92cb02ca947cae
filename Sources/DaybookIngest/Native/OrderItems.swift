import DaybookEvents

/// A report of an order with several products, as web shops and Google Play have them.
///
/// A fact is known by its store and transaction and has one product (rule 3): two products under one id would replace
/// one another. So each item becomes an event with a transaction of its own, made of the order's id and the product:
/// ```
/// {"type":"purchase.completed", "source":{"kind":"web","key":"o-1"}, "data":{"transaction_id":"o-1", "currency":"USD",
///  "items":[{"product":"a","kind":"consumable","price_milli":990}, {"product":"b","transaction_id":"t-2",…}]}, …}
///   ↓
/// key "o-1/a"    data {"order_id":"o-1", "transaction_id":"o-1/a", "product":"a", …}
/// key "o-1/t-2"  data {"order_id":"o-1", "transaction_id":"t-2", "product":"b", …}
/// ```
/// A refund names its items in the same way, and so finds the same transactions. Both depend on nothing but the line,
/// so that the same line again has the same keys and contents.
enum OrderItems {
    /// Items of one order.
    static let countMax = 100
    /// Canonical bytes of all events of one order together: what an order says stands in the event of each item, so a
    /// line of 64 KiB could become a hundred times as much.
    static let byteCountMax = 1 << 20

    private static let types: Set<EventType> = [
        .purchaseCompleted, .purchaseRefunded, .purchaseRefundReversed, .purchaseRevoked,
        .refundRequested, .refundDeclined,
    ]
    /// What the order says once for all of its items.
    private static let orderMembers = ["items", "order_id"]
    /// Numbers of a whole order, which would count once for each item.
    private static let sums = ["quantity", "price_milli", "amount_milli"]

    /// Whether events of a type may have items.
    static func belong(to schema: EventSchema) -> Bool { types.contains(schema.type) }

    /// The events of an order, one for each item, in their order and in canonical form.
    /// - Parameter order: As it was read; its time, customer, source and whatever else it says is that of every item.
    /// - Returns: `nil`: the event is no order with items.
    /// - Throws: `EventProblem` for the first thing that is wrong, with the member `data.items[1].product`.
    static func events(of order: EventDraft) throws(EventProblem) -> [EventDraft]? {
        // Nearly no event has items, so this is asked first.
        guard let value = order.data["items"], value != .null,
            let schema = Vocabulary.schema(named: order.type, version: order.version)
        else { return nil }
        guard belong(to: schema) else {
            guard isAboutOnePurchase(schema) else { return nil }
            throw EventProblem(
                .forbidden, "data.items",
                "would be ignored: \(schema.name) is about one transaction; leave items out, and write one event for each transaction"
            )
        }
        let items = try items(in: value)
        let id = try id(of: order)
        for name in sums { try checkSum(name, of: order, schema, items) }
        var common = order
        common.data["items"] = nil
        common.data["order_id"] = .string(id)
        // An original transaction is that of one purchase.
        common.data["original_transaction_id"] = nil
        var names = Names()
        var byteCount = 0
        var events: [EventDraft] = []
        for (index, item) in items.enumerated() {
            let place = "data.items[\(index)]"
            let draft = try event(of: item, in: common, schema, place)
            try names.take(
                draft, at: index,
                item["transaction_id"]?.text == nil ? "product" : "transaction_id")
            do throws(EventProblem) {
                events.append(try EventValidator.canonical(draft, schema))
            } catch {
                throw placed(error, in: item, of: common.data, place)
            }
            byteCount += EventJSON.canonicalBytes(of: events[index]).count
            try EventProblem.require(
                byteCount <= byteCountMax, .tooLarge, "data.items",
                "\(items.count) items become more than \(byteCountMax) bytes of events, because each has all that the order says; shorten that, or send the items in several lines"
            )
        }
        return events
    }

    /// Where a transaction and a key were met first: two items under one would be one event.
    private struct Names {
        private var transactions: [ExactText: Int] = [:]
        private var keys: [ExactText: Int] = [:]

        /// - Parameter member: What names the item: `product` or `transaction_id`.
        mutating func take(
            _ draft: EventDraft, at index: Int, _ member: String
        ) throws(EventProblem) {
            let place = "data.items[\(index)].\(member)"
            let transaction = draft.data["transaction_id"]?.text ?? ""
            if let first = transactions.updateValue(index, forKey: ExactText(transaction)) {
                throw EventProblem(
                    .forbidden, place,
                    "is the transaction \"\(transaction)\" as data.items[\(first)] is; say quantity, or give each item its own transaction_id"
                )
            }
            guard let key = draft.source.key, !key.isEmpty else { return }
            if let first = keys.updateValue(index, forKey: ExactText(key)) {
                throw EventProblem(
                    .forbidden, place,
                    "gives the item the key \"\(key)\" as data.items[\(first)] has it; give each item its own transaction_id"
                )
            }
        }
    }

    /// Whether an event is about one transaction or lineage, so that a list of several would change nothing.
    private static func isAboutOnePurchase(_ schema: EventSchema) -> Bool {
        switch schema.routing {
        case .lineage, .purchase, .transfer: true
        case .customer, .ledger: schema.field("transaction_id") != nil
        }
    }

    private static func items(in value: JSONValue) throws(EventProblem) -> [JSONObject] {
        guard let values = value.array else {
            throw EventProblem(
                .wrongType, "data.items", "must be a list of items, not \(value.kindName)")
        }
        try EventProblem.require(
            (1...countMax).contains(values.count), .outOfBounds, "data.items",
            "has \(values.count) items; an order has 1 to \(countMax), and a purchase of one product needs none"
        )
        return try values.enumerated().map { (index, value) throws(EventProblem) in
            let place = "data.items[\(index)]"
            guard let item = value.object else {
                throw EventProblem(.wrongType, place, "must be an object, not \(value.kindName)")
            }
            for name in orderMembers where item[name] != nil {
                throw EventProblem(
                    .forbidden, "\(place).\(name)", "stands with the order, not with an item")
            }
            return item
        }
    }

    private static func id(of order: EventDraft) throws(EventProblem) -> String {
        for name in ["order_id", "transaction_id"] {
            if let id = try text(name, of: order.data, "data") { return id }
        }
        throw EventProblem(
            .missingField, "data.order_id", "an order with items needs order_id or transaction_id")
    }

    /// What the order says of all of its items together is never that of one of several. It may stand beside what each
    /// item says for itself, where the two agree: of what is dropped nothing is lost.
    private static func checkSum(
        _ name: String, of order: EventDraft, _ schema: EventSchema, _ items: [JSONObject]
    ) throws(EventProblem) {
        guard let value = order.data[name], value != .null else { return }
        guard let sum = value.integer else {
            // What no answer reads may be anything.
            if schema.field(name) == nil { return }
            throw EventProblem(
                .wrongType, "data.\(name)", "must be an integer, not \(value.kindName)")
        }
        guard items.allSatisfy({ $0[name] != nil }) else {
            // No money is no money for each of them.
            if items.count == 1 || (sum == 0 && name != "quantity") { return }
            throw EventProblem(
                .forbidden, "data.\(name)",
                "would count for each item that has none; give every item its own \(name)")
        }
        // An item's own number that is none is refused with the item.
        guard items.allSatisfy({ $0[name]?.integer != nil || $0[name] == .null }) else { return }
        let total = total(name, items, order.data["quantity"]?.integer)
        guard total != sum else { return }
        let told = total.map { "\($0)" } ?? "more than any number"
        throw EventProblem(
            .forbidden, "data.\(name)",
            "is \(sum), and the items come to \(told); only what the items say is recorded, so correct it or leave it out"
        )
    }

    /// The sum over the items; of prices, which are those of one piece, times the quantity.
    /// - Parameter quantity: Of an item that does not say its own.
    /// - Returns: `nil`: more than a number holds.
    private static func total(
        _ name: String, _ items: [JSONObject], _ quantity: Int64?
    ) -> Int64? {
        var total: Int64 = 0
        for item in items {
            // Nothing said is one piece, and no money.
            let own = item[name]?.integer ?? (name == "quantity" ? 1 : 0)
            let count = item["quantity"] == nil ? quantity : item["quantity"]?.integer
            let (product, isOver) = own.multipliedReportingOverflow(
                by: name == "price_milli" ? count ?? 1 : 1)
            let (sum, isSumOver) = total.addingReportingOverflow(product)
            if isOver || isSumOver { return nil }
            total = sum
        }
        return total
    }

    private static func event(
        of item: JSONObject, in order: EventDraft, _ schema: EventSchema, _ place: String
    ) throws(EventProblem) -> EventDraft {
        let product = try text("product", of: item, place)
        let own = try text("transaction_id", of: item, place)
        guard let name = own ?? product else {
            throw EventProblem(
                .missingField, "\(place).product", "an item needs product, or transaction_id")
        }
        var draft = order
        draft.data = draft.data.adding(item)
        let id = order.data["order_id"]?.text ?? ""
        draft.data["transaction_id"] = .string(own ?? "\(id)/\(name)")
        // Where a type has no product, the item names it for its transaction alone.
        if schema.field("product") == nil { draft.data["product"] = nil }
        // Without a key, or with an empty one, it is refused or named after its bytes like any other.
        if let key = draft.source.key, !key.isEmpty { draft.source.key = "\(key)/\(name)" }
        return draft
    }

    /// A text that is not empty; `nil` where it is left out.
    private static func text(
        _ name: String, of object: JSONObject, _ place: String
    ) throws(EventProblem) -> String? {
        guard let value = object[name], value != .null else { return nil }
        guard let text = value.text, !text.isEmpty else {
            throw EventProblem(
                .wrongType, "\(place).\(name)",
                value.text == nil ? "must be text, not \(value.kindName)" : "must not be empty")
        }
        return text
    }

    /// What is wrong with an event, where the line says it: with the item, or with the order that says it for all.
    private static func placed(
        _ problem: EventProblem, in item: JSONObject, of order: JSONObject, _ place: String
    ) -> EventProblem {
        guard problem.member.hasPrefix("data.") else { return problem }
        let path = problem.member.dropFirst("data.".count)
        let name = String(path.prefix { $0 != "." && $0 != "[" })
        let isOrders =
            item[name] == nil && order[name] != nil && name != "transaction_id"
        return isOrders ? problem : EventProblem(problem.code, "\(place).\(path)", problem.reason)
    }
}
