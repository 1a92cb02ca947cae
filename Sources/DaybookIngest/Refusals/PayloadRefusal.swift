/// Why a payload of any source is not taken in: a closed set of classes, and what was seen.
public struct PayloadRefusal: Error, Sendable, Equatable, CustomStringConvertible {
    /// The class of a refusal; each raw value is the code of a dead letter.
    public enum Reason: String, Sendable, CaseIterable {
        /// It is not what the source sends. Of the App Store: three parts, base64url, ES256, certificates, JSON of the
        /// kind asked for.
        case format
        /// The certificates do not lead to a configured root, are not Apple's for this purpose, were not valid when
        /// the payload was signed, or were withdrawn since.
        case chain
        /// The signature is not the leaf's.
        case signature
        /// It is about another app.
        case appIdentity = "app_identity"
        /// It is of another environment than asked for.
        case environment
        /// It has the id of something that was taken in before and said otherwise.
        case conflict
        /// It could not be decided now; the same bytes may pass later.
        case retryable
    }

    /// The class of the refusal.
    public var reason: Reason
    /// One sentence with what was seen and what was expected; safe to log.
    public var detail: String
    /// The lineage that a transaction must tell of before the same bytes pass, such as `apple:2000000123`; `nil` where
    /// no event makes them pass.
    public var waitsFor: String?

    /// A refusal that no event can undo: `waitsFor` is `nil`.
    public init(_ reason: Reason, _ detail: String) {
        self.reason = reason
        self.detail = detail
    }

    /// Refuses a payload of which a condition does not hold.
    package static func require(
        _ holds: Bool, _ reason: Reason, _ detail: @autoclosure () -> String
    ) throws(PayloadRefusal) {
        if !holds { throw PayloadRefusal(reason, detail()) }
    }

    /// For messages: `CLASS: DETAIL`; safe to log.
    public var description: String { "\(reason.rawValue): \(detail)" }

    /// The same refusal, said of something inside.
    func inside(_ place: String) -> PayloadRefusal {
        var refusal = self
        refusal.detail = "\(place): \(detail)"
        return refusal
    }
}
