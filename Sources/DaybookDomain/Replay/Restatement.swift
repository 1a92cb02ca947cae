/// A stretch of time about which another answer was given than would be given now (rule 24): late knowledge changed it.
///
/// Computed from two cuts and never recorded, because history must not depend on the order of arrival.
public struct Restatement: Sendable, Equatable {
    /// What an answer said about one name.
    public enum Told: Sendable, Equatable {
        /// An entitlement: whether it was open, and why.
        case access(isActive: Bool, state: SourceState)
        /// A counter or gauge; `nil` is unlimited.
        case usage(used: Int64, limit: Int64?)
    }

    /// An entitlement or a meter.
    public var name: String
    /// The profile that the entitlement was asked for; `nil` for the customer as a whole.
    public var profile: String?
    /// Inclusive.
    public var from: Int64
    /// Exclusive; at most the moment from which on the new answer was known.
    public var until: Int64
    /// What was answered before the late knowledge.
    public var before: Told
    /// What is answered with it.
    public var after: Told

    /// Makes a restatement; nothing is checked.
    public init(
        name: String, profile: String?, from: Int64, until: Int64, before: Told, after: Told
    ) {
        self.name = name
        self.profile = profile
        self.from = from
        self.until = until
        self.before = before
        self.after = after
    }
}

/// Finds the restatements between two cuts by asking both at every moment at which either could change.
public struct RestatementSearch {
    /// Which answer is meant.
    private struct Name: Hashable {
        var profile: String?
        var name: String
        var isMeter: Bool
    }

    /// Of the moments that are given the latest so many are asked about, and with those found on the way twice as many.
    public static let instantCountMax = 512

    /// Exclusive end of the time that is looked at.
    private let until: Int64
    private let before: (Int64) throws -> CustomerCase
    private let after: (Int64) throws -> CustomerCase

    /// - Parameters:
    ///   - until: Restatements end before it: later moments had not been asked about yet.
    ///   - before: The customer's case at a moment, as known before.
    ///   - after: The same as known after.
    public init(
        until: Int64, before: @escaping (Int64) throws -> CustomerCase,
        after: @escaping (Int64) throws -> CustomerCase
    ) {
        self.until = until
        self.before = before
        self.after = after
    }

    /// - Parameter instants: Every time that an event of the customer names; what follows from them (ends of free
    ///   periods, resets) is found on the way.
    /// - Returns: In the order of names, then of time; empty when nothing that was said before is different now.
    public func restatements(instants: some Sequence<Int64>) throws -> [Restatement] {
        var answers: [Int64: (before: [Name: Restatement.Told], after: [Name: Restatement.Told])] =
            [:]
        var waiting = Array(
            Set(instants.filter { $0 < until }).sorted().suffix(Self.instantCountMax))
        while let instant = waiting.popLast() {
            guard answers[instant] == nil, answers.count < 2 * Self.instantCountMax else {
                continue
            }
            var found: [Int64] = []
            let old = Self.told(try before(instant), &found)
            let new = Self.told(try after(instant), &found)
            answers[instant] = (old, new)
            waiting += found.filter { $0 < until && answers[$0] == nil }
        }
        let order = answers.keys.sorted()
        let names = Set(answers.values.flatMap(\.before.keys))
        return names.sorted(by: Self.isBefore).flatMap { name in
            stretches(of: name, order, answers)
        }
    }

    private func stretches(
        of name: Name, _ order: [Int64],
        _ answers: [Int64: (before: [Name: Restatement.Told], after: [Name: Restatement.Told])]
    ) -> [Restatement] {
        var found: [Restatement] = []
        for (index, instant) in order.enumerated() {
            guard let before = answers[instant]?.before[name],
                let after = answers[instant]?.after[name], before != after
            else { continue }
            let end = index + 1 < order.count ? order[index + 1] : until
            if let last = found.last, last.until == instant, last.before == before,
                last.after == after
            {
                found[found.count - 1].until = end
            } else {
                found.append(
                    Restatement(
                        name: name.name, profile: name.profile, from: instant, until: end,
                        before: before, after: after))
            }
        }
        return found
    }

    /// What is answered at the case's moment, and the moments at which that answer begins and ends.
    private static func told(
        _ context: CustomerCase, _ instants: inout [Int64]
    ) -> [Name: Restatement.Told] {
        guard let check = Check(context) else { return [:] }
        instants += check.entitlements.sources.flatMap { [$0.startsAt, $0.expiresAt] }
            .compactMap(\.self)
        var told: [Name: Restatement.Told] = [:]
        let profiles = check.entitlements.profiles.map { Optional($0.profile) }
        for profile in [nil] + profiles {
            for answer in check.entitlements.entitlements(profile: profile) {
                told[Name(profile: profile, name: answer.name, isMeter: false)] = .access(
                    isActive: answer.isActive, state: answer.state)
            }
        }
        for meter in check.usage.meters() where meter.kind != .window {
            if let period = meter.period { instants += [period.start, period.end] }
            told[Name(profile: nil, name: meter.name, isMeter: true)] = .usage(
                used: meter.used, limit: meter.limit)
        }
        instants.removeAll { $0 == Int64.min || $0 == Int64.max }
        return told
    }

    private static func isBefore(_ left: Name, _ right: Name) -> Bool {
        if left.isMeter != right.isMeter { return right.isMeter }
        if left.profile != right.profile { return (left.profile ?? "") < (right.profile ?? "") }
        return left.name < right.name
    }
}
