import Foundation

/// A catalog with everything that the five apps do not use: credits, passes, anniversaries, debts, shared purchases,
/// subscriptions of profiles, soft limits; and a later one that changes whatever may change.
public enum SamplerCatalog {
    /// Published first, in force from the beginning of time.
    public static let first = Array(firstText.utf8)

    /// Changes limits, promises, maps and policies, and adds a product and a free period.
    public static let second = Array(
        changes.reduce(firstText) { $0.replacing($1.old, with: $1.new) }.utf8)

    private static let changes: [(old: String, new: String)] = [
        ("limit: 4 # prints", "limit: 2"), ("club: 20 # prints", "club: unlimited"),
        ("limit: 3 # sketches", "limit: 6"), ("limit: 2 # boxes", "limit: 1"),
        ("limit: 14 # memory", "limit: 7"), ("amount: 10 # coins", "amount: 12"),
        ("duration: P1M # pass", "duration: P2M"), ("duration: P14D # weeks", "duration: P21D"),
        ("features: [walks] # weeks", "features: [walks, vet]"),
        ("club: [chat, stickers, printing]", "club: [chat, stickers, archive]"),
        ("clientAssertedHours: 48", "clientAssertedHours: 0"),
        ("billingRetryAccess: true", "billingRetryAccess: false"),
        ("gap: assumeActive", "gap: assumeInactive"),
        ("proratedRefundKeepsAccess: true", "proratedRefundKeepsAccess: false"),
        ("familyServesOneProfile: true", "familyServesOneProfile: false"),
        (
            "  # more products",
            """
              club.weekly:
                kind: autoRenewable
                group: Club
                level: 3
                period: P1W
                entitlements: [club]
            """
        ),
        (
            "  # more free periods",
            """
              cat_days:
                profileKind: cat
                duration: P3D
                features: [vet]
            """
        ),
    ]

    /// `sampler.yaml`, beside this file.
    private static let firstText: String = {
        let file = Fixtures.root.appending(path: "Sources/DaybookFixtures/Apps/sampler.yaml")
        // A checkout without the file is no place for tests.
        guard let text = try? String(contentsOf: file, encoding: .utf8) else {
            preconditionFailure("\(file.path) cannot be read.")
        }
        return String(text.dropLast())
    }()
}
