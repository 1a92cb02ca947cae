public import DaybookDomain

/// One code of a promotion, and what became of it.
public struct IssuedCode: Sendable, Equatable {
    /// The code's text, and its number within the promotion.
    public var code: PromotionCode
    /// The customer who redeemed it; `nil`: none yet.
    public var redeemedBy: String?
    /// When that was recorded, in milliseconds since 1970 UTC.
    public var redeemedAt: Int64?
}
