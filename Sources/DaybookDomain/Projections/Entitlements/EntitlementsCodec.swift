import DaybookEvents

extension LineState {
    /// Raised whenever the fold's meaning changes: old snapshots of it are then rebuilt (rule 22).
    public static let version: UInt16 = 5

    /// Walks the state for a writer, a reader or a digest.
    public mutating func code(_ coder: inout some StateCoder) {
        coder.array(&transactions, TransactionFact(id: .none)) { $1.code(&$0) }
        coder.stated(&autoRenew) { $0.bool(&$1) }
        coder.stated(&nextProduct) { $0.name(&$1) }
        coder.stated(&billing) {
            $0.bool(&$1.isRetrying)
            $0.integer(&$1.graceExpiresAt)
        }
        coder.array(&formerNotices, .init(at: 0, until: 0, value: BillingNotice())) {
            $0.integer(&$1.at)
            $0.integer(&$1.until)
            $0.bool(&$1.value.isRetrying)
            $0.integer(&$1.value.graceExpiresAt)
        }
        coder.stated(&expiry) { $0.name(&$1) }
        coder.stated(&priceIncrease) { $0.byte(&$1) }
        coder.array(
            &extensions, .init(at: 0, transaction: .none, newExpiresAt: 0, rank: .none)
        ) {
            $0.integer(&$1.at)
            $0.reference(&$1.transaction)
            $0.integer(&$1.newExpiresAt)
            $0.rank(&$1.rank)
        }
        coder.array(&switches, .init(at: 0, from: 0, to: 0)) {
            $0.integer(&$1.at)
            $0.name(&$1.from)
            $0.name(&$1.to)
        }
        coder.array(&lapses, 0) { $0.integer(&$1) }
        coder.array(&continuities, .init(since: 0, saidAt: 0)) {
            $0.integer(&$1.since)
            $0.integer(&$1.saidAt)
        }
        coder.name(&owner)
        coder.bool(&ownerHasToken)
        coder.array(&claims, 0) { $0.name(&$1) }
        coder.array(&transfers, .init(order: .first, from: 0, to: 0)) {
            $0.order(&$1.order)
            $0.name(&$1.from)
            $0.name(&$1.to)
        }
        coder.integer(&firstEventAt)
    }
}

extension TransactionFact {
    mutating func code(_ coder: inout some StateCoder) {
        coder.reference(&id)
        coder.rank(&coreRank)
        coder.name(&product)
        coder.integer(&startsAt)
        coder.integer(&expiresAt)
        coder.integer(&quantity)
        coder.bool(&isFamilyShared)
        coder.byte(&offerType)
        coder.byte(&offerDiscount)
        coder.bool(&isUpgraded)
        coder.rank(&revocationRank)
        coder.integer(&revokedAt)
        var raw = revocation.rawValue
        coder.byte(&raw)
        revocation = Revocation(rawValue: raw) ?? .none
        coder.integer(&refundedMilli)
        coder.rank(&endingRank)
        coder.integer(&endedAt)
        coder.integer(&firstAssertedAt)
    }
}

extension CustomerState {
    /// Raised whenever the fold's meaning changes (rule 22).
    public static let version: UInt16 = 2

    /// Walks the state for a writer, a reader or a digest.
    public mutating func code(_ coder: inout some StateCoder) {
        coder.integer(&firstSeenAt)
        coder.integer(&firstEventAt)
        coder.array(&zones, .init(at: 0, zone: 0, isFirstSight: false)) {
            $0.integer(&$1.at)
            $0.name(&$1.zone)
            $0.bool(&$1.isFirstSight)
        }
        coder.array(
            &profiles,
            .init(at: 0, profile: 0, profileKind: 0, change: .created, startedAt: 0)
        ) {
            $0.integer(&$1.at)
            $0.name(&$1.profile)
            $0.name(&$1.profileKind)
            var raw = $1.change.rawValue
            $0.byte(&raw)
            $1.change = ProfileChange.Kind(rawValue: raw) ?? .created
            $0.integer(&$1.startedAt)
        }
        coder.array(&assignments, .init(at: 0, transaction: .none, profile: 0, isEnd: false)) {
            $0.integer(&$1.at)
            $0.reference(&$1.transaction)
            $0.name(&$1.profile)
            $0.bool(&$1.isEnd)
        }
        coder.array(&grants, GrantFact.empty) { $1.code(&$0) }
        coder.array(&voids, .init(id: .none, voidedAt: 0)) {
            $0.reference(&$1.id)
            $0.integer(&$1.voidedAt)
        }
        coder.array(&overrides, .init(kind: 0, isSet: false, value: 0, at: 0, expiresAt: 0)) {
            $0.byte(&$1.kind)
            $0.bool(&$1.isSet)
            $0.name(&$1.value)
            $0.integer(&$1.at)
            $0.integer(&$1.expiresAt)
        }
        coder.integer(&consentRescindedAt)
    }
}

extension CustomerState.GrantFact {
    static let empty = Self(
        id: .none, key: .none, source: 0, entitlement: 0, feature: 0, meter: 0, profile: 0,
        amount: 0, isUnlimited: false, startsAt: 0, expiresAt: 0, priority: 0, rolloverMax: 0,
        rolloverMin: 0)

    mutating func code(_ coder: inout some StateCoder) {
        coder.reference(&id)
        coder.reference(&key)
        coder.name(&source)
        coder.name(&entitlement)
        coder.name(&feature)
        coder.name(&meter)
        coder.name(&profile)
        coder.integer(&amount)
        coder.bool(&isUnlimited)
        coder.integer(&startsAt)
        coder.integer(&expiresAt)
        coder.integer(&priority)
        coder.integer(&rolloverMax)
        coder.integer(&rolloverMin)
    }
}
