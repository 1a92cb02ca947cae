public import ArgumentParser
public import Daybook
public import DaybookIngest

extension PayloadKind: ExpressibleByArgument {
    /// Reads a name such as `app-store-notification`; `nil` for any other text.
    public init?(argument: String) {
        guard let kind = Self.allCases.first(where: { $0.name == argument }) else { return nil }
        self = kind
    }

    /// The names of all kinds, as help texts list them.
    public static var allValueStrings: [String] { allCases.map(\.name) }
    /// The name, as help texts show it.
    public var defaultValueDescription: String { name }
}

extension AppStoreNotificationType: ExpressibleByArgument {}
extension AppStoreNotificationSubtype: ExpressibleByArgument {}

extension AppStoreTransactionReason: ExpressibleByArgument {
    /// Reads `purchase` or `renewal` in any case; `nil` for any other text.
    public init?(argument: String) { self.init(rawValue: argument.uppercased()) }

    /// All reasons in small letters, as help texts list them.
    public static var allValueStrings: [String] { allCases.map { $0.rawValue.lowercased() } }
}

extension AppStoreProductType: ExpressibleByArgument {
    /// Reads a word such as `auto-renewable`; `nil` for any other text.
    public init?(argument: String) {
        guard let found = Self.allCases.first(where: { $0.argument == argument }) else {
            return nil
        }
        self = found
    }

    /// The words of all kinds, as help texts list them.
    public static var allValueStrings: [String] { allCases.map(\.argument) }
    /// Empty: help texts list the words alone.
    public static var allValueDescriptions: [String: String] { [:] }
    /// The word, as help texts show it.
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
