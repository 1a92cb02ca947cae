/// Why something that claims to come from the App Store is not taken in: a closed set of classes, and what was seen.
public struct AppStoreRefusal: Error, Sendable, Equatable, CustomStringConvertible {
    public enum Reason: String, Sendable, CaseIterable {
        /// It is not what Apple sends: three parts, base64url, ES256, three certificates, JSON.
        case format
        /// The certificates do not lead to a configured root, are not Apple's for this purpose, or were not valid
        /// when the payload was signed.
        case chain
        /// The signature is not the leaf's.
        case signature
        /// It is about another app.
        case appIdentity = "app_identity"
        /// It is of another environment than asked for.
        case environment
        /// It could not be decided now; the same bytes may pass later.
        case retryable
    }

    public var reason: Reason
    /// One sentence with what was seen and what was expected; safe to log.
    public var detail: String

    public init(_ reason: Reason, _ detail: String) {
        self.reason = reason
        self.detail = detail
    }

    public var description: String { "\(reason.rawValue): \(detail)" }
}
