package import DaybookDomain
package import DaybookEvents

/// Something that a store sold, while its events are being invented.
package struct InventedSale: Sendable {
    /// The original transaction.
    package let lineage: String
    /// What was bought, at last.
    package var product: Product
    /// Whether what the store says of it names the customer.
    package let isNamed: Bool
    /// How far its charges are believed.
    package var trust = Trust.verified
    /// Whether it is shared in a family.
    package var isShared = false
    /// The newest transaction.
    package var transaction: String
    /// When the newest transaction begins.
    package var start: Int64
    /// Exclusive; the greatest number: never.
    package var end = Int64.max
    /// Whether the newest transaction is a free trial.
    package var isTrial = false
    /// Outside of a trial.
    package var priceMilli: Int64 = 4_990

    /// Bought at a time, for ever and outside of any trial until something else is said.
    package init(lineage: String, product: Product, isNamed: Bool, start: Int64) {
        self.lineage = lineage
        self.product = product
        self.isNamed = isNamed
        transaction = lineage
        self.start = start
    }

    /// Begins the next transaction, which is paid for.
    /// - Parameters:
    ///   - number: Tells it from every other one of the lineage.
    ///   - anchor: What its period is counted from; `nil`: its beginning.
    package mutating func begin(_ number: Int64, at time: Int64, endsFrom anchor: Int64? = nil) {
        transaction = "\(lineage)-\(number)"
        start = time
        isTrial = false
        end = periodEnd(from: anchor ?? time)
    }

    /// The end of a period that begins at a time.
    package func periodEnd(from start: Int64) -> Int64 {
        let trial = isTrial ? product.introOffer?.duration : nil
        return ZoneTable.utc.adding(
            trial ?? product.period ?? CivilDuration(months: 1), to: start)
    }

    /// The members that name it.
    package var reference: JSONObject {
        ["original_transaction_id": .string(lineage), "transaction_id": .string(transaction)]
    }

    /// What a store says of one transaction, whole.
    package var statement: JSONObject {
        var fields = reference
        fields["product"] = .string(product.id)
        fields["starts_at"] = .integer(start)
        if end != Int64.max { fields["expires_at"] = .integer(end) }
        if isTrial { fields["offer"] = ["type": "introductory", "discount": "free_trial"] }
        if isShared { fields["ownership"] = "family_shared" }
        return fields
    }

    /// What a store says when it charges for a period.
    package func charge(_ more: JSONObject, currency: String) -> JSONObject {
        var fields = statement.adding(more)
        fields["group"] = product.group.map(JSONValue.string)
        fields["price_milli"] = .integer(isTrial ? 0 : priceMilli)
        fields["currency"] = .string(currency)
        return fields
    }
}
