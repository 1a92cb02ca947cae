/// What products and grants give, and what opens features.
public struct Entitlement: Sendable, Equatable {
    /// Key in the catalog's `entitlements`.
    public var name: String
    /// Features that it opens; `*` opens every feature, also future ones.
    public var features: [String]
    /// Makes an entitlement; nothing is checked.
    public init(name: String, features: [String]) {
        self.name = name
        self.features = features
    }
}

/// What a lock or a limit that is reached does: `hard` refuses, `soft` allows and prompts the upgrade.
public enum Enforcement: String, Sendable, CaseIterable { case hard, soft }

/// What an app opens or locks, and asks `check` about.
public struct Feature: Sendable, Equatable {
    /// Key in the catalog's `features`; never `*`.
    public var name: String
    /// Older or marketing names that mean this one.
    public var aliases: [String] = []
    /// Open to all customers, always.
    public var isFree: Bool = false
    /// Who it is asked for: `profile` needs a profile in the question.
    public var scope: Product.Scope = .subject
    /// What is answered where nothing opens the feature.
    public var enforcement: Enforcement = .hard
    /// A meter whose free quota also opens the feature (three free cry insights).
    public var meter: String?
    /// Free uses before the feature is locked; counted on the meter `preview.<feature>`. 0: none.
    public var previewUses: Int64 = 0
    /// Leaves `feature.restricted` behind when it is refused (rule 21).
    public var recordsDenials: Bool = false
    /// Copy keys: name, what to say when it is locked, what it is.
    public var displayName: String?
    /// Shown while the feature is locked.
    public var lockedText: String?
    /// Shown where the feature is open and no meter has a status text.
    public var descriptionText: String?

    /// Makes a hard feature for customers that nothing opens; nothing is checked.
    public init(name: String) {
        self.name = name
    }
}

/// What is counted or measured, with its limits.
public struct Meter: Sendable, Equatable {
    /// What a meter does with usage; a published meter keeps its kind (rule 8).
    public enum Kind: String, Sendable, CaseIterable {
        /// Counts uses in a period.
        case counter
        /// Counts what is there now.
        case gauge
        /// Says how many days back one may look.
        case window
        /// Holds the latest reading.
        case reading
    }
    /// Whether a window looks back by 24 hours a day, or to the local midnight that many days ago.
    public enum WindowMode: String, Sendable, CaseIterable {
        case rollingMilliseconds, calendarDays
    }

    /// Key in the catalog's `meters`.
    public var name: String
    /// Other names under which usage counts on this meter.
    public var aliases: [String] = []
    /// What it does with usage.
    public var kind: Kind
    /// When a counter begins anew; a published meter keeps its period (rule 8).
    public var period: Period = .lifetime
    /// Free limit; `nil` is unlimited. For a window: days.
    public var limit: Int64?
    /// Limits with an entitlement; `nil` is unlimited. The most generous active one counts.
    public var limitsWith: [EntitledLimit] = []
    /// A feature that must be open before anything is counted at all.
    public var requires: String?
    /// A gauge of profiles: while it is over its limit, only a profile that it keeps writable may use this meter
    /// (MS-23).
    public var withinGauge: String?
    /// How a window counts days; of other kinds it decides nothing.
    public var windowMode: WindowMode = .rollingMilliseconds
    /// The kind of profile that this gauge counts; profile events drive it (rule 13).
    public var countsProfiles: String?
    /// What a use beyond the limit gets; `hard` by default.
    public var enforcement: Enforcement = .hard
    /// How long a reservation holds without commit, in milliseconds.
    public var reservationTimeoutMilliseconds: Int64
    /// Leaves `access.denied` behind when a use is refused (rule 21).
    public var recordsDenials: Bool = false
    /// A plan change starts the count anew (E61); computed, see `PlanChanges`.
    public var resetsOnPlanChange: Bool = false
    /// A refund of spent credits leaves a debt (E67).
    public var allowsDebt: Bool = false
    /// What `history` calls one use ("story created").
    public var eventLabel: String?
    /// Cost of one unit in millionths of `costCurrency`; for unit economics only.
    public var unitCostMicros: Int64?
    /// ISO 4217; `nil` where no cost is stated.
    public var costCurrency: String?
    /// Copy keys.
    public var statusText: String?
    /// Heading where the limit is reached.
    public var limitReachedTitle: String?
    /// Shown where the limit is reached; without it the heading is.
    public var limitReachedText: String?
    /// Shown instead of the status text where there is no limit.
    public var unlimitedText: String?
    /// The paywall context that a refusal names (MS-22); `nil` is `usageLimitReached`.
    public var paywallContext: String?

    /// Makes an unlimited meter that never begins anew, with reservations of ten minutes; nothing is checked.
    public init(name: String, kind: Kind) {
        self.name = name
        self.kind = kind
        reservationTimeoutMilliseconds = 600_000
    }
}

/// A limit that counts while an entitlement is active.
public struct EntitledLimit: Sendable, Equatable {
    /// Name of the entitlement.
    public var entitlement: String
    /// `nil` is unlimited.
    public var limit: Int64?
    /// Makes a limit; nothing is checked.
    public init(entitlement: String, limit: Int64?) {
        self.entitlement = entitlement
        self.limit = limit
    }
}

/// Days that every new profile of a kind gets for free (rule 25): computed, never granted.
public struct FreePeriod: Sendable, Equatable {
    /// Key in the catalog's `freePeriods`.
    public var name: String
    /// The kind of profile that it is for.
    public var profileKind: String
    /// How long it lasts, by the calendar of the customer's zone.
    public var duration: CivilDuration
    /// Features open during the period, locked after it.
    public var features: [String]
    /// Copy key of what to say during the period.
    public var activeText: String?
    /// Copy key of the heading after it.
    public var expiredTitle: String?
    /// Copy key of what to say after it; without it the heading is shown.
    public var expiredText: String?
    /// Makes a free period without texts; nothing is checked.
    public init(name: String, profileKind: String, duration: CivilDuration, features: [String]) {
        self.name = name
        self.profileKind = profileKind
        self.duration = duration
        self.features = features
    }
}
