import DaybookEvents

extension LineageState {
    /// Raised whenever the fold's meaning changes (rule 22).
    public static let version: UInt16 = 9

    /// Writes the state for the digest, field by field in a fixed order.
    func write(to writer: inout StateWriter) {
        writer.array(transactions) { $1.write(to: &$0) }
        writer.stated(autoRenew) { $0.bool($1) }
        writer.stated(nextProduct) { $0.name($1) }
        writer.stated(billing) {
            $0.bool($1.isRetrying)
            $0.integer($1.graceExpiresAt)
        }
        writer.array(formerNotices) {
            $0.integer($1.at)
            $0.integer($1.until)
            $0.bool($1.value.isRetrying)
            $0.integer($1.value.graceExpiresAt)
        }
        writer.stated(expiry) { $0.name($1) }
        writer.stated(priceIncrease) { $0.byte($1) }
        writer.array(extensions) {
            $0.integer($1.at)
            $0.reference($1.transaction)
            $0.integer($1.newExpiresAt)
            $0.rank($1.rank)
        }
        writer.array(switches) {
            $0.integer($1.at)
            $0.name($1.from)
            $0.name($1.to)
            $0.bool($1.isProvisional)
        }
        writer.array(lapses) { $0.integer($1) }
        writer.array(continuities) {
            $0.integer($1.since)
            $0.integer($1.saidAt)
        }
        writer.name(owner)
        writer.bool(ownerHasToken)
        writer.bool(ownerStandsIn)
        writer.integer(ownerNamedAt)
        writer.array(claims) { $0.name($1) }
        writer.array(transfers) {
            $0.order($1.order)
            $0.name($1.from)
            $0.name($1.to)
            $0.integer($1.units)
        }
        writer.integer(firstEventAt)
    }
}

extension TransactionFact {
    func write(to writer: inout StateWriter) {
        writer.reference(id)
        writer.rank(coreRank)
        writer.name(product)
        writer.integer(startsAt)
        writer.integer(expiresAt)
        writer.integer(quantity)
        writer.bool(isFamilyShared)
        writer.byte(offerType)
        writer.byte(offerDiscount)
        writer.bool(isUpgraded)
        writer.rank(kindRank)
        writer.bool(isConsumable)
        writer.bool(isStart)
        writer.rank(reasonRank)
        writer.bool(isPurchase)
        writer.rank(revocationRank)
        writer.integer(revokedAt)
        writer.byte(revocation.rawValue)
        writer.integer(refundedMilli)
        writer.rank(endingRank)
        writer.integer(endedAt)
        writer.bool(isEndedByRefund)
        writer.integer(firstAssertedAt)
    }
}

extension CustomerState {
    /// Raised whenever the fold's meaning changes (rule 22).
    public static let version: UInt16 = 4

    /// Writes the state for the digest, field by field in a fixed order.
    func write(to writer: inout StateWriter) {
        writer.integer(firstSeenAt)
        writer.integer(firstEventAt)
        writer.array(zones) {
            $0.integer($1.at)
            $0.name($1.zone)
            $0.bool($1.isFirstSight)
        }
        writer.array(profiles) {
            $0.integer($1.at)
            $0.name($1.profile)
            $0.name($1.profileKind)
            $0.byte($1.change.rawValue)
            $0.integer($1.startedAt)
        }
        writer.array(assignments) {
            $0.integer($1.at)
            $0.reference($1.transaction)
            $0.name($1.profile)
            $0.bool($1.isEnd)
        }
        writer.array(grants) { $1.write(to: &$0) }
        writer.array(voids) {
            $0.reference($1.id)
            $0.integer($1.voidedAt)
        }
        writer.array(overrides) {
            $0.byte($1.kind)
            $0.bool($1.isSet)
            $0.name($1.value)
            $0.integer($1.at)
            $0.integer($1.expiresAt)
        }
        writer.array(consents) {
            $0.integer($1.at)
            $0.bool($1.isGiven)
        }
    }
}

extension CustomerState.GrantFact {
    func write(to writer: inout StateWriter) {
        writer.reference(id)
        writer.reference(key)
        writer.name(source)
        writer.name(entitlement)
        writer.name(feature)
        writer.name(meter)
        writer.name(profile)
        writer.integer(amount)
        writer.bool(isUnlimited)
        writer.integer(startsAt)
        writer.integer(expiresAt)
        writer.integer(priority)
        writer.integer(rolloverMax)
        writer.integer(rolloverMin)
        writer.integer(Int64(recurrence))
    }
}
