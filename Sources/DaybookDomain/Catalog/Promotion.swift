/// What a batch of codes gives, each code once.
public struct Promotion: Sendable, Equatable {
    /// The most codes that a promotion can have.
    public static let codesMax: Int64 = 100_000

    /// Key in the catalog's `promotions`, from which codes follow; the reader takes 1 to 64 bytes without a slash.
    public var name: String
    /// Name of the entitlement that each code gives.
    public var entitlement: String
    /// How many codes there are: 1 to `codesMax`.
    public var codes: Int64
    /// How long it gives, from the redemption on; `nil`: for ever.
    public var duration: CivilDuration?
    /// Until when a code can be redeemed, exclusive, in milliseconds since 1970 UTC; `nil`: for ever.
    public var redeemableUntil: Int64?
    /// `profile`: a code serves one profile, which must be named.
    public var scope: Product.Scope = .subject

    /// Makes a promotion for customers, without a duration or a last time to redeem; nothing is checked.
    public init(name: String, entitlement: String, codes: Int64) {
        self.name = name
        self.entitlement = entitlement
        self.codes = codes
    }
}
