/// What is folded side by side from one stream of events, each with its own version (rule 22).
public enum Projection: String, CaseIterable, Sendable {
    case entitlements, usage, funnels

    /// Changes whenever the same events would give another state.
    public var version: String {
        switch self {
        case .entitlements: "\(LineageState.version).\(CustomerState.version)"
        case .usage: "\(UsageState.version)"
        case .funnels: "\(FunnelState.version)"
        }
    }
}
