public import DaybookEvents

/// An App Store Server Notification, version 2 (`responseBodyV2DecodedPayload`).
public struct AppStoreNotification: AppStorePayload {
    /// The payload as it was signed; a property whose member is missing or unreadable is `nil`.
    public let members: JSONObject
    /// What is nested in it; only there when it was verified for itself.
    public internal(set) var transaction: AppStoreTransaction?
    /// The renewal info of `data`, as `transaction` is its transaction.
    public internal(set) var renewal: AppStoreRenewal?
    /// The app transaction of `appData`, under the same condition.
    public internal(set) var appTransaction: AppStoreAppTransaction?

    /// Reads a payload; whether it can be believed is decided by the verifier.
    public init(members: JSONObject) { self.members = members }

    /// The documented members of `responseBodyV2DecodedPayload`.
    public static let fields: [AppStoreField] = [
        .init("notificationType", .text), .init("subtype", .text),
        .init("notificationUUID", .identifier), .init("version", .text),
        .init("signedDate", .milliseconds), .init("data", .object), .init("summary", .object),
        .init("externalPurchaseToken", .object), .init("appData", .object),
    ]

    /// What happened.
    public var type: AppStoreWord<AppStoreNotificationType>? { members.word("notificationType") }
    /// What more is said of it; many types have none.
    public var subtype: AppStoreWord<AppStoreNotificationSubtype>? { members.word("subtype") }
    /// In lower case, however it came: both are the same notification.
    public var uuid: String? {
        members.identifier("notificationUUID").map(UUIDText.lowercased)
    }
    /// The version of Apple's notifications, such as `2.0`.
    public var version: String? { members.text("version") }
    /// Milliseconds since 1970 UTC.
    public var signedAt: Int64? { members.milliseconds("signedDate") }

    /// The part about one subscription or purchase.
    public var data: Details? { members.object("data").map(Details.init) }
    /// The part that sums up a renewal-date extension for many subscribers.
    public var summary: Summary? { members.object("summary").map(Summary.init) }
    /// The part about purchases outside of the store.
    public var externalPurchaseToken: ExternalPurchaseToken? {
        members.object("externalPurchaseToken").map(ExternalPurchaseToken.init)
    }
    /// The part about the app as a whole.
    public var appData: AppData? { members.object("appData").map(AppData.init) }

    /// About one subscription or purchase.
    public struct Details: AppStoreAppPayload {
        /// The part as it was signed.
        public let members: JSONObject

        /// The documented members of `data`.
        public static let fields: [AppStoreField] = [
            .init("environment", .text), .init("appAppleId", .number), .init("bundleId", .text),
            .init("bundleVersion", .text), .init("signedTransactionInfo", .signed),
            .init("signedRenewalInfo", .signed), .init("status", .number),
            .init("consumptionRequestReason", .text),
        ]

        /// The environment of the purchase.
        public var environment: AppStoreWord<AppStoreEnvironment>? { members.word("environment") }
        /// The version of the bundle, `CFBundleVersion`.
        public var bundleVersion: String? { members.text("bundleVersion") }
        /// The transaction as a compact JWS; it is signed and verified by itself.
        public var signedTransaction: String? { members.text("signedTransactionInfo") }
        /// The renewal info as a compact JWS; it is signed and verified by itself.
        public var signedRenewal: String? { members.text("signedRenewalInfo") }
        /// The state of the subscription when this was signed.
        public var status: AppStoreWord<AppStoreStatus>? { members.word("status") }
        /// Why the customer asks for a refund; only of `CONSUMPTION_REQUEST`.
        public var consumptionRequestReason: AppStoreWord<AppStoreConsumptionRequestReason>? {
            members.word("consumptionRequestReason")
        }
    }

    /// What became of extending the renewal date of many.
    public struct Summary: AppStoreAppPayload {
        /// The part as it was signed.
        public let members: JSONObject

        /// The documented members of `summary`.
        public static let fields: [AppStoreField] = [
            .init("requestIdentifier", .identifier), .init("environment", .text),
            .init("appAppleId", .number), .init("bundleId", .text), .init("productId", .text),
            .init("storefrontCountryCodes", .texts), .init("succeededCount", .number),
            .init("failedCount", .number),
        ]

        /// The id that the developer gave to the request.
        public var requestID: String? { members.identifier("requestIdentifier") }
        /// The environment in which dates were extended.
        public var environment: AppStoreWord<AppStoreEnvironment>? { members.word("environment") }
        /// The subscription's product id.
        public var productID: String? { members.text("productId") }
        /// ISO 3166-1 alpha-3, in the order sent.
        public var storefronts: [String]? { members.texts("storefrontCountryCodes") }
        /// Subscriptions whose renewal date was extended.
        public var succeededCount: Int64? { members.wholeNumber("succeededCount") }
        /// Subscriptions whose renewal date could not be extended.
        public var failedCount: Int64? { members.wholeNumber("failedCount") }
    }

    /// About purchases outside of the store that must be reported to Apple.
    public struct ExternalPurchaseToken: AppStoreAppPayload {
        /// The part as it was signed.
        public let members: JSONObject

        /// The documented members of `externalPurchaseToken`.
        public static let fields: [AppStoreField] = [
            .init("externalPurchaseId", .identifier), .init("tokenCreationDate", .milliseconds),
            .init("appAppleId", .number), .init("bundleId", .text), .init("tokenType", .text),
            .init("tokenExpirationDate", .milliseconds),
        ]

        /// The token's id; that of a sandbox begins with `SANDBOX`.
        public var id: String? { members.identifier("externalPurchaseId") }
        /// Milliseconds since 1970 UTC.
        public var createdAt: Int64? { members.milliseconds("tokenCreationDate") }
        /// Apple's word for the kind of token, as it came.
        public var tokenType: String? { members.text("tokenType") }
        /// Milliseconds since 1970 UTC.
        public var expiresAt: Int64? { members.milliseconds("tokenExpirationDate") }
    }

    /// About the app as a whole, such as a parent's consent taken back.
    public struct AppData: AppStoreAppPayload {
        /// The part as it was signed.
        public let members: JSONObject

        /// The documented members of `appData`.
        public static let fields: [AppStoreField] = [
            .init("appAppleId", .number), .init("bundleId", .text), .init("environment", .text),
            .init("signedAppTransactionInfo", .signed),
        ]

        /// The environment of the download.
        public var environment: AppStoreWord<AppStoreEnvironment>? { members.word("environment") }
        /// The app transaction as a compact JWS; it is signed and verified by itself.
        public var signedAppTransaction: String? { members.text("signedAppTransactionInfo") }
    }
}
