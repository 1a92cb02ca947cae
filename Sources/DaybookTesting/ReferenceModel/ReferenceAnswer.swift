public import DaybookDomain

/// What the reference model answers: names, words and numbers, nothing interned.
public struct ReferenceAnswer: Equatable, CustomStringConvertible {
    /// One entitlement of the customer.
    public struct Entitlement: Equatable, CustomStringConvertible {
        /// Whether access is on.
        public var isActive: Bool
        /// The word of docs/rules.md#states of the source that is shown, else of the one that ended last; `active`,
        /// `expired` or `voided` of a grant, `lifetime`, `unverified`, `pending` or `none`.
        public var state: String
        /// The latest end of the active sources; `nil` when one has no end or none is active.
        public var expiresAt: Int64?
        /// Whether the source that is shown will renew.
        public var willRenew: Bool
        /// Days left of a trial that runs, a begun one counted whole; `nil`: the source that is shown is none.
        public var trialDays: Int64?

        /// For people, on one line.
        public var description: String {
            "\(isActive ? "on" : "off") \(state) until \(optional(expiresAt))"
                + (willRenew ? " renews" : "") + (trialDays.map { ", \($0) days of trial" } ?? "")
        }
    }

    /// One feature of the customer or of a profile.
    public struct Feature: Equatable, CustomStringConvertible {
        /// Whether it may be used.
        public var isAllowed: Bool
        /// The word after the dot of docs/rules.md#decision.
        public var reason: DecisionReason

        /// `granted.entitled`, `denied.limit_reached` and the like.
        public var description: String { "\(isAllowed ? "granted" : "denied").\(reason.rawValue)" }
    }

    /// One meter of the customer.
    public struct Meter: Equatable, CustomStringConvertible {
        /// The free or entitled quota; `nil` is unlimited.
        public var limit: Int64?
        /// Units that burned quota in the current period, since the last manual reset.
        public var used: Int64
        /// Units set aside by open reservations of the current period.
        public var reserved: Int64
        /// What is left of quota and grants; `nil` is unlimited.
        public var remaining: Int64?
        /// Units of the current period that nothing covered; of a gauge how far it is above its limit.
        public var overage: Int64
        /// What is left of grants and credits.
        public var granted: Int64 = 0
        /// What a refund took back beyond the balance.
        public var debt: Int64 = 0
        /// The word of the source that makes it unlimited; `nil` when none does.
        public var freedBy: DecisionReason?
        /// The first instant of the period; of a window the oldest that may be seen.
        public var periodStart: Int64
        /// The first instant after the period.
        public var periodEnd: Int64

        /// For people, on one line.
        public var description: String {
            "used \(used) of \(optional(limit)), reserved \(reserved), "
                + "remaining \(optional(remaining)), overage \(overage), granted \(granted), "
                + "[\(periodStart), \(periodEnd))"
        }
    }

    /// One profile that exists or existed at the asked time.
    public struct Profile: Equatable, CustomStringConvertible {
        /// Its id.
        public var profile: String
        /// Whether it is deleted at the asked time.
        public var isDeleted: Bool
        /// The exclusive ends of its free periods.
        public var freePeriodEnds: [Int64]
        /// What is left of the free period; -1 with a purchase or grant; `nil` without a period or when deleted.
        public var freeDays: Int64?
        /// Whether a purchase or grant serves it.
        public var isEntitled = false

        /// For people, on one line.
        public var description: String {
            "\(profile)\(isDeleted ? " deleted" : "") free until \(freePeriodEnds), "
                + "days \(optional(freeDays))\(isEntitled ? ", entitled" : "")"
        }
    }

    /// The app's own word for a customer or a profile, with what it says.
    public struct Word: Equatable, CustomStringConvertible {
        /// The catalog's name for the state; `nil`: no rule of the catalog holds, or it has none.
        public var status: String?
        /// The profile that it is about; `nil`: the customer as a whole.
        public var profile: String?
        /// What is shown, with numbers filled in; `nil`: the catalog says nothing for this state.
        public var text: String?
        /// The same with the singular where the count is 1.
        public var pluralSafeText: String?
        /// Icon, badge and the like with texts filled in, and the flags.
        public var attributes: [String: String] = [:]

