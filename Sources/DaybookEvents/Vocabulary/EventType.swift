/// What can happen. The numbers are part of the ledger's file format: they are never reused or changed.
public enum EventType: UInt16, Sendable, CaseIterable {
    /// A type that this version does not know: stored, shown, skipped by every fold (law 8).
    case unknown = 0

    case subjectCreated = 1
    case subjectTimeZoneChanged = 2
    case subjectAliased = 3
    case subjectUnaliased = 4
    case subjectErased = 5
    case consentRescinded = 6
    case profileCreated = 7
    case profileDeleted = 8
    case profileRestored = 9
    case consentGiven = 10

    case purchaseCompleted = 20
    case purchaseAssigned = 21
    case purchaseUnassigned = 22
    case purchaseRefunded = 23
    case purchaseRefundReversed = 24
    case purchaseRevoked = 25
    case purchaseTransferred = 26
    case refundRequested = 27
    case refundDeclined = 28
    case purchaseClaimed = 29

    case subscriptionStarted = 40
    case subscriptionRenewed = 41
    case subscriptionAutoRenewChanged = 42
    case subscriptionProductChanged = 43
    case subscriptionOfferRedeemed = 44
    case subscriptionBillingFailed = 45
    case subscriptionGraceExpired = 46
    case subscriptionPriceIncrease = 47
    case subscriptionExtended = 48
    case subscriptionPauseScheduled = 49
    case subscriptionPaused = 50
    case subscriptionResumed = 51
    case subscriptionExpired = 52
    case storeTransactionStated = 53
    case storeRenewalStated = 54

    case grantIssued = 60
    case grantVoided = 61

    case usageRecorded = 70
    case usageReserved = 71
    case usageCommitted = 72
    case usageReleased = 73
    case usageReversed = 74
    case usageReset = 75
    case gaugePinned = 76

    case accessDenied = 80
    case limitReached = 81
    case featureRestricted = 82
    case assignmentConflict = 83

    case catalogPublished = 90
    case catalogRolledBack = 91
    case ledgerRestored = 92
    case reportFrozen = 93
    case rateRecorded = 94

    case appLaunched = 100
    case onboardingStarted = 101
    case onboardingStepViewed = 102
    case onboardingStepCompleted = 103
    case onboardingSkipped = 104
    case onboardingCompleted = 105
    case milestoneReached = 106
    case paywallShown = 107
    case paywallDismissed = 108
    case checkoutStarted = 109
    case checkoutPending = 110
    case checkoutCompleted = 111
    case checkoutFailed = 112
    case checkoutCanceled = 113
    case featureViewed = 114
    case featureUsed = 115
    case experimentExposed = 116
    case surveyAnswered = 117
    case kpiRecorded = 118

    case correctionVoided = 130
    case correctionAmended = 131

    case debugOverrideSet = 140
    case debugOverrideCleared = 141
    case clockAdvanced = 142

    case ingestRejected = 150

    /// Usage, gauges, pins and time zones take part in an answer iff they happened by the asked time (rule 4).
    public var isUsage: Bool {
        switch self {
        case .usageRecorded, .usageReserved, .usageCommitted, .usageReleased, .usageReversed,
            .usageReset, .gaugePinned, .subjectTimeZoneChanged:
            true
        default: false
        }
    }

    /// Money, grants and usage: two equal ones of one millisecond are two facts, so their source must tell them apart
    /// by a key (rule 2).
    var needsKey: Bool { (20..<80).contains(rawValue) && self != .gaugePinned }

    /// Whether the event names a document, which the ledger keeps by its digest.
    public var hasDocument: Bool { self == .catalogPublished || self == .reportFrozen }

    /// What a refusal left behind: folded by funnels only (rule 21).
    public var isEvidence: Bool { Self.isEvidence(rawValue) }

    /// The same of a type's number; of one that no type has `false`.
    package static func isEvidence(_ number: UInt16) -> Bool {
        number == accessDenied.rawValue || number == limitReached.rawValue
            || number == featureRestricted.rawValue || number == assignmentConflict.rawValue
    }
}

/// How far a statement is believed. Authoritative statements outrank provisional ones (rule 3).
public enum Trust: UInt8, Sendable, CaseIterable {
    case verified = 1
    case imported = 2
    case admin = 3
    case system = 4
    case clientAsserted = 5
    case debug = 6

    /// 1 for authoritative, 0 for provisional: the first part of a statement's rank.
    public var classRank: UInt8 {
        switch self {
        case .verified, .imported, .admin, .system: 1
        case .clientAsserted, .debug: 0
        }
    }

    /// The word in envelopes, such as `client_asserted`.
    public var name: String {
        switch self {
        case .verified: "verified"
        case .imported: "imported"
        case .admin: "admin"
        case .system: "system"
        case .clientAsserted: "client_asserted"
        case .debug: "debug"
        }
    }

    /// The trust of a word in an envelope; `nil` for every other text.
    public init?(name: String) {
        guard let trust = Trust.allCases.first(where: { $0.name == name }) else { return nil }
        self = trust
    }
}

/// Production, where money is real, or a kind of test. Part of a stream's identity, so nothing can mix (rule 9).
public enum Environment: UInt8, Sendable, CaseIterable {
    case production = 0
    case sandbox = 1
    case xcode = 2
    case test = 3

    /// The word in envelopes and names of streams, such as `production`.
    public var name: String {
        switch self {
        case .production: "production"
        case .sandbox: "sandbox"
        case .xcode: "xcode"
        case .test: "test"
        }
    }

    /// The environment of a word in an envelope; `nil` for every other text.
    public init?(name: String) {
        guard let found = Environment.allCases.first(where: { $0.name == name }) else { return nil }
        self = found
    }
}

/// What a stream is about (rule 6).
public enum StreamKind: UInt8, Sendable, CaseIterable {
    case customer = 0
    /// A store's original transaction; a consumable is one by itself.
    case lineage = 1
    /// Catalogs and corrections.
    case ledger = 2

    /// The word in names of streams: `customer`, `line` for a lineage, or `ledger`.
    public var name: String {
        switch self {
        case .customer: "customer"
        case .lineage: "line"
        case .ledger: "ledger"
        }
    }
}
