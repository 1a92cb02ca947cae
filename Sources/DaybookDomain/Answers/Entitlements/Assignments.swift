import DaybookEvents

/// Which profile each purchase serves: one at a time, the first claim stands (T1).
struct Assignments {
    struct Stretch {
        var transaction: Reference
        var profile: NameID
        var from: Int64
        var until: Int64
    }

    private var stretches: [Stretch] = []
    /// Where each transaction's stretches are; only the last of them may be open.
    private var indices: [Reference: [Int]] = [:]
    private let context: CustomerCase

    init(_ context: CustomerCase) {
        self.context = context
        for assignment in context.state.customer.assignments {
            let open = indices[assignment.transaction]?.last.flatMap {
                stretches[$0].until == Int64.max ? $0 : nil
            }
            if assignment.isEnd {
                guard let open, [0, stretches[open].profile].contains(assignment.profile) else {
                    continue
                }
                stretches[open].until = assignment.at
            } else if let open {
                // A second claim is a conflict and changes nothing, unless the profile is gone by then (OL-28).
                guard let end = deletion(of: stretches[open].profile, inForceAt: assignment.at)
                else { continue }
                stretches[open].until = end
                append(assignment)
            } else {
                append(assignment)
            }
        }
    }

    private mutating func append(_ assignment: CustomerState.Assignment) {
        // The first assignment reaches back to the purchase, which may have been made offline (OL-22).
        let isFirst = indices[assignment.transaction] == nil
        indices[assignment.transaction, default: []].append(stretches.count)
        stretches.append(
            Stretch(
                transaction: assignment.transaction, profile: assignment.profile,
                from: isFirst ? Int64.min : assignment.at, until: Int64.max))
    }

    /// When a profile was deleted that is deleted at an instant; `nil` where it exists then or was never known.
    private func deletion(of profile: NameID, inForceAt instant: Int64) -> Int64? {
        let changes = context.state.customer.profiles.filter { $0.profile == profile }
        guard changes.contains(where: { $0.change != .deleted }) else { return nil }
        let past = changes.filter { $0.at <= instant }
        let lastAlive = past.lastIndex { $0.change != .deleted }
        return past.dropFirst(lastAlive.map { $0 + 1 } ?? 0).first?.at
    }

    /// The transactions that ever served a profile up to a time.
    func transactions(of profile: NameID, until instant: Int64) -> Set<Reference> {
        Set(
            stretches.filter {
                $0.profile == profile && $0.from <= instant && $0.from < $0.until
            }.map(\.transaction))
    }

    /// The profile that any of the transactions serves at a time; no purchase serves a deleted one.
    func profile(of transactions: Set<Reference>, at instant: Int64) -> String? {
        let inForce = transactions.lazy.compactMap { transaction in
            indices[transaction]?.last {
                stretches[$0].from <= instant && instant < stretches[$0].until
            }
        }
        guard let stretch = inForce.max().map({ stretches[$0] }),
            deletion(of: stretch.profile, inForceAt: instant) == nil
        else {
            return nil
        }
        return context.names[stretch.profile]
    }

    /// Every profile that a transaction ever served, deleted ones as well, in the order of its first service.
    func profiles(of transaction: Reference) -> [String] {
        var found: [NameID] = []
        for index in indices[transaction] ?? [] where !found.contains(stretches[index].profile) {
            found.append(stretches[index].profile)
        }
        return found.map { context.names[$0] }
    }

    /// The profile that a transaction serves at a time.
    func profile(of transaction: Reference, at instant: Int64) -> String? {
        profile(of: [transaction], at: instant)
    }
}
