import DaybookDomain
import DaybookEvents

/// One purchase of a subscriber document, with what all purchases say.
struct RevenueCatSubscriberPurchase {
    /// Two dates of one purchase may differ by as much: stores date the charge and the first of it a moment apart.
    private static let firstMilliseconds: Int64 = 60_000

    var fields: RevenueCatFields
    /// As webhooks name it: at Google Play with the base plan behind a colon.
    let product: String
    /// As the document names it.
    let name: String
    /// The first part of the lineage's name; `nil`: the document does not say, which is Apple's.
    let store: String?
    let transaction: String
    /// Whether the store's own transaction stands in the document.
    let isTransactionKnown: Bool
    /// The lineage, where the document or the transaction tells of it.
    let original: String?
    let startsAt: Int64
    /// When the product was bought first; `nil` where the document does not say.
    let firstBoughtAt: Int64?
    /// Members whose times were cut to milliseconds.
    private(set) var cut: [String] = []

    var isPromotional: Bool {
        store == "promotional" || name.hasPrefix(Self.promotionalPrefix)
    }
    static let promotionalPrefix = "rc_promo_"

    /// Whether it is the first period of its product, so that its transaction is the original one.
    var isFirst: Bool {
        firstBoughtAt.map { abs(startsAt - $0) <= Self.firstMilliseconds } ?? false
    }

    init(
        _ given: RevenueCatFields, _ name: String, of subject: String
    ) throws(EventProblem) {
        fields = given
        self.name = name
        store = try fields.text("store").map(RevenueCatMapping.store)
        let plan = try fields.text("product_plan_identifier")
        product = plan.map { name.hasSuffix(":\($0)") ? name : "\(name):\($0)" } ?? name
        guard let start = try fields.moment("purchase_date") else {
            throw fields.missing("purchase_date", "a purchase has a time")
        }
        startsAt = start.at
        let first = try fields.moment("original_purchase_date")
        firstBoughtAt = first?.at
        let stated = try fields.text("store_transaction_id")
        isTransactionKnown = stated != nil
        let id = try fields.peek("id")
        transaction =
            stated
            ?? Self.standIn(id ?? "\(subject)/\(product)/\(start.at)", isID: id != nil)
        let original = try fields.text("original_transaction_id")
        self.original = original ?? Self.order(of: stated, store)
        if start.isCut { cut.append("purchase_date") }
        if first?.isCut == true { cut.append("original_purchase_date") }
    }

    /// RevenueCat's own id of the purchase, or what tells it from every other.
    private static func standIn(_ text: String, isID: Bool) -> String {
        if isID { return EventSource.boundedKey("revenuecat:\(text)") }
        let digest = Digest.hexadecimal(Digest.sha256(Array(text.utf8)).prefix(16))
        return "revenuecat:\(digest)"
    }

    /// Google Play numbers the renewals of an order behind two points: `GPA.1-2-3..4` is the fifth of `GPA.1-2-3`.
    private static func order(of transaction: String?, _ store: String?) -> String? {
        guard store == "google", let transaction else { return nil }
        guard let points = transaction.firstRange(of: "..") else { return transaction }
        return String(transaction[..<points.lowerBound])
    }

    /// A time of the purchase; what is cut is noted.
    mutating func moment(_ member: String) throws(EventProblem) -> Int64? {
        guard let moment = try fields.moment(member) else { return nil }
        if moment.isCut { cut.append(member) }
        return moment.at
    }

    /// The lineage and the transaction, as an event has them.
    var lineage: JSONObject {
        var data: JSONObject = ["transaction_id": .string(transaction)]
        data["original_transaction_id"] = original.map(JSONValue.string)
        data["store"] = store.map(JSONValue.string)
        return data
    }

    /// `apple:2000000123`, for keys; every event of the purchase has it.
    var keyPart: String { "\(store ?? "apple"):\(transaction)" }

    /// A digest of what the document states of the purchase itself: another one is another statement.
    var statement: String {
        var stated: JSONObject = ["product": .string(name)]
        for name in Self.stated {
            stated[name] = fields.event[name] == .null ? nil : fields.event[name]
        }
        return Digest.hexadecimal(Digest.sha256(stated.canonicalBytes).prefix(8))
    }

    private static let stated = [
        "expires_date", "original_purchase_date", "original_transaction_id", "ownership_type",
        "period_type", "price", "product_plan_identifier", "purchase_date", "store",
    ]

    /// What the vocabulary objects to, under the name that the document has for it.
    func inItsWords(_ problem: EventProblem) -> EventProblem {
        let names = [
            "occurred_at": "purchase_date", "data.transaction_id": "store_transaction_id",
            "data.grant_id": "store_transaction_id", "data.starts_at": "purchase_date",
            "data.original_transaction_id": "original_transaction_id",
            "data.expires_at": "expires_date", "data.price_milli": "price",
            "data.currency": "price", "data.revoked_at": "refunded_at",
            "data.voided_at": "refunded_at", "data.resume_at": "auto_resume_date",
            "data.grace_expires_at": "grace_period_expires_date",
        ]
        guard let name = names[problem.member] else {
            return EventProblem(problem.code, fields.path, problem.reason)
        }
        return EventProblem(problem.code, fields.place(of: name), problem.reason)
    }
}
