public import DaybookEvents

/// A short description of a notification to sign.
public struct SandboxNotification: Sendable, Equatable {
    /// What happened.
    public var type: AppStoreNotificationType
    /// What more is said of it; `nil`: the payload has no subtype.
    public var subtype: AppStoreNotificationSubtype?
    /// Derived from everything else unless given, so the same description is the same notification.
    public var uuid: String?
    /// Milliseconds since 1970 UTC.
    public var signedAt: Int64
    /// The app's bundle identifier.
    public var bundleID: String
    /// The version of the bundle; `nil`: it is left out.
    public var bundleVersion: String?
    /// The app's number in App Store Connect; `nil`: it is left out, as the sandbox does.
    public var appAppleID: Int64?
    /// The state of the subscription; `nil`: it is left out.
    public var status: AppStoreStatus?
    /// Why the customer asks for a refund; `nil`: it is left out.
    public var consumptionRequestReason: AppStoreConsumptionRequestReason?
    /// The transaction to nest in it; `nil`: none.
    public var transaction: SandboxTransaction?
    /// The renewal info to nest in it; `nil`: none.
    public var renewal: SandboxRenewal?
    /// What the payload says of its environment; the nested parts say theirs.
    public var environment: AppStoreEnvironment = .localTesting
    /// Members of the payload that this description has no word for, such as `summary`; they win over those that it
    /// has, and null takes a member away.
    public var others = JSONObject()

    /// A notification with nothing nested in it; nothing is checked.
    public init(type: AppStoreNotificationType, bundleID: String, signedAt: Int64) {
        self.type = type
        self.bundleID = bundleID
        self.signedAt = signedAt
    }

    /// The transaction, begun by whom the notification says: by the customer where it tells of a purchase or a change
    /// at once, unless the transaction says otherwise.
    var toldTransaction: SandboxTransaction? {
        guard var told = transaction, told.reason == nil else { return transaction }
        let isBegun =
            switch type {
            case .subscribed, .oneTimeCharge: true
            case .didChangeRenewalPref, .offerRedeemed: subtype == .upgrade
            default: false
            }
        if isBegun { told.reason = .purchase }
        return told
    }

    /// As it is signed, around what was signed before.
    public func payload(signedTransaction: String?, signedRenewal: String?) -> JSONObject {
        var payload = outline
        let nested: JSONObject = [
            "signedTransactionInfo": .orNull(signedTransaction),
            "signedRenewalInfo": .orNull(signedRenewal),
        ]
        let data = payload["data"]?.object ?? JSONObject()
        payload["data"] = .object(data.adding(nested).withoutNulls)
        payload["notificationUUID"] = .string(uuid ?? derivedUUID)
        // A null among the others takes a member away.
        return payload.adding(others).withoutNulls
    }

    /// Everything but what is nested and the id.
    private var outline: JSONObject {
        let data: JSONObject = [
            "bundleId": .string(bundleID), "environment": .string(environment.rawValue),
            "bundleVersion": .orNull(bundleVersion), "appAppleId": .orNull(appAppleID),
            "status": .orNull(status?.rawValue),
            "consumptionRequestReason": .orNull(consumptionRequestReason?.rawValue),
        ]
        let payload: JSONObject = [
            "notificationType": .string(type.rawValue), "version": "2.0",
            "subtype": .orNull(subtype?.rawValue), "signedDate": .integer(signedAt),
            "data": .object(data.withoutNulls),
        ]
        return payload.withoutNulls
    }

    /// RFC 9562 §5.8: a UUID of version 8, from the digest of the description.
    private var derivedUUID: String {
        var description = outline
        description["transaction"] = (toldTransaction?.payload).map(JSONValue.object)
        description["renewal"] = (renewal?.payload).map(JSONValue.object)
        description["others"] = .object(others)
        var bytes = Array(Digest.sha256(description.canonicalBytes).prefix(16))
        bytes[6] = bytes[6] & 0x0F | 0x80
        bytes[8] = bytes[8] & 0x3F | 0x80
        let digits = Array(Digest.hexadecimal(bytes).utf8)
        return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32]
            .map { String(decoding: digits[$0], as: UTF8.self) }.joined(separator: "-")
    }
}
