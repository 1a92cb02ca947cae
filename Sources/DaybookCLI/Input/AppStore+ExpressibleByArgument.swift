public import ArgumentParser
public import DaybookIngest

extension AppStorePayloadKind: ExpressibleByArgument {
    /// `app-store-notification`, `app-store-app-transaction`, …
    public init?(argument: String) {
        let prefix = "app-store-"
        guard argument.hasPrefix(prefix) else { return nil }
        let word = argument.dropFirst(prefix.count).replacing("-", with: "_")
        self.init(rawValue: String(word))
    }

    public static var allValueStrings: [String] { allCases.map(\.argument) }

    /// As it is written on the command line.
    var argument: String { "app-store-" + rawValue.replacing("_", with: "-") }
}

extension AppStoreNotificationType: ExpressibleByArgument {}
extension AppStoreNotificationSubtype: ExpressibleByArgument {}

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
