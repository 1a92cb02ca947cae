public import DaybookEvents

extension LineageState {
    /// Takes one event of the lineage, in canonical order; never fails, whatever the event says.
    /// - Parameter takesStatus: Whether what it says of renewal and billing counts yet (rule 4).
    public mutating func evolve(
        _ event: Event, names: borrowing NameTable, takesStatus: Bool = true
    ) {
        if firstEventAt == Event.absent { firstEventAt = event.occurredAt }
        let type = event.type
        name(event, as: type, names: names)
        switch type {
        case .purchaseCompleted, .subscriptionStarted, .subscriptionRenewed:
            stateCore(event, names: names)
            if takesStatus, type != .purchaseCompleted { stateRunning(event, names: names) }
        case .storeTransactionStated:
            stateCore(event, names: names)
            stateRevocation(event, revocationKind(event), names: names)
        case .purchaseRefunded:
            stateRevocation(event, event.refundType == 2 ? .prorated : .full, names: names)
        case .purchaseRevoked:
            let reason = names[event.nameB]
            stateRevocation(event, reason == "developer" ? .developer : .family, names: names)
        case .purchaseRefundReversed: stateRevocation(event, .none, names: names)
        case .purchaseTransferred:
            transfers.append(
                .init(
                    order: OrderKey(event), from: event.nameA, to: event.nameB,
                    units: event.amount))
        case .subscriptionExpired:
            end(event, names: names)
            lapses.append(event.occurredAt)
        case .subscriptionBillingFailed, .subscriptionGraceExpired:
            lapses.append(event.occurredAt)
        case .subscriptionProductChanged where event.productChange == 1:
            switches.append(
                .init(
                    at: event.occurredAt, from: event.nameA, to: event.nameB,
                    isProvisional: event.trust.classRank == 0))
        case .subscriptionExtended:
            extensions.append(
                .init(
                    at: event.occurredAt, transaction: event.reference,
                    newExpiresAt: event.timeB, rank: StatementRank(event)))
        case .storeRenewalStated:
            noteContinuity(event)
            if event.flag(0) == true || event.timeA != Event.absent {
                lapses.append(event.occurredAt)
            }
        default: break
        }
        if takesStatus { evolveStatus(event, as: type, names: names) }
    }

    private mutating func evolveStatus(
        _ event: Event, as type: EventType, names: borrowing NameTable
    ) {
        switch type {
        case .subscriptionAutoRenewChanged:
            autoRenew.state(event.flag(8) ?? true, by: event, names: names)
        case .subscriptionProductChanged: changeProduct(event, names: names)
        case .subscriptionBillingFailed:
            stateBilling(
                BillingNotice(isRetrying: true, graceExpiresAt: event.timeA), by: event,
                names: names)
        case .subscriptionGraceExpired:
            // Grace is over and the store goes on trying (docs/rules.md#payloads).
            stateBilling(BillingNotice(isRetrying: true), by: event, names: names)
        case .subscriptionPriceIncrease:
            priceIncrease.state(event.priceStatus, by: event, names: names)
        case .subscriptionExpired:
            expiry.state(event.nameB, by: event, names: names)
            autoRenew.state(false, by: event, names: names)
            stateBilling(BillingNotice(), by: event, names: names)
        case .storeRenewalStated: stateRenewal(event, names: names)
        // Pauses belong to Google Play (docs/requirements.md#not-in-this-round); offers and requests change nothing by
        // themselves.
        default: break
        }
    }

    /// The first customer that is named owns the lineage; a verified token outranks every name (rule 7).
    private mutating func name(
        _ event: Event, as type: EventType, names: borrowing NameTable
    ) {
        guard type != .purchaseTransferred else { return }
        let token = event.accountToken
        if token != 0, event.trust == .verified, !ownerHasToken {
            own(token, event)
            ownerHasToken = true
        }
        let standsIn = Self.standsIn(event, names: names)
        // After a transfer a claim does not change who owned the lineage before it.
        let comesLate = type == .purchaseClaimed && !transfers.isEmpty
        for customer in [event.customer, token] where customer != 0 {
            if !claims.contains(customer) { claims.append(customer) }
            let isFree = owner == 0 || ownerStandsIn && !standsIn
            if isFree, !comesLate { own(customer, event, standsIn: standsIn) }
        }
    }

    private mutating func own(_ customer: NameID, _ event: Event, standsIn: Bool = false) {
        owner = customer
        ownerNamedAt = event.occurredAt
        ownerStandsIn = standsIn
    }