        /// A word without texts.
        public init(
            status: String? = nil, profile: String? = nil, attributes: [String: String] = [:]
        ) {
            self.status = status
            self.profile = profile
            self.attributes = attributes
        }

        /// For people, on one line, attributes in the order of their names.
        public var description: String {
            let slots = attributes.sorted { precedes($0.key, $1.key) }
                .map { "\($0.key)=\($0.value)" }
            return "\(status ?? "-") of \(profile ?? "-"): \(text ?? "-"), "
                + "\(pluralSafeText ?? "-") \(slots)"
        }
    }

    /// The name that is shown for the person.
    public var subject = ""
    /// By name, every entitlement of the catalog in force, for the customer as a whole.
    public var entitlements: [String: Entitlement] = [:]
    /// By profile that exists at the asked time, then by name.
    public var profileEntitlements: [String: [String: Entitlement]] = [:]
    /// By name, every feature of the catalog in force, asked without a profile.
    public var features: [String: Feature] = [:]
    /// By profile that exists at the asked time, then by feature name.
    public var profileFeatures: [String: [String: Feature]] = [:]
    /// By name, every meter of the catalog in force and the preview meters.
    public var meters: [String: Meter] = [:]
    /// By profile that exists at the asked time, then by name: what is left with what was given to the profile alone.
    public var profileMeters: [String: [String: Meter]] = [:]
    /// In ascending order of their ids.
    public var profiles: [Profile] = []
    /// What the app calls the customer.
    public var word = Word()
    /// The same of each living profile.
    public var profileWords: [String: Word] = [:]
    /// By placement, whether it is shown.
    public var ads: [String: Bool] = [:]
    /// By subscription group, whether an introductory offer may still be used.
    public var introEligible: [String: Bool] = [:]
    /// The owned lineages, in ascending order of their names.
    public var lineages: [String] = []

    /// An answer that knows nothing.
    public init() {}

    /// The states and reasons that occur in it, and `overage`, `debt`, `reserved`.
    public var words: Set<String> {
        var words = Set(entitlements.values.map(\.state))
        words.formUnion(profileEntitlements.values.flatMap(\.values).map(\.state))
        words.formUnion(features.values.map(\.description))
        words.formUnion(profileFeatures.values.flatMap(\.values).map(\.description))
        if meters.values.contains(where: { $0.overage > 0 }) { words.insert("overage") }
        if meters.values.contains(where: { $0.debt > 0 }) { words.insert("debt") }
        if meters.values.contains(where: { $0.reserved > 0 }) { words.insert("reserved") }
        if entitlements.values.contains(where: { $0.trialDays != nil }) { words.insert("days") }
        if ads.values.contains(false) { words.insert("no ads") }
        if introEligible.values.contains(false) { words.insert("no offer") }
        words.formUnion([word.status].compactMap { $0.map { "status \($0)" } })
        return words
    }

    /// For people, a line for each answer, in the order of their bytes.
    public var description: String {
        var rows: [String] = []
        func list(_ noun: String, _ answers: [String: some Any], of profile: String? = nil) {
            let place = profile.map { " of \($0)" } ?? ""
            rows += answers.map { "\(noun) \($0)\(place): \($1)" }
        }
        list("entitlement", entitlements)
        for (profile, answers) in profileEntitlements { list("entitlement", answers, of: profile) }
        list("feature", features)
        for (profile, answers) in profileFeatures { list("feature", answers, of: profile) }
        list("meter", meters)
        for (profile, answers) in profileMeters { list("meter", answers, of: profile) }
        rows += profiles.map { "profile \($0)" }
        rows.append("word \(word)")
        list("word", profileWords)
        for (name, isShown) in ads { rows.append("ad \(name): \(isShown ? "shown" : "hidden")") }
        list("offer", introEligible)
        rows += lineages.map { "line \($0)" }
        return rows.sorted().joined(separator: "\n")
    }
}

private func optional(_ value: Int64?) -> String { value.map { String($0) } ?? "-" }
