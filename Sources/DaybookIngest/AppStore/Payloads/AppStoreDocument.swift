import DaybookEvents

/// A payload of one of the kinds that Apple signs.
public enum AppStoreDocument: Sendable, Equatable {
    case notification(AppStoreNotification)
    case transaction(AppStoreTransaction)
    case renewal(AppStoreRenewal)
    case appTransaction(AppStoreAppTransaction)
}

extension AppStoreDocument {
    /// Reads a signed payload again that was verified when it was taken in.
    ///
    /// The signature is not checked: a certificate that has expired since, and an authority that is not configured any
    /// more, say nothing about what was believed then. Never for anything that comes from outside.
    /// - Parameter kind: `nil`: what the payload's own members say.
    /// - Throws: `PayloadRefusal` of class `format` for what is no signed payload of that kind.
    public init(kept text: [UInt8], as kind: AppStorePayloadKind?) throws(PayloadRefusal) {
        let payload = try CompactJWS(text).payload
        let kind = kind ?? AppStorePayloadKind.stated(by: payload)
        try kind.check(payload)
        try self.init(payload, kind) { (text, kind) throws(PayloadRefusal) in
            let payload = try CompactJWS(text).payload
            try kind.check(payload)
            return payload
        }
    }

    /// - Parameter read: Gives the payload of a text that is nested in this one.
    init(
        _ payload: JSONObject, _ kind: AppStorePayloadKind,
        nested read: ([UInt8], AppStorePayloadKind) throws(PayloadRefusal) -> JSONObject
    ) throws(PayloadRefusal) {
        switch kind {
        case .transaction: self = .transaction(AppStoreTransaction(members: payload))
        case .renewal: self = .renewal(AppStoreRenewal(members: payload))
        case .appTransaction: self = .appTransaction(AppStoreAppTransaction(members: payload))
        case .notification:
            var notification = AppStoreNotification(members: payload)
            notification.transaction = try Self.nested(
                payload, ["data", "signedTransactionInfo"], .transaction, read
            ).map(AppStoreTransaction.init(members:))
            notification.renewal = try Self.nested(
                payload, ["data", "signedRenewalInfo"], .renewal, read
            ).map(AppStoreRenewal.init(members:))
            notification.appTransaction = try Self.nested(
                payload, ["appData", "signedAppTransactionInfo"], .appTransaction, read
            ).map(AppStoreAppTransaction.init(members:))
            self = .notification(notification)
        }
    }

    private static func nested(
        _ payload: JSONObject, _ path: [String], _ kind: AppStorePayloadKind,
        _ read: ([UInt8], AppStorePayloadKind) throws(PayloadRefusal) -> JSONObject
    ) throws(PayloadRefusal) -> JSONObject? {
        guard let value = payload.value(at: path), value != .null else { return nil }
        let place = path.joined(separator: ".")
        guard let text = value.text else {
            throw PayloadRefusal(.format, "\(place) is \(value.kindName), not a signed payload")
        }
        do throws(PayloadRefusal) {
            return try read(Array(text.utf8), kind)
        } catch {
            throw error.inside(place)
        }
    }
}

extension AppStorePayloadKind {
    /// What a payload is by its own members, as far as they tell; what tells nothing is a transaction.
    fileprivate static func stated(by payload: JSONObject) -> AppStorePayloadKind {
        if payload["notificationType"] != nil { return .notification }
        if payload["receiptType"] != nil { return .appTransaction }
        let isRenewal = payload["autoRenewStatus"] != nil || payload["autoRenewProductId"] != nil
        return isRenewal ? .renewal : .transaction
    }
}
