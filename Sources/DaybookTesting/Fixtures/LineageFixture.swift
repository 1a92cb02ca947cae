public import DaybookEvents

/// One lineage of one customer, told event by event the way a store tells it.
///
/// Keys are made from what is stated, so that the same statement twice is a duplicate and another one is not. All times
/// are milliseconds since 1970 UTC; nothing is recorded until a ledger gets the events.
///
/// ```swift
/// let lineage = LineageFixture("1000", product: "com.example.pro.monthly")
/// let end = start + 30 * LedgerFixture.day
/// try await fixture.record(lineage.started("1000", from: start, until: end))
/// ```
public struct LineageFixture: Sendable {
    /// The original transaction id.
    public var lineage: String
    /// The product's id with the store.
    public var product: String
    /// ID of the customer; `nil`: the store names no customer, the lineage is an orphan.
    public var subject: String?
    /// Where it is bought.
    public var environment: Environment
    /// How far the store's word is believed.
    public var trust: Trust
    /// The kind of source that speaks.
    public var source: String

    /// Begins a lineage without events.
    /// - Parameters:
    ///   - lineage: The original transaction id.
    ///   - product: The product's id with the store, of every period unless `product` is set anew.
    ///   - subject: ID of the customer; `nil`: the store names no customer, the lineage is an orphan.
    ///   - environment: Where it is bought.
    ///   - trust: How far the store's word is believed.
    ///   - source: The kind of source that speaks, `apple_asn_v2` unless given.
    public init(
        _ lineage: String, product: String, subject: String? = "ada",
        environment: Environment = .production, trust: Trust = .verified,
        source: String = "apple_asn_v2"
    ) {
        self.lineage = lineage
        self.product = product
        self.subject = subject
        self.environment = environment
        self.trust = trust
        self.source = source
    }

    /// Any event of the lineage.
    /// - Parameters:
    ///   - type: One that is about a lineage.
    ///   - occurredAt: When it happened to the customer, in milliseconds since 1970 UTC.
    ///   - signedAt: `nil`: when it happened.
    ///   - key: `nil`: one is made from type, transaction and times.
    ///   - data: What it states; the lineage is added as `original_transaction_id`.
    public func event(
        _ type: EventTypeName, at occurredAt: Int64, signedAt: Int64? = nil, key: String? = nil,
        _ data: JSONObject = JSONObject()
    ) -> EventDraft {
        var data = data
        data["original_transaction_id"] = .string(lineage)
        let transaction = data["transaction_id"]?.text ?? lineage
        let made = "\(type)/\(transaction)/\(occurredAt)/\(signedAt ?? occurredAt)"
        return EventDraft(
            type: type, environment: environment, subject: subject, occurredAt: occurredAt,
            source: EventSource(kind: source, key: key ?? made, signedAt: signedAt), trust: trust,
            data: data)
    }

    /// The first period, or the first one after a lapse.
    /// - Parameters:
    ///   - transaction: The id of this period's transaction; of the first one of all it is the lineage's.
    ///   - start: The first millisecond of the period.
    ///   - end: The millisecond in which access ends, exclusive.
    ///   - signedAt: `nil`: when the period begins. When it is before that, it is also when the event happened.
    ///   - data: What else the store says: an offer, an ownership, another price.
    public func started(
        _ transaction: String, from start: Int64, until end: Int64, signedAt: Int64? = nil,
        _ data: JSONObject = JSONObject()
    ) -> EventDraft {
        period(.subscriptionStarted, transaction, start, end, signedAt, data, reason: "initial")
    }

    /// A further period.
    /// - Parameters:
    ///   - transaction: The id of this period's transaction, another one than that of the period before.
    ///   - start: The first millisecond of the period, as a rule the end of the period before.
    ///   - end: The millisecond in which access ends, exclusive.
    ///   - signedAt: As for the first period.
    ///   - data: As for the first period.
    public func renewed(
        _ transaction: String, from start: Int64, until end: Int64, signedAt: Int64? = nil,
        _ data: JSONObject = JSONObject()
    ) -> EventDraft {
        period(.subscriptionRenewed, transaction, start, end, signedAt, data, reason: nil)
    }

    private func period(
        _ type: EventTypeName, _ transaction: String, _ start: Int64, _ end: Int64,
        _ signedAt: Int64?, _ extra: JSONObject, reason: String?
    ) -> EventDraft {
        var data: JSONObject = [
            "product": .string(product), "transaction_id": .string(transaction),
            "starts_at": .integer(start), "expires_at": .integer(end), "price_milli": 8990,
            "currency": "USD",
        ]
        if let reason { data["reason"] = .string(reason) }
        return event(
            type, at: min(start, signedAt ?? start), signedAt: signedAt, data.adding(extra))
    }

    /// A refund of one transaction; access ends at its date.
    public func refunded(
        _ transaction: String, at revokedAt: Int64, signedAt: Int64? = nil,
        _ extra: JSONObject = JSONObject()
    ) -> EventDraft {
        let data: JSONObject = [
            "transaction_id": .string(transaction), "revoked_at": .integer(revokedAt),
            "type": "full",
        ]
        return event(.purchaseRefunded, at: revokedAt, signedAt: signedAt, data.adding(extra))
    }

    /// What the store says of one transaction as a whole, as a client posts it (rule 3).
    public func stated(
        _ transaction: String, from start: Int64, until end: Int64?, signedAt: Int64,
        _ extra: JSONObject = JSONObject()
    ) -> EventDraft {
        var data: JSONObject = [
            "product": .string(product), "transaction_id": .string(transaction),
            "starts_at": .integer(start),
        ]
        if let end { data["expires_at"] = .integer(end) }
        return event(
            .storeTransactionStated, at: min(start, signedAt), signedAt: signedAt,
            key: "\(transaction)@\(signedAt)", data.adding(extra))
    }

    /// Renewal switched on or off.
    public func autoRenew(_ isOn: Bool, at occurredAt: Int64) -> EventDraft {
        event(.subscriptionAutoRenewChanged, at: occurredAt, ["enabled": .bool(isOn)])
    }

    /// A charge that failed.
    /// - Parameters:
    ///   - occurredAt: When the charge failed.
    ///   - graceEnd: `nil`: no grace.
    public func billingFailed(at occurredAt: Int64, graceUntil graceEnd: Int64?) -> EventDraft {
        event(
            .subscriptionBillingFailed, at: occurredAt,
            ["grace_expires_at": graceEnd.map(JSONValue.integer) ?? .null])
    }

    /// The store's word that it is over.
    public func expired(_ reason: String, at occurredAt: Int64) -> EventDraft {
        event(.subscriptionExpired, at: occurredAt, ["reason": .string(reason)])
    }
}
