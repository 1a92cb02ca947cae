public import ArgumentParser
public import Daybook
public import DaybookIngest

extension PayloadKind: ExpressibleByArgument {
    /// `app-store-notification`, `app-store-app-transaction`, …, `revenuecat`, `revenuecat-subscriber`.
    public init?(argument: String) {
        guard let kind = Self.allCases.first(where: { $0.argument == argument }) else {
            return nil
        }
        self = kind
    }

    public static var allValueStrings: [String] { allCases.map(\.argument) }
    public var defaultValueDescription: String { argument }

    /// As it is written on the command line.
    var argument: String {
        switch self {
        case .appStore(let kind): "app-store-" + kind.rawValue.replacing("_", with: "-")
        case .revenueCat: "revenuecat"
        case .revenueCatSubscriber: "revenuecat-subscriber"
        }
    }
}

extension AppStoreNotificationType: ExpressibleByArgument {}
extension AppStoreNotificationSubtype: ExpressibleByArgument {}

extension AppStoreTransactionReason: ExpressibleByArgument {
    public init?(argument: String) { self.init(rawValue: argument.uppercased()) }

    public static var allValueStrings: [String] { allCases.map { $0.rawValue.lowercased() } }
}

extension AppStoreProductType: ExpressibleByArgument {
    public init?(argument: String) {
        guard let found = Self.allCases.first(where: { $0.argument == argument }) else {
            return nil
        }
        self = found
    }

    public static var allValueStrings: [String] { allCases.map(\.argument) }
    public var defaultValueDescription: String { argument }

    private var argument: String {
        switch self {
        case .autoRenewable: "auto-renewable"
        case .nonConsumable: "non-consumable"
        case .consumable: "consumable"
        case .nonRenewing: "non-renewing"
        }
    }
}
