public import DaybookIngest

/// What a body from outside is.
public enum BodyKind: Sendable, Hashable, CaseIterable {
    /// Signed by Apple.
    case appStore(AppStorePayloadKind)
    /// A webhook of RevenueCat's, which nobody signs.
    case revenueCat
    /// A subscriber document of RevenueCat's REST API, which nobody signs either.
    case revenueCatSubscriber

    /// Whether somebody must be believed before it is taken in.
    public var isSigned: Bool {
        switch self {
        case .appStore: true
        case .revenueCat, .revenueCatSubscriber: false
        }
    }

    public static var allCases: [BodyKind] {
        AppStorePayloadKind.allCases.map(appStore) + [.revenueCat, .revenueCatSubscriber]
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
