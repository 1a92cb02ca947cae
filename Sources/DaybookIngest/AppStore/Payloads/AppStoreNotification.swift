public import DaybookEvents

/// An App Store Server Notification, version 2 (`responseBodyV2DecodedPayload`).
public struct AppStoreNotification: AppStorePayload {
    public let members: JSONObject
    /// What is nested in it; only there when it was verified for itself.
    public internal(set) var transaction: AppStoreTransaction?
    public internal(set) var renewal: AppStoreRenewal?
    public internal(set) var appTransaction: AppStoreAppTransaction?

    /// Reads a payload; whether it can be believed is decided by the verifier.
    public init(members: JSONObject) { self.members = members }

    public static let fields: [AppStoreField] = [
        .init("notificationType", .text), .init("subtype", .text),
        .init("notificationUUID", .identifier), .init("version", .text),
        .init("signedDate", .milliseconds), .init("data", .object), .init("summary", .object),
        .init("externalPurchaseToken", .object), .init("appData", .object),
    ]

    public var type: AppStoreWord<AppStoreNotificationType>? {
        members.word("notificationType", AppStoreNotificationType.self)
    }
    public var subtype: AppStoreWord<AppStoreNotificationSubtype>? {
        members.word("subtype", AppStoreNotificationSubtype.self)
    }
    /// In lower case, however it came: both are the same notification.
    public var uuid: String? {
        members.identifier("notificationUUID").map(UUIDText.lowercased)
    }
    public var version: String? { members.text("version") }
    /// Milliseconds since 1970 UTC.
    public var signedAt: Int64? { members.milliseconds("signedDate") }

    public var data: Details? { members.object("data").map(Details.init) }
    public var summary: Summary? { members.object("summary").map(Summary.init) }
    public var externalPurchaseToken: ExternalPurchaseToken? {
        members.object("externalPurchaseToken").map(ExternalPurchaseToken.init)
    }
    public var appData: AppData? { members.object("appData").map(AppData.init) }

    /// About one subscription or purchase.
    public struct Details: AppStorePayload {
        public let members: JSONObject

        public static let fields: [AppStoreField] = [
            .init("environment", .text), .init("appAppleId", .number), .init("bundleId", .text),
            .init("bundleVersion", .text), .init("signedTransactionInfo", .signed),
            .init("signedRenewalInfo", .signed), .init("status", .number),
            .init("consumptionRequestReason", .text),
        ]

        public var environment: AppStoreWord<AppStoreEnvironment>? {
            members.word("environment", AppStoreEnvironment.self)
        }
        public var appAppleID: Int64? { members.wholeNumber("appAppleId") }
        public var bundleID: String? { members.text("bundleId") }
        public var bundleVersion: String? { members.text("bundleVersion") }
        public var signedTransaction: String? { members.text("signedTransactionInfo") }
        public var signedRenewal: String? { members.text("signedRenewalInfo") }
        public var status: AppStoreWord<AppStoreStatus>? {
            members.word("status", AppStoreStatus.self)
        }
        public var consumptionRequestReason: AppStoreWord<AppStoreConsumptionRequestReason>? {
            members.word("consumptionRequestReason", AppStoreConsumptionRequestReason.self)
        }
    }

    /// What became of extending the renewal date of many.
    public struct Summary: AppStorePayload {
        public let members: JSONObject

        public static let fields: [AppStoreField] = [
            .init("requestIdentifier", .identifier), .init("environment", .text),
            .init("appAppleId", .number), .init("bundleId", .text), .init("productId", .text),
            .init("storefrontCountryCodes", .texts), .init("succeededCount", .number),
            .init("failedCount", .number),
        ]

        public var requestID: String? { members.identifier("requestIdentifier") }
        public var environment: AppStoreWord<AppStoreEnvironment>? {
            members.word("environment", AppStoreEnvironment.self)
        }
        public var appAppleID: Int64? { members.wholeNumber("appAppleId") }
        public var bundleID: String? { members.text("bundleId") }
        public var productID: String? { members.text("productId") }
        /// ISO 3166-1 alpha-3, in the order sent.
        public var storefronts: [String]? { members.texts("storefrontCountryCodes") }
        public var succeededCount: Int64? { members.wholeNumber("succeededCount") }
        public var failedCount: Int64? { members.wholeNumber("failedCount") }
    }

    /// About purchases outside of the store that must be reported to Apple.
    public struct ExternalPurchaseToken: AppStorePayload {
        public let members: JSONObject

        public static let fields: [AppStoreField] = [
            .init("externalPurchaseId", .identifier), .init("tokenCreationDate", .milliseconds),
            .init("appAppleId", .number), .init("bundleId", .text), .init("tokenType", .text),
            .init("tokenExpirationDate", .milliseconds),
        ]

        public var id: String? { members.identifier("externalPurchaseId") }
        /// Milliseconds since 1970 UTC.
        public var createdAt: Int64? { members.milliseconds("tokenCreationDate") }
        public var appAppleID: Int64? { members.wholeNumber("appAppleId") }
        public var bundleID: String? { members.text("bundleId") }
        public var tokenType: String? { members.text("tokenType") }
        /// Milliseconds since 1970 UTC.
        public var expiresAt: Int64? { members.milliseconds("tokenExpirationDate") }
    }

    /// About the app as a whole, such as a parent's consent taken back.
    public struct AppData: AppStorePayload {
        public let members: JSONObject

        public static let fields: [AppStoreField] = [
            .init("appAppleId", .number), .init("bundleId", .text), .init("environment", .text),
            .init("signedAppTransactionInfo", .signed),
        ]

        public var appAppleID: Int64? { members.wholeNumber("appAppleId") }
        public var bundleID: String? { members.text("bundleId") }
        public var environment: AppStoreWord<AppStoreEnvironment>? {
            members.word("environment", AppStoreEnvironment.self)
        }
        public var signedAppTransaction: String? { members.text("signedAppTransactionInfo") }
    }
}
