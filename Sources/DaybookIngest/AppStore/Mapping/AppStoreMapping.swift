public import DaybookEvents

/// Turns what the App Store stated into events of our own vocabulary.
///
/// Rule: one event carries one fact (rule 3). What a notification says of a transaction and of a renewal becomes one
/// neutral event each, with the time at which just that was signed; what happened by the notification's type is an
/// event of its own unless it is nothing but the transaction (a start, a renewal, a purchase). That event says less
/// than the facts beside it, so it never stands in for one. Keys are `<uuid>`, `<uuid>#transaction` and
/// `<uuid>#renewal`; what a client posts is known by `<transaction>@<signed>`, a renewal by
/// `renewal/<lineage>@<signed>` (a lineage has the name of its first transaction), so the same bytes are the same
/// events, whichever customer posts them. A customer who posts them makes a claim, an event of its own
/// (`…/<customer>`), which happened when it was made and not when the store charged: of two customers who post the same
/// bytes the first one owns the lineage (rule 7).
///
/// Pure: the same payload gives the same events for ever, so newer code can be compared with what was recorded.
public struct AppStoreMapping: Sendable {
    /// `apple_asn_v2` for notifications, `apple_jws` for what a client posts.
    public static let notificationSource = "apple_asn_v2"
    /// The source kind of events from a signed payload that a client posts.
    public static let postedSource = "apple_jws"

    let environment: Environment
    /// ID of the customer who posted it, where that is known; a token in the payload outranks it (rule 7).
    let subject: String?

    /// - Parameter subject: The customer who posts a transaction of their own; `nil` for notifications.
    public init(environment: Environment, subject: String? = nil) {
        self.environment = environment
        self.subject = subject
    }

    /// The events of a payload, in the order of one commit; not canonical yet.
    /// - Parameter document: A payload that was verified.
    /// - Throws: `PayloadRefusal` of class `format` for what does not say what its kind must say.
    public func events(
        of document: AppStoreDocument
    ) throws(PayloadRefusal) -> [EventDraft] {
        try AppStoreRequirements.check(document)
        return switch document {
        case .notification(let notification): events(of: notification)
        case .transaction(let transaction): posted(transaction)
        case .renewal(let renewal): posted(renewal)
        case .appTransaction(let download): [downloadNotice(download)]
        }
    }

    // MARK: What a client posts

    private func posted(_ transaction: AppStoreTransaction) -> [EventDraft] {
        let source = source("\(transaction.id ?? "")@", transaction.signedAt)
        return [fact(of: transaction, source)]
            + claims(to: transaction.lineageNames, transaction.productID, source)
    }

    private func posted(_ renewal: AppStoreRenewal) -> [EventDraft] {
        let source = source("renewal/\(renewal.originalID ?? "")@", renewal.signedAt)
        var names = JSONObject()
        names["original_transaction_id"] = renewal.originalID.map(JSONValue.string)
        return [renewalFact(renewal, source)] + claims(to: names, renewal.productID, source)
    }

    private func source(
        _ prefix: String, _ signedAt: Int64?, isClaim: Bool = false
    ) -> EventSource {
        let claim = isClaim ? subject.map { "/\($0)" } ?? "" : ""
        return EventSource(
            kind: Self.postedSource,
            key: EventSource.boundedKey(prefix + (signedAt.map(String.init) ?? "") + claim),
            signedAt: signedAt)
    }

    /// The claim of the customer who handed it over; none without one. The ledger's clock says when that was: the
    /// store's dates are those of the purchase, and equal for all who claim it.
    private func claims(
        to names: JSONObject, _ product: String?, _ source: EventSource
    ) -> [EventDraft] {
        guard let subject else { return [] }
        var data = names
        data["product"] = product.map(JSONValue.string)
        let key = EventSource.boundedKey("\(source.key ?? "")/\(subject)")
        return [
            EventDraft(
                type: .purchaseClaimed, environment: environment, subject: subject,
                occurredAt: nil,
                source: EventSource(kind: source.kind, key: key, signedAt: source.signedAt),
                trust: .imported, data: data)
        ]
    }

