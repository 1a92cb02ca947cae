public import ArgumentParser
public import Daybook
public import DaybookIngest

extension PayloadKind: ExpressibleByArgument {
    public init?(argument: String) {
        guard let kind = Self.allCases.first(where: { $0.name == argument }) else { return nil }
        self = kind
    }

    public static var allValueStrings: [String] { allCases.map(\.name) }
    public var defaultValueDescription: String { name }
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