    /// Earlier versions named the buyer of a consumable after the store's own ID where no customer was known, because
    /// its event had to stand in a customer's stream. Such a name claims nothing.
    private static func standsIn(_ event: Event, names: borrowing NameTable) -> Bool {
        event.saysConsumable && event.trust == .verified && event.customer != 0
            && names[event.customer].hasPrefix("apple:")
    }

    private mutating func index(of transaction: Reference) -> Int {
        if let index = transactionIndex.index(of: transaction, in: transactions, \.id) {
            return index
        }
        transactions.append(TransactionFact(id: transaction))
        return transactions.count - 1
    }

    private mutating func stateCore(_ event: Event, names: borrowing NameTable) {
        let index = index(of: event.reference)
        if event.trust.classRank == 0 {
            let first = transactions[index].firstAssertedAt
            transactions[index].firstAssertedAt =
                first == Event.absent ? event.signedAt : min(first, event.signedAt)
        }
        let rank = StatementRank(event)
        stateKind(index, event, rank, names: names)
        stateReason(index, event, rank, names: names)
        let current = transactions[index].coreRank
        guard current.isNone || rank.outranks(current, names: names) else { return }
        transactions[index].coreRank = rank
        transactions[index].product = event.product
        transactions[index].startsAt =
            event.startsAt == Event.absent ? event.occurredAt : event.startsAt
        transactions[index].expiresAt =
            event.type == .purchaseCompleted ? Event.absent : event.timeB
        transactions[index].quantity = event.quantity
        transactions[index].isFamilyShared = event.isFamilyShared
        transactions[index].offerType = event.offerType
        transactions[index].offerDiscount = event.offerDiscount
        transactions[index].isUpgraded =
            event.type == .storeTransactionStated && event.flag(8) == true
    }

    /// A purchase also states its kind, which a neutral statement of a transaction does not.
    private mutating func stateKind(
        _ index: Int, _ event: Event, _ rank: StatementRank, names: borrowing NameTable
    ) {
        guard event.type != .storeTransactionStated else { return }
        let current = transactions[index].kindRank
        guard current.isNone || rank.outranks(current, names: names) else { return }
        transactions[index].kindRank = rank
        transactions[index].isConsumable = event.saysConsumable
        transactions[index].isStart = event.type == .subscriptionStarted
    }

    /// Whether the customer or the store began it. A statement that leaves it out takes back nothing of another one.
    private mutating func stateReason(
        _ index: Int, _ event: Event, _ rank: StatementRank, names: borrowing NameTable
    ) {
        let reason = event.transactionReason
        guard reason == 1 || reason == 2 else { return }
        let current = transactions[index].reasonRank
        guard current.isNone || rank.outranks(current, names: names) else { return }
        transactions[index].reasonRank = rank
        transactions[index].isPurchase = reason == 1
    }

    /// A start or a renewal also says that the subscription runs.
    private mutating func stateRunning(_ event: Event, names: borrowing NameTable) {
        autoRenew.state(event.flag(8) ?? true, by: event, names: names)
        stateBilling(BillingNotice(), by: event, names: names)
        expiry.state(0, by: event, names: names)
        nextProduct.state(event.product, by: event, names: names)
    }

    private mutating func stateBilling(
        _ notice: BillingNotice, by event: Event, names: borrowing NameTable
    ) {
        let former = billing
        guard billing.state(notice, by: event, names: names), former.value != BillingNotice(),
            former.at < event.occurredAt
        else { return }
        formerNotices.append(
            .init(at: former.at, until: event.occurredAt, value: former.value))
    }

    private func revocationKind(_ event: Event) -> TransactionFact.Revocation {
        guard event.revokedAt != Event.absent else { return .none }
        switch event.revocationType {
        case 2: return .prorated
        case 3: return .family
        default: return .full
        }
    }

    private mutating func stateRevocation(
        _ event: Event, _ kind: TransactionFact.Revocation, names: borrowing NameTable
    ) {
        let index = index(of: event.reference)
        let rank = StatementRank(event)
        let current = transactions[index].revocationRank
        guard current.isNone || rank.outranks(current, names: names) else { return }
        transactions[index].revocationRank = rank
        transactions[index].revocation = kind
        transactions[index].revokedAt = kind == .none ? Event.absent : event.revokedAt
        let percent = event.type == .purchaseRefunded ? event.amount.orNil : nil
        transactions[index].refundedMilli = percent ?? 100_000
    }

