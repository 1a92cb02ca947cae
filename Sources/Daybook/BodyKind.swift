public import DaybookIngest

/// What a body from outside is.
public enum BodyKind: Sendable, Hashable, CaseIterable {
    /// Signed by Apple.
    case appStore(AppStorePayloadKind)
    /// A webhook of RevenueCat's, which nobody signs.
    case revenueCat

    public static var allCases: [BodyKind] {
        AppStorePayloadKind.allCases.map(appStore) + [.revenueCat]
    }

    /// As dead letters have it: `notification`, `app_transaction`, `revenuecat`.
    var word: String {
        switch self {
        case .appStore(let kind): kind.rawValue
        case .revenueCat: "revenuecat"
        }
    }

    init?(word: String) {
        guard let kind = Self.allCases.first(where: { $0.word == word }) else { return nil }
        self = kind
    }
}
