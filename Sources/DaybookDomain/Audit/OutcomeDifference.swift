/// What differs for one customer under other rules or with other events.
///
/// Features that open or close, and meters with other numbers; a feature that stays open for another reason is no
/// difference.
public struct OutcomeDifference: Sendable, Equatable {
    /// A feature that opens or closes.
    public struct Feature: Sendable, Equatable {
        /// The feature's name in the catalog.
        public var name: String
        /// For whom it was asked; `nil`: the customer as a whole.
        public var profile: String?
        /// It is open now and was not; else the other way round.
        public var isGained: Bool
        /// Why it is so.
        public var reason: DecisionReason
    }

    /// A meter with other numbers.
    public struct Meter: Sendable, Equatable {
        /// The meter's name in the catalog.
        public var name: String
        /// `nil`: the catalog then in force does not have it.
        public var before: Numbers?
        /// The same under the other rules or with the other events.
        public var after: Numbers?

        /// Nothing is left now, and something was.
        public var isReached: Bool { after?.isAtLimit == true && before?.isAtLimit != true }
        /// Something is left now, and nothing was.
        public var isFreed: Bool { before?.isAtLimit == true && after?.isAtLimit != true }
    }

    /// The numbers of a meter that are compared.
    public struct Numbers: Sendable, Equatable {
        /// `nil`: unlimited.
        public var limit: Int64?
        /// As `MeterAnswer.used` counts it.
        public var used: Int64
        /// `nil`: unlimited.
        public var remaining: Int64?
        /// Used beyond the limit.
        public var overage: Int64

        /// Whether nothing is left; `false` where it is unlimited.
        public var isAtLimit: Bool { remaining.map { $0 <= 0 } ?? false }

        init(_ answer: MeterAnswer) {
            limit = answer.limit
            used = answer.used
            remaining = answer.remaining
            overage = answer.overage
        }
    }

    /// Features that open or close; one that is asked for profiles stands once for each that is concerned.
    public var features: [Feature] = []
    /// Meters with other numbers, windows left out: first those of the catalog before, in its order, then new ones.
    public var meters: [Meter] = []

    /// Whether neither a feature nor a meter differs.
    public var isEmpty: Bool { features.isEmpty && meters.isEmpty }
    /// Each feature once, however many profiles are concerned.
    public var gained: Set<String> { Set(features.filter(\.isGained).map(\.name)) }
    /// The same of features that close.
    public var lost: Set<String> { Set(features.filter { !$0.isGained }.map(\.name)) }
}

/// Finds the differences of customers, one after the other.
///
/// Keeps what is the same for all customers without a source and a profile: of them only meters must be asked about.
public struct OutcomeComparer: Sendable {
    /// What two catalogs have, by name; each name once.
    private struct Names: Sendable {
        var features: [(before: Feature?, after: Feature?)] = []
        var meters: [(before: Meter?, after: Meter?)] = []
        /// Features that open or close for every customer who has no source, whatever was used.
        var sourceless: [OutcomeDifference.Feature]?
    }

    private struct Pair: Hashable {
        var before: Int64
        var after: Int64
    }

    private var names: [Pair: Names] = [:]

    /// Creates a comparer that has compared nothing yet.
    public init() {}

    /// - Parameters:
    ///   - before: `nil`: no catalog rules.
    ///   - after: The same customer under the other rules or with the other events.
    public mutating func difference(
        _ before: CustomerCase, _ after: CustomerCase
    ) -> OutcomeDifference {
        let rules = (before.catalog(at: before.at), after.catalog(at: after.at))
        let (old, new) = (Check(before), Check(after))
        // No publication stands at a negative place.
        let pair = Pair(before: rules.0?.position ?? -1, after: rules.1?.position ?? -1)
        var names = names[pair] ?? Self.names(old?.catalog, new?.catalog)
        var difference = OutcomeDifference()
        for (one, other) in names.meters {
            let found = OutcomeDifference.Meter(
                name: (other ?? one)?.name ?? "", before: old.numbers(one),
                after: new.numbers(other))
            if found.before != found.after { difference.meters.append(found) }
        }
        if old.isSourceless, new.isSourceless {
            if names.sourceless == nil {
                names.sourceless = Self.features(names, old, new) { !$0.isNumbered }
                self.names[pair] = names
            }
            difference.features = names.sourceless ?? []
            difference.features += Self.features(names, old, new) { $0.isNumbered }
        } else {
            difference.features = Self.features(names, old, new) { _ in true }
        }
        return difference
    }

    private static func names(_ before: Catalog?, _ after: Catalog?) -> Names {
        var names = Names()
        names.features = paired(before?.features ?? [], after?.features ?? [], \.name)
        names.meters = paired(before?.meters ?? [], after?.meters ?? [], \.name).filter {
            // What is shown of the past is no number that runs out.
            $0.0?.kind != .window && $0.1?.kind != .window
        }
        return names
    }

    private static func paired<Element>(
        _ before: [Element], _ after: [Element], _ name: (Element) -> String
    ) -> [(before: Element?, after: Element?)] {
        before.map { one in (one, after.first { name($0) == name(one) }) }
            + after.filter { other in !before.contains { name($0) == name(other) } }
            .map { (nil, $0) }
    }

    private static func features(
        _ names: Names, _ old: Check?, _ new: Check?, where isAsked: (Feature) -> Bool
    ) -> [OutcomeDifference.Feature] {
        var found: [OutcomeDifference.Feature] = []
        for (one, other) in names.features {
            guard let feature = other ?? one,
                isAsked(feature) || one.map(isAsked) == true
            else { continue }
            var profiles: [String?] = [nil]
            if feature.scope == .profile {
                let alive = [old, new].flatMap { $0?.entitlements.profiles ?? [] }
                    .filter { !$0.isDeleted }.map(\.profile)
                if !alive.isEmpty { profiles = Set(alive).sorted() }
            }
            for profile in profiles {
                let before = old.decision(one, profile)
                let after = new.decision(other, profile)
                guard before.isOpen != after.isOpen else { continue }
                found.append(
                    OutcomeDifference.Feature(
                        name: feature.name, profile: profile, isGained: after.isOpen,
                        reason: after.reason))
            }
        }
        return found
    }
}

extension Feature {
    /// Whether what was used decides about it.
    fileprivate var isNumbered: Bool { meter != nil || previewUses > 0 }
}

extension Check? {
    /// Nothing opens anything for this customer but what is open to all, and quotas.
    fileprivate var isSourceless: Bool {
        guard let self else { return true }
        return self.entitlements.sources.isEmpty && self.entitlements.profiles.isEmpty
    }

    /// - Parameter meter: `nil`: the catalog does not have it.
    fileprivate func numbers(_ meter: Meter?) -> OutcomeDifference.Numbers? {
        guard let self, let meter else { return nil }
        return OutcomeDifference.Numbers(self.usage.answer(meter))
    }

    /// - Parameter feature: `nil`: the catalog does not have it.
    fileprivate func decision(
        _ feature: Feature?, _ profile: String?
    ) -> (isOpen: Bool, reason: DecisionReason) {
        guard let self else { return (false, .noCatalog) }
        guard let feature else { return (false, .notInCatalog) }
        let decision = self.decide(feature, CheckQuestion(feature.name, profile: profile))
        return (decision.allowed, decision.reason)
    }
}
