public import DaybookIngest

/// What a payload from outside is.
public enum PayloadKind: Sendable, Hashable, CaseIterable {
    /// Signed by Apple.
    case appStore(AppStorePayloadKind)
    /// A webhook of RevenueCat's, which is not signed.
    case revenueCat
    /// A subscriber document of RevenueCat's REST API, which is not signed either.
    case revenueCatSubscriber

    /// Whether its signature must be verified before it is taken in.
    public var isSigned: Bool {
        switch self {
        case .appStore: true
        case .revenueCat, .revenueCatSubscriber: false
        }
    }

    /// The App Store's kinds, then RevenueCat's.
    public static var allCases: [PayloadKind] {
        AppStorePayloadKind.allCases.map(appStore) + [.revenueCat, .revenueCatSubscriber]
    }

    /// As answers and commands name it: `app-store-notification`, `app-store-app-transaction`, …, `revenuecat`,
    /// `revenuecat-subscriber`.
    package var name: String {
        (isSigned ? "app-store-" : "") + word.replacing("_", with: "-")
    }

    /// As dead letters have it: `notification`, `app_transaction`, `revenuecat`, `revenuecat_subscriber`.
    var word: String {
        switch self {
        case .appStore(let kind): kind.rawValue
        case .revenueCat: "revenuecat"
        case .revenueCatSubscriber: "revenuecat_subscriber"
        }
    }

    init?(word: String) {
        guard let kind = Self.allCases.first(where: { $0.word == word }) else { return nil }
        self = kind
    }
}
