public import DaybookEvents

extension Source {
    /// Why a source gives nothing.
    public enum Why: Sendable, Hashable, CustomStringConvertible {
        case notStarted, expired, freePeriodExpired, grantVoided
        /// It ended for a reason that the store gave: `expired.voluntary`.
        case ended(ExactText)
        case refunded, revoked, billingRetry, transferred, needsAssignment
        case unknownProduct, unverified, unknownState
        case family(FamilyRefusal)

        /// Those that carry nothing.
        private static let plain: [Why] = [
            .notStarted, .expired, .freePeriodExpired, .grantVoided, .refunded, .revoked,
            .billingRetry, .transferred, .needsAssignment, .unknownProduct, .unverified,
            .unknownState,
        ]

        /// The reason of a word that `rawValue` gives; `nil` for any other text.
        public init?(rawValue: String) {
            let ended = "expired."
            if let refusal = FamilyRefusal(rawValue: rawValue) {
                self = .family(refusal)
            } else if let plain = Self.plain.first(where: { $0.rawValue == rawValue }) {
                self = plain
            } else if rawValue.hasPrefix(ended) {
                self = .ended(ExactText(String(rawValue.dropFirst(ended.count))))
            } else {
                return nil
            }
        }

        /// The word on the wire. Reasons are compared by case, without making it, so this is no `RawRepresentable`.
        public var rawValue: String {
            switch self {
            case .notStarted: "not_started"
            case .expired: "expired"
            case .freePeriodExpired: "intro_expired"
            case .grantVoided: "grant_voided"
            case .ended(let reason): "expired.\(reason.text)"
            case .refunded: "refunded"
            case .revoked: "revoked"
            case .billingRetry: "billing_retry"
            case .transferred: "transferred"
            case .needsAssignment: "needs_assignment"
            case .unknownProduct: "unknown_product"
            case .unverified: "unverified"
            case .unknownState: "unknown_state_fallback_free"
            case .family(let refusal): refusal.rawValue
            }
        }

        /// The same as `rawValue`: `expired.voluntary`.
        public var description: String { rawValue }
    }
}
