/// Why the share of a family member serves nothing (DZ-23, OL-26).
public enum FamilyRefusal: String, Sendable, CaseIterable, CustomStringConvertible {
    /// The store does not share the product.
    case notShareable = "family_not_shareable"
    /// The product is sold per profile, and the app lets a share serve none.
    case servesNoProfile = "family_serves_no_profile"

    /// The stored word, such as `family_not_shareable`.
    public var description: String { rawValue }
}
