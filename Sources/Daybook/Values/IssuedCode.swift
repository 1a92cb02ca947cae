public import DaybookDomain

/// One code of a promotion, and what became of it.
public struct IssuedCode: Sendable, Equatable {
    public var code: PromotionCode
    /// Who redeemed it; `nil`: nobody yet.
    public var redeemedBy: String?
    /// When that was recorded, in milliseconds since 1970 UTC.
    public var redeemedAt: Int64?
}
