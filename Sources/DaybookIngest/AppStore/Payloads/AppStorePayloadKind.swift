import DaybookEvents

/// What a signed payload states.
public enum AppStorePayloadKind: String, Sendable, CaseIterable {
    case notification, transaction, renewal
    case appTransaction = "app_transaction"

    /// Members that only payloads of this kind have.
    private var marks: [String] {
        switch self {
        case .notification: ["notificationType", "notificationUUID"]
        case .transaction: ["transactionId", "purchaseDate", "transactionReason"]
        case .renewal: ["autoRenewStatus", "autoRenewProductId", "renewalDate"]
        case .appTransaction: ["receiptType", "receiptCreationDate"]
        }
    }

    private var name: String {
        switch self {
        case .notification: "a notification"
        case .transaction: "a transaction"
        case .renewal: "a renewal info"
        case .appTransaction: "an app transaction"
        }
    }

    /// Refuses what is signed as well, but states something else: the same certificates sign all kinds, so a
    /// transaction that a client has seen must not pass for a notification.
    /// - Throws: `PayloadRefusal` of class `format`.
    func check(_ payload: JSONObject) throws(PayloadRefusal) {
        for other in Self.allCases where other != self {
            for mark in other.marks where payload[mark] != nil {
                throw PayloadRefusal(
                    .format, "it is \(other.name) (it has \(mark)), not \(name)")
            }
        }
        // Retention messaging is signed by the same certificates too.
        if payload["userLocale"] != nil {
            throw PayloadRefusal(
                .format, "it is a request for a message (it has userLocale), not \(name)")
        }
        // Transactions and renewals have no member that all of them had from the beginning.
        let isMarked: Bool =
            switch self {
            case .notification: marks.allSatisfy { payload[$0]?.text != nil }
            case .appTransaction: payload["receiptType"]?.text != nil
            case .transaction, .renewal: true
            }
        try PayloadRefusal.require(
            isMarked, .format, "it has no \(marks.joined(separator: " and ")), so it is not \(name)"
        )
    }

    /// When a payload says that it was signed.
    /// - Returns: Milliseconds since 1970 UTC; `nil` where it does not say.
    /// - Throws: `PayloadRefusal` of class `format` for what is no time of the years 1970 to 9999 (rule 30).
    func signedAt(_ payload: JSONObject) throws(PayloadRefusal) -> Int64? {
        // StoreKit's `AppTransaction.signedDate` is called by another name inside.
        let names =
            self == .appTransaction ? ["signedDate", "receiptCreationDate"] : ["signedDate"]
        // Where there are two, null leaves it to the other.
        let isThere = { (name: String) in
            payload[name] != nil && (names.count == 1 || payload[name] != .null)
        }
        guard let name = names.first(where: isThere) else { return nil }
        guard let instant = payload.milliseconds(name), EventBounds.times.contains(instant) else {
            throw PayloadRefusal(
                .format, "\(name) is \(payload[name].quoted), no time from 1970 to 9999")
        }
        return instant
    }
}
