import DaybookEvents

/// Debug overrides: intervals beside the state, applied before the state table, never in production (rule 10).
struct DebugLayer {
    struct Force {
        var value: String
        var at: Int64
        var until: Int64
    }

    private(set) var forced: [Force] = []
    private(set) var expiresTrial = false
    /// Facts that began before this are hidden.
    private(set) var clearedAt: Int64?
    private(set) var trialEligibilityResetAt: Int64?

    init(_ context: CustomerCase) {
        guard context.environment != .production else { return }
        let overrides = context.state.customer.overrides
        for (index, override) in overrides.enumerated() where override.isSet {
            let cleared = overrides[(index + 1)...].first {
                !$0.isSet && ($0.kind == 0 || $0.kind == override.kind)
            }
            let until = min(override.expiresAt, cleared?.at ?? Int64.max)
            guard override.at <= context.at, context.at < until else { continue }
            switch override.kind {
            case 1:
                forced.append(
                    Force(value: context.names[override.value], at: override.at, until: until))
            case 2: expiresTrial = true
            case 3: clearedAt = max(clearedAt ?? Int64.min, override.at)
            case 4: trialEligibilityResetAt = max(trialEligibilityResetAt ?? Int64.min, override.at)
            default: break
            }
        }
    }
}
