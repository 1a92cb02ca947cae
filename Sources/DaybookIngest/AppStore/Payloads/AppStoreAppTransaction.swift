public import DaybookEvents

/// The download of an app by an Apple Account (`AppTransaction`).
public struct AppStoreAppTransaction: AppStorePayload {
    public let members: JSONObject

    /// Reads a payload; whether it can be believed is decided by the verifier.
    public init(members: JSONObject) { self.members = members }

    public static let fields: [AppStoreField] = [
        .init("receiptType", .text), .init("appAppleId", .number), .init("bundleId", .text),
        .init("applicationVersion", .text), .init("versionExternalIdentifier", .number),
        .init("receiptCreationDate", .milliseconds), .init("originalPurchaseDate", .milliseconds),
        .init("originalApplicationVersion", .text), .init("deviceVerification", .text),
        .init("deviceVerificationNonce", .text), .init("preorderDate", .milliseconds),
        .init("appTransactionId", .identifier), .init("originalPlatform", .text),
        .init("requestDate", .milliseconds), .init("signedDate", .milliseconds),
    ]

    public var id: String? { members.identifier("appTransactionId") }
    public var bundleID: String? { members.text("bundleId") }
    public var appAppleID: Int64? { members.wholeNumber("appAppleId") }
    public var environment: AppStoreWord<AppStoreEnvironment>? {
        members.word("receiptType", AppStoreEnvironment.self)
    }
    public var applicationVersion: String? { members.text("applicationVersion") }
    public var originalApplicationVersion: String? { members.text("originalApplicationVersion") }
    public var originalPlatform: String? { members.text("originalPlatform") }
    public var versionExternalID: Int64? { members.wholeNumber("versionExternalIdentifier") }

    // MARK: When, milliseconds since 1970 UTC

    /// `receiptCreationDate`, which is when it was signed.
    public var signedAt: Int64? {
        members.milliseconds("signedDate") ?? members.milliseconds("receiptCreationDate")
    }
    /// In Xcode's payloads this is in the year 1.
    public var originallyPurchasedAt: Int64? { members.milliseconds("originalPurchaseDate") }
    public var preorderedAt: Int64? { members.milliseconds("preorderDate") }
    public var requestedAt: Int64? { members.milliseconds("requestDate") }
}
