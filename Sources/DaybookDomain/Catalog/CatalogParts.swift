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
