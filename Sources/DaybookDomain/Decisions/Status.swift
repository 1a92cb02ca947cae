import DaybookEvents

/// Everything about one customer at one time, in the app's own words.
public struct Status: Sendable, Equatable {
    /// The id that is shown for the customer.
    public var subject: String
    /// Whether any event names the customer.
    public var isKnown: Bool
    /// The profile asked for, else the only living one where statuses are per profile; `nil`: neither.
    public var profile: String?
    /// Every entitlement of the catalog, in its order, as that profile or the whole customer has it.
    public var entitlements: [EntitlementAnswer]
    /// Every meter of the catalog, in its order; units of one profile count where that profile was asked for.
    public var meters: [MeterAnswer]
    /// In order of creation, deleted ones included.
    public var profiles: [ProfileStatus]
    /// The app's own word: `free`, `premiumMonthly`, `inGracePeriod`.
    public var status: String?
    /// The profile that the word and the text are about; `nil`: the customer as a whole.
    ///
    /// Where purchases and free periods are per profile and several profiles live, each has a status of its own, in
    /// `profiles`. Then this is the one whose status stands first in the catalog, so that a customer with one premium
    /// dog is not told that the other one's free days are over.
    public var statusProfile: String?
    /// The text of the status; `nil`: no rule holds, or it has no text.
    public var display: DisplayText?
    /// Icon, badge, colour role and the like, with texts filled in.
    public var attributes: [CopySlot]
    /// One for each placement of the catalog, in its order.
    public var ads: [AdAnswer]
    /// As in `EntitlementsAnswer.warnings`.
    public var warnings: [String]
    /// Introductory offers per group.
    public var introEligible: [IntroEligibility]
    /// Where customers manage subscriptions; `nil`: the catalog does not say.
    public var managementURL: String?
    /// Whether any gauge or reading is over its limit.
    public var overLimit: Bool

    /// The status of one profile.
    public struct ProfileStatus: Sendable, Equatable {
        /// Which profile it is.
        public var profile: ProfileAnswer
        /// Calendar days left of the free period; -1 with a purchase or grant (OL-03); `nil` without any period.
        public var freeDaysRemaining: Int64?
        /// Whether its free period is over and no source gives it an entitlement.
        public var isFreePeriodExpired: Bool
        /// Whether an active source, its own or the whole customer's, gives an entitlement.
        public var isEntitled: Bool
        /// The app's own word for this profile; `nil` for a deleted one.
        public var status: String?
        /// The text of that status; `nil` for a deleted profile, and where there is no text.
        public var display: DisplayText?
        /// Icon, badge, flags and the like; empty for a deleted profile.
        public var attributes: [CopySlot]
        /// What serves this profile, with what serves the customer as a whole.
        public var entitlements: [EntitlementAnswer]
    }
    /// Whether one placement shows an ad.
    public struct AdAnswer: Sendable, Equatable {
        /// What the catalog says of it.
        public var placement: AdPlacement
        /// `false` where it is switched off, a feature hides it, or nothing may be used while consent is withdrawn.
        public var isShown: Bool
        /// The ad unit to load, outside of production the test unit; `nil`: nothing is shown, or there is none.
        public var unit: String?
    }
    /// Whether an introductory offer may still be used in one group.
    public struct IntroEligibility: Sendable, Equatable {
        /// The group's name in the catalog.
        public var group: String
        /// `true` as long as no transaction of the group is known to have used one (docs/rules.md#offers).
        public var isEligible: Bool
    }
}

/// Answers `status` from one case.
public struct StatusQuestion {
    private let context: CustomerCase
    private let check: Check

    /// `nil` while no catalog is published.
    public init?(_ context: CustomerCase) {
        guard let check = Check(context) else { return nil }
        self.init(context, check)
    }

    /// - Parameter check: Of the same case.
    package init(_ context: CustomerCase, _ check: Check) {
        self.context = context
        self.check = check
    }

    /// One entitlement, as `answer` has it.
    package func entitlement(_ name: String, profile: String?) -> EntitlementAnswer {
        check.entitlements.entitlement(name, profile: profile ?? onlyProfile())
    }

    /// - Parameter profile: Look at the customer through this profile.
    public func answer(profile: String?, locale: String?) -> Status {
        let catalog = check.catalog
        // A meter is the whole customer's where no profile was named, as it is when it is used.
        let meters = check.usage.meters(profile: profile)
        let profile = profile ?? onlyProfile()
        let texts = DisplayTexts(
            context: context, catalog: catalog, locale: locale ?? catalog.defaultLocale)
        var views = [view(profile)]
        let living = check.entitlements.profiles.filter { !$0.isDeleted }.map { view($0.profile) }
        if profile == nil, isPerProfile { views += living }
        let word = word(for: views, meters, texts)
        return Status(
            subject: context.subject, isKnown: context.isKnown, profile: profile,
            entitlements: views[0].entitlements, meters: meters,
            profiles: profiles(living, meters, texts), status: word.status,
            statusProfile: word.profile, display: word.display, attributes: word.attributes,
            ads: ads(), warnings: check.entitlements.warnings,
            introEligible: catalog.groups.map {
                Status.IntroEligibility(
                    group: $0.name,
                    isEligible: check.entitlements.introEligible(context, group: $0.name))
            }, managementURL: catalog.policies.managementURL,
            overLimit: meters.contains { $0.excess > 0 })
    }

    /// The customer as seen through one profile, or as a whole.
    private struct View {
        var profile: String?
        var entitlements: [EntitlementAnswer]
    }

