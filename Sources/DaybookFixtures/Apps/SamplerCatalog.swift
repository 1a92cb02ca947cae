/// A catalog with everything that the five apps do not use: credits, passes, anniversaries, debts, shared purchases,
/// subscriptions of profiles, soft limits; and a later one that changes whatever may change.
public enum SamplerCatalog {
    /// Published first, in force from the beginning of time.
    public static let first = Array(firstText.utf8)

    /// Changes limits, promises, maps and policies, and adds a product and a free period.
    public static let second = Array(
        changes.reduce(firstText) { $0.replacing($1.old, with: $1.new) }.utf8)

    private static let changes: [(old: String, new: String)] = [
        ("limit: 4 # prints", "limit: 2"), ("club: 20 # prints", "club: unlimited"),
        ("limit: 3 # sketches", "limit: 6"), ("limit: 2 # boxes", "limit: 1"),
        ("limit: 14 # memory", "limit: 7"), ("amount: 10 # coins", "amount: 12"),
        ("duration: P1M # pass", "duration: P2M"), ("duration: P14D # weeks", "duration: P21D"),
        ("features: [walks] # weeks", "features: [walks, vet]"),
        ("club: [chat, stickers, printing]", "club: [chat, stickers, archive]"),
        ("clientAssertedHours: 48", "clientAssertedHours: 0"),
        ("billingRetryAccess: true", "billingRetryAccess: false"),
        ("gap: assumeActive", "gap: assumeInactive"),
        ("proratedRefundKeepsAccess: true", "proratedRefundKeepsAccess: false"),
        ("familyServesOneProfile: true", "familyServesOneProfile: false"),
        (
            "  # more products",
            """
              club.weekly:
                kind: autoRenewable
                group: Club
                level: 3
                period: P1W
                entitlements: [club]
            """
        ),
        (
            "  # more free periods",
            """
              cat_days:
                profileKind: cat
                duration: P3D
                features: [vet]
            """
        ),
    ]

    private static let firstText = """
        app: sampler
        title: Sampler
        defaultTimeZone: Europe/Amsterdam

        groups: [Club, Dogs]

        products:
          club.monthly:
            kind: autoRenewable
            group: Club
            level: 2
            period: P1M
            introOffer: { kind: freeTrial, duration: P7D }
            familyShareable: true
            entitlements: [club]
          club.yearly:
            kind: autoRenewable
            group: Club
            level: 1
            period: P1Y
            entitlements: [club, vault]
          dog.monthly:
            kind: autoRenewable
            scope: profile
            profileKind: dog
            group: Dogs
            period: P1M
            introOffer: { kind: freeTrial, duration: P14D }
            familyShareable: true
            entitlements: [kennel]
          dog.forever:
            kind: nonConsumable
            scope: profile
            profileKind: dog
            familyShareable: true
            entitlements: [kennel]
          vault.forever:
            kind: nonConsumable
            familyShareable: true
            entitlements: [vault]
          pass.month:
            kind: nonRenewing
            duration: P1M # pass
            entitlements: [club]
          pass.week:
            kind: nonRenewing
            duration: P1W
            extendsCurrent: false
            entitlements: [club]
          coins.bag:
            kind: consumable
            credits:
              meter: coins
              amount: 10 # coins
          prints.bag:
            kind: consumable
            credits: { meter: prints, amount: 5 }
          # more products

        entitlements:
          club: [chat, stickers, printing]
          vault: [archive]
          kennel: [walks, vet]

        features:
          chat:
          stickers: { enforcement: soft }
          printing: { meter: prints }
          sketching: { meter: sketches, enforcement: soft }
          archive: { previewUses: 2 }
          walks: { scope: profile }
          vet: { scope: profile }
          news: { isFree: true }

        meters:
          coins:
            kind: counter
            limit: 0
            allowsDebt: true
          prints:
            kind: counter
            aliases: [printouts]
            period: anniversary
            limit: 4 # prints
            limitsWith:
              club: 20 # prints
          sketches:
            kind: counter
            period: calendarMonth
            limit: 3 # sketches
            limitsWith:
              vault: unlimited
          exports:
            kind: counter
            period: P1W
            anchor: billing
            limit: 2
            limitsWith:
              club: 6
          renders:
            kind: counter
            period: PT30H
            limit: 1
            allowsDebt: true
          calls:
            kind: counter
            period: P1D
            limit: 2
          audits:
            kind: counter
            period: P3M
            anchor: 2026-02-17T22:30:00Z
            limit: 2
          storage:
            kind: reading
            aliases: [disk]
            limit: 10
            limitsWith:
              club: 20
          boxes:
            kind: gauge
            limit: 2 # boxes
            limitsWith:
              club: 5
          dogs:
            kind: gauge
            countsProfiles: dog
            limit: 1
            limitsWith:
              club: unlimited
          memory:
            kind: window
            windowMode: calendarDays
            limit: 14 # memory
            limitsWith:
              club: 60
              vault: unlimited

        freePeriods:
          puppy_weeks:
            profileKind: dog
            duration: P14D # weeks
            features: [walks] # weeks
          # more free periods

        ads:
          board: { format: banner, hiddenBy: chat }
          lawn: { format: native, everyNthItem: 4, hiddenBy: walks }
          attic: { format: banner, isEnabled: false }

        statuses:
          - status: trying
            when: { entitled: club, states: [trial], product: club.monthly }
            text: words.until
          - status: guest
            when: { entitled: club, states: [family, grant] }
          - status: member
            when: { entitled: club }
            text: words.until
            meter: prints
            attributes: { badge: words.count, tone: warm }
          - status: former
            when: { state: club, states: [expired, refunded, revoked] }
            text: words.count
            meter: sketches
          - status: walking
            when: { freePeriodActive: puppy_weeks }
            text: words.days
          - status: walked
            when: { freePeriodExpired: puppy_weeks }
          - status: spent
            when: { meterExhausted: sketches }
          - status: visitor
            when: otherwise
            text: words.count
            meter: sketches

        flags:
          keepsVault: { entitled: vault, unbounded: true }
          triesKennel: { entitled: kennel, states: [trial] }

        copy:
          words.until: "until {expires}, {days} days"
          words.days: "{days} days"
          words.days.one: "{days} day"
          words.count: "{remaining} of {limit}, {used} used"
          words.count.one: "one of {limit}"

        policies:
          clientAssertedHours: 48
          billingRetryAccess: true
          gap: assumeActive
          proratedRefundKeepsAccess: true
          familyServesOneProfile: true
          suspendsWithoutConsent: true

        """
}
