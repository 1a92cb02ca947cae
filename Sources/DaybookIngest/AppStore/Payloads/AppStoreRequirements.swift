import DaybookEvents

/// What a payload must say before events are made of it; the table for people is in docs/app-store.md.
///
/// - Rule: a member that decides over access, money, time or owner is there where its kind of payload has it, and can
///   be read; every other one is kept as it came.
/// - Why: what is refused waits as a dead letter, and is taken in once a version of Daybook knows what it means. What
///   is recorded stays.
/// - Otherwise: a subscription whose end cannot be read never ends.
enum AppStoreRequirements {
    /// - Throws: `PayloadRefusal` of class `format` for the first member that is missing or cannot be read.
    static func check(_ document: AppStoreDocument) throws(PayloadRefusal) {
        switch document {
        case .transaction(let transaction): try check(transaction)
        case .renewal(let renewal): try check(renewal)
        case .appTransaction(let download): try check(download)
        case .notification(let notification):
            try check(notification)
            try check(notification.transaction, inside: "data.signedTransactionInfo", check)
            try check(notification.renewal, inside: "data.signedRenewalInfo", check)
            try check(
                notification.appTransaction, inside: "appData.signedAppTransactionInfo", check)
        }
    }

    private static func check<Payload>(
        _ payload: Payload?, inside place: String,
        _ check: (Payload) throws(PayloadRefusal) -> Void
    ) throws(PayloadRefusal) {
        guard let payload else { return }
        do throws(PayloadRefusal) {
            try check(payload)
        } catch {
            throw error.inside(place)
        }
    }

    private static func check(_ transaction: AppStoreTransaction) throws(PayloadRefusal) {
        let members = Members(transaction.members)
        try members.require(.id, "transactionId", "originalTransactionId")
        try members.require(.name, "productId", "type")
        try members.require(.time, "purchaseDate", "signedDate")
        switch transaction.type {
        case .known(.autoRenewable): try members.require(.time, "expiresDate")
        // Of what does not renew the catalog says how long it lasts.
        case .known: break
        case .unknown, nil: try members.expect(.time, "expiresDate")
        }
        try members.expect(.time, "revocationDate")
        if let told = ["revocationReason", "revocationType", "revocationPercentage"]
            .first(where: members.has), !members.has("revocationDate")
        {
            throw PayloadRefusal(
                .format, "it has a \(told), so it was taken back, and no revocationDate")
        }
        try members.expect(.number, "revocationReason", "offerType")
        try members.expect(.share, "revocationPercentage")
        try members.expect(.quantity, "quantity")
        try members.expect(.price, "price")
        try members.expect(.flag, "isUpgraded")
        try members.expect(
            .text, "revocationType", "inAppOwnershipType", "offerDiscountType",
            "transactionReason", "appAccountToken", "currency", "billingPlanType")
        try members.expect(.id, "subscriptionGroupIdentifier")
    }

    private static func check(_ renewal: AppStoreRenewal) throws(PayloadRefusal) {
        let members = Members(renewal.members)
        try members.require(.id, "originalTransactionId")
        try members.require(.time, "signedDate")
        try members.require(.number, "autoRenewStatus")
        try members.expect(
            .time, "gracePeriodExpiresDate", "renewalDate", "recentSubscriptionStartDate")
        try members.expect(.flag, "isInBillingRetryPeriod")
        try members.expect(.number, "expirationIntent", "priceIncreaseStatus", "offerType")
        try members.expect(.price, "renewalPrice")
        try members.expect(
            .text, "productId", "autoRenewProductId", "appAccountToken", "offerDiscountType",
            "currency")
    }

    private static func check(_ download: AppStoreAppTransaction) throws(PayloadRefusal) {
        let members = Members(download.members)
        try members.require(
            .time, members.has("signedDate") ? "signedDate" : "receiptCreationDate")
        try members.expect(.id, "appTransactionId")
    }

    private static func check(_ notification: AppStoreNotification) throws(PayloadRefusal) {
        let members = Members(notification.members)
        try members.require(.name, "notificationType")
        try members.require(.id, "notificationUUID")
        try members.require(.time, "signedDate")
        try members.expect(.text, "subtype")
        try members.expect(.object, "data", "summary", "externalPurchaseToken", "appData")
    }

    /// What a member must be.
    private struct Kind: Sendable {
        /// What is expected, for messages.
        let description: String
        let reads: @Sendable (JSONObject, String) -> Bool

        init(_ description: String, _ reads: @escaping @Sendable (JSONObject, String) -> Bool) {
            self.description = description
            self.reads = reads
        }

        private init(_ description: String, in range: ClosedRange<Int64>) {
            self.init(description) { $0.wholeNumber($1).map(range.contains) == true }
        }

        static let id = Kind("an id, a text or a number") { $0.identifier($1)?.isEmpty == false }
        static let name = Kind("a text that is not empty") { $0.text($1)?.isEmpty == false }
        static let text = Kind("a text") { $0.text($1) != nil }
        static let time = Kind("a time from 1970 to 9999, in milliseconds") {
            $0.milliseconds($1).flatMap(EventBounds.timeOrNil) != nil
        }
        static let number = Kind("a whole number", in: .min ... .max)
        static let share = Kind("thousandths of a percent from 0 to 100000", in: 0...100_000)
        static let quantity = Kind("a whole number from 1 on", in: 1 ... .max)
        static let price = Kind("thousandths of the currency, from 0 on", in: 0 ... .max)
        static let flag = Kind("true or false") { $0.flag($1) != nil }
        static let object = Kind("an object") { $0.object($1) != nil }
    }

    private struct Members {
        private let members: JSONObject

        init(_ members: JSONObject) { self.members = members }

        /// A member that is null is as good as none.
        func has(_ name: String) -> Bool { (members[name] ?? .null) != .null }

        /// - Throws: Where one is missing or cannot be read.
        func require(_ kind: Kind, _ names: String...) throws(PayloadRefusal) {
            for name in names { try require(kind, of: name) }
        }

        /// - Throws: Where one is there and cannot be read.
        func expect(_ kind: Kind, _ names: String...) throws(PayloadRefusal) {
            for name in names where has(name) { try require(kind, of: name) }
        }

        private func require(_ kind: Kind, of name: String) throws(PayloadRefusal) {
            try PayloadRefusal.require(
                kind.reads(members, name), .format,
                "\(name) is \(members[name].quoted), not \(kind.description)")
        }
    }
}
