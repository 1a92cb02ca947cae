import DaybookEvents

/// What developers pretend: intervals beside the state, applied before the state table, never in production (rule 10).
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

    init(_ question: CustomerCase) {
        guard question.environment != .production else { return }
        let overrides = question.state.customer.overrides
        for (index, override) in overrides.enumerated() where override.isSet {
            let cleared = overrides[(index + 1)...].first {
                !$0.isSet && ($0.kind == 0 || $0.kind == override.kind)
            }
            let until = min(override.expiresAt, cleared?.at ?? Int64.max)
            guard override.at <= question.at, question.at < until else { continue }
            switch override.kind {
            case 1:
                forced.append(
                    Force(value: question.names[override.value], at: override.at, until: until))
            case 2: expiresTrial = true
            case 3: clearedAt = max(clearedAt ?? Int64.min, override.at)
            case 4: trialEligibilityResetAt = max(trialEligibilityResetAt ?? Int64.min, override.at)
            default: break
            }
        }
    }
}

/// Which profile each purchase serves: one at a time, the first claim stands (T1).
struct Assignments {
    struct Stretch {
        var transaction: Reference
        var profile: NameID
        var from: Int64
        var until: Int64
    }

    private var stretches: [Stretch] = []
    private let names: NameTable

    init(_ question: CustomerCase) {
        names = question.names
        for assignment in question.state.customer.assignments {
            let open = stretches.lastIndex {
                $0.transaction == assignment.transaction && $0.until == Int64.max
            }
            if assignment.profile == 0 {
                if let open { stretches[open].until = assignment.at }
            } else if let open {
                // Claimed twice: the second claim is a conflict and changes nothing, unless the profile is gone.
                let end = Self.deletion(
                    of: stretches[open].profile, after: stretches[open].from, question)
                guard let end, end <= assignment.at else { continue }
                stretches[open].until = end
                append(assignment)
            } else {
                append(assignment)
            }
        }
        for index in stretches.indices where stretches[index].until == Int64.max {
            if let end = Self.deletion(
                of: stretches[index].profile, after: stretches[index].from, question)
            {
                stretches[index].until = end
            }
        }
    }

    private mutating func append(_ assignment: CustomerState.Assignment) {
        // The first assignment reaches back to the purchase, which may have been made offline (OL-22).
        let isFirst = !stretches.contains { $0.transaction == assignment.transaction }
        stretches.append(
            Stretch(
                transaction: assignment.transaction, profile: assignment.profile,
                from: isFirst ? Int64.min : assignment.at, until: Int64.max))
    }

    /// When the profile was deleted for good, after a time.
    private static func deletion(
        of profile: NameID, after from: Int64, _ question: CustomerCase
    ) -> Int64? {
        let changes = question.state.customer.profiles.filter { $0.profile == profile }
        guard let last = changes.last, last.change == .deleted, last.at >= from else { return nil }
        return last.at
    }

    /// The profile that any of the transactions serves at a time.
    func profile(of transactions: Set<Reference>, at instant: Int64) -> String? {
        stretches.last {
            transactions.contains($0.transaction) && $0.from <= instant && instant < $0.until
        }.map { names[$0.profile] }
    }

    /// The profile that a transaction serves at a time.
    func profile(of transaction: Reference, at instant: Int64) -> String? {
        profile(of: [transaction], at: instant)
    }
}