    private func downloadNotice(_ download: AppStoreAppTransaction) -> EventDraft {
        draft(
            EventTypeName(.ops, "app_transaction"), at: download.signedAt,
            source("app/\(download.id ?? "")@", download.signedAt, isClaim: true),
            subject: subject, ["apple": .object(download.members.kept(without: []))])
    }

    // MARK: What a notification says

    private func events(of notification: AppStoreNotification) -> [EventDraft] {
        let uuid = notification.uuid ?? ""
        let meaning = AppStoreMeaning.of(notification)
        var events: [EventDraft] = []
        let transaction = notification.transaction
        // The notification's own event of a consumable is its fact.
        let isTold =
            transaction.map {
                $0.type == .known(.consumable) ? meaning.statesConsumable : meaning.isTransaction
            } ?? false
        func origin(_ part: String, _ signedAt: Int64?) -> EventSource {
            EventSource(kind: Self.notificationSource, key: uuid + part, signedAt: signedAt)
        }
        if let transaction {
            let source = origin("#transaction", transaction.signedAt)
            events.append(
                isTold ? told(meaning, notification, source) : fact(of: transaction, source))
        }
        if let renewal = notification.renewal {
            events.append(renewalFact(renewal, origin("#renewal", renewal.signedAt)))
        }
        let source = origin("", notification.signedAt)
        if !isTold { events.append(told(meaning, notification, source)) }
        if let transaction {
            events += claims(to: transaction.lineageNames, transaction.productID, source)
        }
        return events
    }

    /// The notification's own event.
    private func told(
        _ meaning: AppStoreMeaning, _ notification: AppStoreNotification, _ source: EventSource
    ) -> EventDraft {
        let transaction = notification.transaction
        var data = meaning.data(notification)
        var notice: JSONObject = [
            "notification": (notification.type?.raw).map(JSONValue.string) ?? .null
        ]
        notice["version"] = notification.version.map(JSONValue.string)
        notice["subtype"] = (notification.subtype?.raw).map(JSONValue.string)
        for name in ["data", "summary", "externalPurchaseToken", "appData"] {
            guard let inner = notification.members.object(name) else { continue }
            notice[name] = .object(inner.kept(without: []))
        }
        for name in notification.unknownMembers {
            notice[name] = notification.members[name]
        }
        if meaning.isTransaction || meaning.statesConsumable, let transaction {
            notice["transaction"] = .object(transaction.rest)
        }
        data["apple"] = .object(notice)
        return draft(
            meaning.type,
            at: occurredAt(meaning, notification) ?? source.signedAt, source,
            subject: customer(of: meaning, notification), data)
    }

    /// Rule 1: a charge when it was charged or announced, a refund when it was taken back, everything else when the
    /// store said so.
    private func occurredAt(
        _ meaning: AppStoreMeaning, _ notification: AppStoreNotification
    ) -> Int64? {
        let transaction = notification.transaction
        let signedAt = notification.signedAt
        switch meaning.moment {
        case .charge: return transaction?.chargedAt ?? signedAt
        case .revocation: return transaction?.revokedAt.flatMap(EventBounds.timeOrNil) ?? signedAt
        case .notice: return signedAt
        }
    }
}

extension AppStoreMapping {
    // MARK: Facts

    /// The event by which a transaction is told alone.
    private func fact(of transaction: AppStoreTransaction, _ source: EventSource) -> EventDraft {
        transaction.type == .known(.consumable)
            ? consumable(transaction, source) : transactionFact(transaction, source)
    }

    /// Everything about one transaction that decides over access.
    func transactionFact(_ transaction: AppStoreTransaction, _ source: EventSource) -> EventDraft {
        var data = transaction.facts
        data["expires_at"] = transaction.expiresAt.map(JSONValue.integer)
        data["revoked_at"] = transaction.revokedAt.map(JSONValue.integer)
        if transaction.revokedAt != nil {
            data["revocation_type"] = transaction.revocationWord.map(JSONValue.string)
            data["pct_milli"] = transaction.revocationPercentage.map(JSONValue.integer)
        }
        data["is_upgraded"] = transaction.isUpgraded.map(JSONValue.bool)
        data["transaction_reason"] = (transaction.reason?.raw).map(JSONValue.string)
        data["apple"] = .object(transaction.rest)
        let occurredAt =
            transaction.revokedAt.flatMap(EventBounds.timeOrNil) ?? transaction.chargedAt
        return draft(
            .storeTransactionStated, at: occurredAt ?? source.signedAt, source,
            subject: nil, data)
    }

