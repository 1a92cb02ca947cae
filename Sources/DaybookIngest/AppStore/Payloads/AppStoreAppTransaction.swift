public import DaybookEvents

/// The download of an app by an Apple Account (`AppTransaction`).
public struct AppStoreAppTransaction: AppStoreAppPayload {
    /// The payload as it was signed; a property whose member is missing or unreadable is `nil`.
    public let members: JSONObject

    /// Reads a payload; whether it can be believed is decided by the verifier.
    public init(members: JSONObject) { self.members = members }

    /// The documented members of `AppTransaction`.
    public static let fields: [AppStoreField] = [
        .init("receiptType", .text), .init("appAppleId", .number), .init("bundleId", .text),
        .init("applicationVersion", .text), .init("versionExternalIdentifier", .number),
        .init("receiptCreationDate", .milliseconds), .init("originalPurchaseDate", .milliseconds),
        .init("originalApplicationVersion", .text), .init("deviceVerification", .text),
        .init("deviceVerificationNonce", .text), .init("preorderDate", .milliseconds),
        .init("appTransactionId", .identifier), .init("originalPlatform", .text),
        .init("requestDate", .milliseconds), .init("signedDate", .milliseconds),
    ]

    /// The download's id, one for an Apple Account and an app.
    public var id: String? { members.identifier("appTransactionId") }
    /// The environment, which Apple calls `receiptType` here.
    public var environment: AppStoreWord<AppStoreEnvironment>? { members.word("receiptType") }
    /// The version of the app that the download was told for.
    public var applicationVersion: String? { members.text("applicationVersion") }
    /// The version of the app that was downloaded first.
    public var originalApplicationVersion: String? { members.text("originalApplicationVersion") }
    /// The platform on which the app was downloaded first.
    public var originalPlatform: String? { members.text("originalPlatform") }
    /// Apple's number for the version of the app.
    public var versionExternalID: Int64? { members.wholeNumber("versionExternalIdentifier") }

    // MARK: When, milliseconds since 1970 UTC

    /// `receiptCreationDate`, which is when it was signed.
    public var signedAt: Int64? {
        members.milliseconds("signedDate") ?? members.milliseconds("receiptCreationDate")
    }
    /// In Xcode's payloads this is in the year 1.
    public var originallyPurchasedAt: Int64? { members.milliseconds("originalPurchaseDate") }
    /// When the app was preordered.
    public var preorderedAt: Int64? { members.milliseconds("preorderDate") }
    /// When the payload was asked for.
    public var requestedAt: Int64? { members.milliseconds("requestDate") }
}
