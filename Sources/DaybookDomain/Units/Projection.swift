/// What is folded side by side from one stream of events, each with its own version (rule 22).
public enum Projection: String, CaseIterable, Sendable {
    case entitlements, usage, funnels

    /// Changes whenever the same events would give another state.
    public var version: String {
        switch self {
        case .entitlements: "\(LineState.version).\(CustomerState.version)"
        case .usage: "\(UsageState.version)"
        case .funnels: "\(FunnelState.version)"
        }
    }
}

/// Some of the projections.
public struct Projections: OptionSet, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    public static let entitlements = Projections(rawValue: 1)
    public static let usage = Projections(rawValue: 2)
    public static let funnels = Projections(rawValue: 4)
    public static let all: Projections = [.entitlements, .usage, .funnels]

    public init(_ projections: some Sequence<Projection>) {
        self = []
        for projection in projections {
            switch projection {
            case .entitlements: insert(.entitlements)
            case .usage: insert(.usage)
            case .funnels: insert(.funnels)
            }
        }
    }
}