    func renewalFact(_ renewal: AppStoreRenewal, _ source: EventSource) -> EventDraft {
        var data: JSONObject = [
            "original_transaction_id": renewal.originalID.map(JSONValue.string) ?? .null,
            "auto_renew": .bool(renewal.autoRenewStatus?.raw ?? 1 != 0),
        ]
        data["product"] = renewal.productID.map(JSONValue.string)
        data["auto_renew_product"] = renewal.autoRenewProductID.map(JSONValue.string)
        data["in_billing_retry"] = renewal.isInBillingRetry.map(JSONValue.bool)
        data["grace_expires_at"] = renewal.graceExpiresAt.map(JSONValue.integer)
        data["renewal_at"] = renewal.renewsAt.map(JSONValue.integer)
        data["continuous_since"] = renewal.continuousSince.map(JSONValue.integer)
        data["expiration_intent"] = (renewal.expirationIntent?.raw).map(JSONValue.integer)
        data["price_increase_status"] = (renewal.priceIncreaseStatus?.raw).map(JSONValue.integer)
        data["apple"] = .object(
            renewal.members.kept(without: [
                "originalTransactionId", "autoRenewStatus", "productId", "autoRenewProductId",
                "isInBillingRetryPeriod", "gracePeriodExpiresDate", "renewalDate",
                "recentSubscriptionStartDate", "expirationIntent", "priceIncreaseStatus",
                "environment", "signedDate",
            ]))
        return draft(
            .storeRenewalStated, at: source.signedAt, source, subject: nil, data)
    }

    /// A consumable as it stands: bought, or bought and taken back.
    func consumable(_ transaction: AppStoreTransaction, _ source: EventSource) -> EventDraft {
        let isRevoked = transaction.revokedAt != nil
        var data = isRevoked ? transaction.revocation : transaction.purchase
        data["kind"] = transaction.kindWord.map(JSONValue.string)
        data["apple"] = .object(transaction.rest)
        let moment =
            isRevoked
            ? transaction.revokedAt.flatMap(EventBounds.timeOrNil) : transaction.chargedAt
        return draft(
            isRevoked ? .purchaseRefunded : .purchaseCompleted,
            at: moment ?? source.signedAt, source, subject: nil, data)
    }

    // MARK: Customer

    /// The customer whose stream an event of a notification stands in; `nil` for what stands in a lineage's.
    ///
    /// Where neither a token nor a claim names one, the Apple Account's own id of the app stands for the customer:
    /// nothing is lost, and an alias joins it with the customer once that is known.
    private func customer(
        of meaning: AppStoreMeaning, _ notification: AppStoreNotification
    ) -> String? {
        guard meaning.needsCustomer else { return meaning.type.isOf(.ops) ? subject : nil }
        if let subject { return subject }
        let transaction = notification.transaction
        if let token = transaction?.appAccountToken ?? notification.renewal?.appAccountToken,
            !PersonalData.namesNoCustomer(token)
        {
            return token
        }
        let download = transaction?.appTransactionID ?? notification.appTransaction?.id
        return "apple:"
            + (download ?? transaction?.originalID ?? notification.uuid ?? "unknown")
    }

    func draft(
        _ type: EventTypeName, at occurredAt: Int64?, _ source: EventSource, subject: String?,
        _ data: JSONObject
    ) -> EventDraft {
        var data = data
        if let apple = data["apple"]?.object {
            data["apple"] = .object(AppStoreKept.bounded(apple))
        }
        return EventDraft(
            type: type, environment: environment, subject: subject, occurredAt: occurredAt,
            source: source, trust: .verified, data: data)
    }
}
