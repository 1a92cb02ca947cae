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
            if let transaction = notification.transaction {
                try inside("data.signedTransactionInfo") { () throws(PayloadRefusal) in
                    try check(transaction)
                }
            }
            if let renewal = notification.renewal {
                try inside("data.signedRenewalInfo") { () throws(PayloadRefusal) in
                    try check(renewal)
                }
            }
            if let download = notification.appTransaction {
                try inside("appData.signedAppTransactionInfo") { () throws(PayloadRefusal) in
                    try check(download)
                }
            }
        }
    }

    private static func inside(
        _ place: String, _ body: () throws(PayloadRefusal) -> Void
    ) throws(PayloadRefusal) {
        do throws(PayloadRefusal) {
            try body()
        } catch {
            throw error.inside(place)
        }
    }

    private static func check(_ transaction: AppStoreTransaction) throws(PayloadRefusal) {
        let members = Members(transaction.members)
        for name in ["transactionId", "originalTransactionId"] { try members.require(name, .id) }
        for name in ["productId", "type"] { try members.require(name, .name) }
        for name in ["purchaseDate", "signedDate"] { try members.require(name, .time) }
        switch transaction.type {
        case .known(.autoRenewable): try members.require("expiresDate", .time)
        // Of what does not renew the catalog says how long it lasts.
        case .known: break
        case .unknown, nil: try members.expect("expiresDate", .time)
        }
        try members.expect("revocationDate", .time)
        if let told = ["revocationReason", "revocationType", "revocationPercentage"]
            .first(where: members.has), !members.has("revocationDate")
        {
            throw PayloadRefusal(
                .format, "it has a \(told), so it was taken back, and no revocationDate")
        }
        for name in ["revocationReason", "offerType"] { try members.expect(name, .number) }
        try members.expect("revocationPercentage", .share)
        try members.expect("quantity", .quantity)
        try members.expect("price", .price)
        try members.expect("isUpgraded", .flag)
        for name in [
            "revocationType", "inAppOwnershipType", "offerDiscountType", "transactionReason",
            "appAccountToken", "currency", "billingPlanType",
        ] { try members.expect(name, .text) }
        try members.expect("subscriptionGroupIdentifier", .id)
    }

    private static func check(_ renewal: AppStoreRenewal) throws(PayloadRefusal) {
        let members = Members(renewal.members)
        try members.require("originalTransactionId", .id)
        try members.require("signedDate", .time)
        try members.require("autoRenewStatus", .number)
        for name in ["gracePeriodExpiresDate", "renewalDate", "recentSubscriptionStartDate"] {
            try members.expect(name, .time)
        }
        try members.expect("isInBillingRetryPeriod", .flag)
        for name in ["expirationIntent", "priceIncreaseStatus", "offerType"] {
            try members.expect(name, .number)
        }
        try members.expect("renewalPrice", .price)
        for name in [
            "productId", "autoRenewProductId", "appAccountToken", "offerDiscountType", "currency",
        ] { try members.expect(name, .text) }
    }

    private static func check(_ download: AppStoreAppTransaction) throws(PayloadRefusal) {
        let members = Members(download.members)
        try members.require(
            members.has("signedDate") ? "signedDate" : "receiptCreationDate", .time)
        try members.expect("appTransactionId", .id)
    }

    private static func check(_ notification: AppStoreNotification) throws(PayloadRefusal) {
        let members = Members(notification.members)
        try members.require("notificationType", .name)
        try members.require("notificationUUID", .id)
        try members.require("signedDate", .time)
        try members.expect("subtype", .text)
        for name in ["data", "summary", "externalPurchaseToken", "appData"] {
            try members.expect(name, .object)
        }
    }

    private enum Kind {
        case id, name, text, time, number, share, quantity, price, flag, object

        /// What is expected, for messages.
        var description: String {
            switch self {
            case .id: "an id, a text or a number"
            case .name: "a text that is not empty"
            case .text: "a text"
            case .time: "a time from 1970 to 9999, in milliseconds"
            case .number: "a whole number"
            case .share: "thousandths of a percent from 0 to 100000"
            case .quantity: "a whole number from 1 on"
            case .price: "thousandths of the currency, from 0 on"
            case .flag: "true or false"
            case .object: "an object"
            }
        }

        func reads(_ members: JSONObject, _ name: String) -> Bool {
            switch self {
            case .id: members.identifier(name)?.isEmpty == false
            case .name: members.text(name)?.isEmpty == false
            case .text: members.text(name) != nil
            case .time: members.milliseconds(name).flatMap(EventBounds.timeOrNil) != nil
            case .number: members.wholeNumber(name) != nil
            case .share: members.wholeNumber(name).map { (0...100_000).contains($0) } == true
            case .quantity: members.wholeNumber(name).map { $0 >= 1 } == true
            case .price: members.wholeNumber(name).map { $0 >= 0 } == true
            case .flag: members.flag(name) != nil
            case .object: members.object(name) != nil
            }
        }
    }

    private struct Members {
        private let members: JSONObject

        init(_ members: JSONObject) { self.members = members }

        /// A member that is null is as good as none.
        func has(_ name: String) -> Bool { (members[name] ?? .null) != .null }

        /// - Throws: Where it is missing or cannot be read.
        func require(_ name: String, _ kind: Kind) throws(PayloadRefusal) {
            guard kind.reads(members, name) else {
                throw PayloadRefusal(
                    .format, "\(name) is \(members[name].quoted), not \(kind.description)")
            }
        }

        /// - Throws: Where it is there and cannot be read.
        func expect(_ name: String, _ kind: Kind) throws(PayloadRefusal) {
            if has(name) { try require(name, kind) }
        }
    }
}