    private func view(_ profile: String?) -> View {
        View(profile: profile, entitlements: check.entitlements.entitlements(profile: profile))
    }

    /// What the app says of a view.
    private struct Word {
        var status: String?
        var profile: String?
        var display: DisplayText?
        var attributes: [CopySlot]
    }

    /// The first rule that holds for any of the views, and what it says of that view.
    private func word(
        for views: [View], _ meters: [MeterAnswer], _ texts: DisplayTexts
    ) -> Word {
        for rule in check.catalog.statuses {
            guard let view = views.first(where: { holds(rule.condition, $0, meters) }) else {
                continue
            }
            let usage = rule.meter.flatMap { name in meters.first { $0.name == name } }
            let source = source(for: rule, view)
            return Word(
                status: rule.status, profile: view.profile,
                display: texts.display(rule.text, usage: usage, source: source),
                attributes: rule.attributes.map { slot in
                    CopySlot(
                        slot: slot.slot,
                        key: texts.display(slot.key, usage: usage, source: source)?.text
                            ?? slot.key)
                } + flags(of: view))
        }
        return Word(profile: views[0].profile, attributes: flags(of: views[0]))
    }

    /// What is so beside the status, `true` or `false`.
    private func flags(of view: View) -> [CopySlot] {
        check.catalog.flags.map { flag in
            let answer = view.entitlements.first { $0.name == flag.entitlement }
            let isSo =
                answer?.candidates.contains { source in
                    source.isActive && (!flag.isUnbounded || source.expiresAt == nil)
                        && (flag.states.isEmpty || flag.states.contains(source.state.rawValue)
                            || flag.states.contains(source.kind.rawValue))
                } ?? false
            return CopySlot(slot: flag.name, key: isSo ? "true" : "false")
        }
    }

    /// Whether a status can differ from profile to profile.
    private var isPerProfile: Bool {
        !check.catalog.freePeriods.isEmpty
            || check.catalog.products.contains { $0.scope == .profile }
    }

    private func onlyProfile() -> String? {
        guard isPerProfile else { return nil }
        let alive = check.entitlements.profiles.filter { !$0.isDeleted }
        return alive.count == 1 ? alive[0].profile : nil
    }

    private func profiles(
        _ living: [View], _ meters: [MeterAnswer], _ texts: DisplayTexts
    ) -> [Status.ProfileStatus] {
        check.entitlements.profiles.map { profile in
            let view = living.first { $0.profile == profile.profile && !profile.isDeleted }
            let word = view.map { self.word(for: [$0], meters, texts) }
            let sources = check.entitlements.sources.filter { $0.profile == profile.profile }
            let all = check.entitlements.sources(for: profile.profile)
            let isEntitled = all.contains { $0.isActive && !$0.entitlements.isEmpty }
            let free = sources.first { $0.kind == .freePeriod }
            var days: Int64?
            if let free, let end = free.expiresAt {
                days =
                    isEntitled
                    ? -1
                    : DisplayTexts.daysRemaining(
                        until: end, from: free.startsAt, context, check.catalog)
            }
            return Status.ProfileStatus(
                profile: profile, freeDaysRemaining: days,
                isFreePeriodExpired: !isEntitled && free?.state == .expired,
                isEntitled: isEntitled, status: word?.status, display: word?.display,
                attributes: word?.attributes ?? [], entitlements: view?.entitlements ?? [])
        }
    }

    private func ads() -> [Status.AdAnswer] {
        check.catalog.ads.map { placement in
            // A customer for whom consent is withdrawn is shown no ads.
            var isShown = placement.isEnabled && !check.isSuspended
            if isShown, let feature = placement.hiddenBy {
                let hides = try? check.decide(CheckQuestion(feature))
                // A placement names a feature of its own catalog, which the reader has checked.
                isShown = hides?.allowed != true
            }
            let unit =
                context.environment == .production ? placement.unitProduction : placement.unitTest
            return Status.AdAnswer(
                placement: placement, isShown: isShown, unit: isShown ? unit : nil)
        }
    }

    private func holds(
        _ condition: StatusRule.Condition, _ view: View, _ meters: [MeterAnswer]
    ) -> Bool {
        let entitlements = view.entitlements
        switch condition {
        case .entitled(let name, let states, let product):
            guard let answer = entitlements.first(where: { $0.name == name }), answer.isActive,
                let winner = answer.winner
            else { return false }
            let isState =
                states.isEmpty || states.contains(winner.state.rawValue)
                || states.contains(winner.kind.rawValue)
            return isState && (product == nil || winner.product == product)
        case .state(let name, let states):
            guard let answer = entitlements.first(where: { $0.name == name }) else { return false }
            return states.contains(answer.state.rawValue)
        case .freePeriodActive(let name): return freePeriod(name, view)?.isActive ?? false
        case .freePeriodExpired(let name):
            return freePeriod(name, view).map { $0.state == .expired } ?? false
        case .meterExhausted(let name):
            return meters.first { $0.name == name }?.remaining == 0
        case .otherwise: return true
        }
    }

    private func freePeriod(_ name: String, _ view: View) -> Source? {
        check.entitlements.sources.first {
            $0.kind == .freePeriod && $0.id == name && $0.profile == view.profile
        }
    }

    private func source(for rule: StatusRule, _ view: View) -> Source? {
        switch rule.condition {
        case .entitled(let name, _, _), .state(let name, _):
            let answer = view.entitlements.first { $0.name == name }
            return answer?.winner ?? answer?.candidates.first
        case .freePeriodActive(let name), .freePeriodExpired(let name):
            return freePeriod(name, view)
        default: return nil
        }
    }
}