    private mutating func changeProduct(_ event: Event, names: borrowing NameTable) {
        switch event.productChange {
        case 1, 2: nextProduct.state(event.nameB, by: event, names: names)
        case 3: nextProduct.state(event.nameA, by: event, names: names)
        // A word that is not in the list says nothing of which product comes next (law 8).
        default: break
        }
    }

    /// Shortens the named transaction's period, never a successor's (rule 32).
    private mutating func end(_ event: Event, names: borrowing NameTable) {
        guard event.timeB != Event.absent, !event.reference.isNone else { return }
        let index = index(of: event.reference)
        let rank = StatementRank(event)
        let current = transactions[index].endingRank
        guard current.isNone || rank.outranks(current, names: names) else { return }
        transactions[index].endingRank = rank
        transactions[index].endedAt = event.timeB
        transactions[index].isEndedByRefund = names[event.nameB] == "refunded"
    }

    private mutating func stateRenewal(_ event: Event, names: borrowing NameTable) {
        autoRenew.state(event.flag(8) ?? true, by: event, names: names)
        stateBilling(
            BillingNotice(isRetrying: event.flag(0) == true, graceExpiresAt: event.timeA),
            by: event, names: names)
        if event.nameB != 0 { nextProduct.state(event.nameB, by: event, names: names) }
    }

    /// Since when service was continuous is a fact about the past, which T does not filter (rule 4): the store says it
    /// after the gap that it explains (E07).
    private mutating func noteContinuity(_ event: Event) {
        guard event.timeC != Event.absent else { return }
        continuities.append(.init(since: event.timeC, saidAt: event.signedAt))
    }
}

extension CustomerState {
    /// Takes one event of the customer, in canonical order; never fails.
    /// - Parameter type: The event's, which its caller knows.
    public mutating func evolve(_ event: Event, as type: EventType) {
        noteFirst(event, as: type)
        switch type {
        case .subjectCreated:
            firstSeenAt =
                firstSeenAt == Event.absent ? event.timeA : min(firstSeenAt, event.timeA)
            if event.timeZone != 0 {
                zones.append(
                    .init(at: event.occurredAt, zone: event.timeZone, isFirstSight: true))
            }
        case .subjectTimeZoneChanged:
            zones.append(.init(at: event.occurredAt, zone: event.timeZone, isFirstSight: false))
        case .consentRescinded, .consentGiven:
            consents.append(.init(at: event.occurredAt, isGiven: type == .consentGiven))
        case .profileCreated: change(event, .created)
        case .profileDeleted: change(event, .deleted)
        case .profileRestored: change(event, .restored)
        case .purchaseAssigned:
            assignments.append(
                .init(
                    at: event.occurredAt, transaction: event.reference, profile: event.profile,
                    isEnd: false))
        case .purchaseUnassigned:
            assignments.append(
                .init(
                    at: event.occurredAt, transaction: event.reference, profile: event.profile,
                    isEnd: true))
        case .grantIssued: issue(event)
        case .grantVoided: voids.append(.init(id: event.reference, voidedAt: event.timeA))
        case .debugOverrideSet, .debugOverrideCleared:
            overrides.append(
                .init(
                    kind: event.overrideKind, isSet: type == .debugOverrideSet,
                    value: event.nameA, at: event.occurredAt, expiresAt: event.timeA))
        default: break
        }
    }

    private mutating func noteFirst(_ event: Event, as type: EventType) {
        guard firstEventAt == Event.absent else { return }
        switch type {
        case .accessDenied, .limitReached, .featureRestricted, .assignmentConflict: return
        case .subjectAliased, .subjectUnaliased, .purchaseTransferred: return
        case .usageReset where event.isScheduledReset: return
        default: firstEventAt = event.occurredAt
        }
    }

    private mutating func change(_ event: Event, _ kind: ProfileChange.Kind) {
        profiles.append(
            .init(
                at: event.occurredAt, profile: event.profile, profileKind: event.nameA,
                change: kind, startedAt: event.timeA))
    }

    private mutating func issue(_ event: Event) {
        let priority = event.bits(2, 9)
        grants.append(
            .init(
                id: event.reference, key: event.key, source: event.source,
                entitlement: event.nameA, feature: event.nameB, meter: event.nameC,
                profile: event.profile, amount: event.amount,
                isUnlimited: event.flag(0) == true, startsAt: event.timeA,
                expiresAt: event.timeB, priority: priority == 0 ? 100 : Int64(priority) - 1,
                rolloverMax: event.money, rolloverMin: event.timeC,
                recurrence: event.recurrence))
    }
}
