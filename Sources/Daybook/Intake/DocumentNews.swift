import DaybookDomain
import DaybookEvents
import DaybookIngest
import DaybookStore

/// What of a subscriber document is news beside what the ledger knows.
///
/// A document is the poorest witness: it fills in what no other source has said. What another source says of a
/// transaction, or of how things stand with it, stays; what the document says otherwise is told as a gap.
struct DocumentNews {
    /// What is to be recorded, in the order of the document.
    private(set) var drafts: [EventDraft] = []
    /// How many statements the ledger has already.
    private(set) var duplicates = 0
    private(set) var gaps: [RevenueCatSubscriberGap] = []
    let customer: CustomerCase
    private let lineages: DocumentLineages
    /// When the newest document was made that is recorded of the customer; `Int64.min`: none is.
    private let newestAt: Int64
    /// The lineages with a charge that is news: it says that a subscription runs, so what stands must be said after it.
    private var newFacts: Set<String> = []

    /// - Parameters:
    ///   - drafts: All that the document says, canonical.
    ///   - builder: Of everything that is recorded; the keys are read.
    init(
        _ drafts: [EventDraft], of subject: String, _ environment: Environment,
        _ builder: CaseBuilder
    ) throws {
        customer = try builder.build(environment, subject)
        lineages = try DocumentLineages(drafts, of: customer, builder)
        newestAt = try Self.newest(customer, builder)
    }

    private enum Verdict {
        case news(EventDraft)
        /// The ledger says so already.
        case known
        /// It takes nothing back, for there is nothing.
        case idle
        case gap(RevenueCatSubscriberGap)
    }

    /// Whether an event says what was bought, not how things stand with it.
    static func isFact(_ draft: EventDraft) -> Bool {
        [.subscriptionStarted, .subscriptionRenewed, .purchaseCompleted]
            .contains(draft.type)
    }

    /// Takes the next event of the document.
    /// - Parameter isRecorded: Whether it is recorded under its own key.
    mutating func take(_ draft: EventDraft, isRecorded: Bool) throws {
        if Self.isFact(draft), let gap = foreignOwner(draft) { gaps.append(gap) }
        if isRecorded {
            duplicates += 1
            if Self.isFact(draft), let gap = elsewhere(draft) { gaps.append(gap) }
            return
        }
        switch try verdict(on: draft) {
        case .known: duplicates += 1
        case .idle: break
        case .gap(let gap): gaps.append(gap)
        case .news(let news):
            drafts.append(news)
            if Self.isFact(draft) { newFacts.insert(EventRouter.stream(of: draft).name) }
        }
    }

    private func verdict(on draft: EventDraft) throws -> Verdict {
        if Self.isFact(draft) { return verdict(onFact: draft) }
        switch draft.type {
        case .grantIssued: return verdict(onGrant: draft)
        case .grantVoided: return verdict(onVoid: draft)
        case .subscriptionAutoRenewChanged, .subscriptionBillingFailed,
            .purchaseRefunded, .purchaseRefundReversed, .subscriptionPauseScheduled:
            return try verdict(onStanding: draft)
        default: return .news(draft)
        }
    }

    // MARK: What was bought

    private func verdict(onFact draft: EventDraft) -> Verdict {
        if let gap = elsewhere(draft) { return .gap(gap) }
        guard let lineage = lineages.holders(of: draft).first, let fact = lineage.fact(of: draft)
        else {
            return .news(draft)
        }
        if !isDocument(fact.coreRank), !fact.isProvisional {
            return .gap(known(draft, in: lineage))
        }
        let start = draft.data["starts_at"]?.integer ?? Int64.max
        let isSubscription = draft.type != .purchaseCompleted
        let ranks = [
            lineage.state.autoRenew.rank, lineage.state.billing.rank, lineage.state.expiry.rank,
            lineage.state.nextProduct.rank,
        ]
        // The charge would put renewal, billing and the next product back to how they begin.
        if isSubscription, ranks.contains(where: { isForeign($0) && $0.signedAt > start }) {
            return .gap(known(draft, in: lineage))
        }
        if isDocument(fact.coreRank), (draft.source.signedAt ?? 0) + 1 < newestAt {
            return .gap(older(draft))
        }
        return .news(draft)
    }

    /// Where the transaction stands in a lineage of another name, which has the original transaction.
    private func elsewhere(_ draft: EventDraft) -> RevenueCatSubscriberGap? {
        let own = EventRouter.stream(of: draft).name
        return lineages.holders(of: draft).first { !haveSameBytes($0.name, own) }
            .map { known(draft, in: $0) }
    }

    /// Where another customer owns the lineage of the purchase, by what documents say.
    private func foreignOwner(_ draft: EventDraft) -> RevenueCatSubscriberGap? {
        guard let lineage = lineages.own(of: draft), !lineage.isTheirs, lineage.owner != nil,
            let fact = lineage.fact(of: draft), isDocument(fact.coreRank)
        else { return nil }
        return known(draft, in: lineage)
    }

    private func known(_ draft: EventDraft, in lineage: DocumentLineage) -> RevenueCatSubscriberGap
    {
        let name = Self.name(draft)
        let transaction = draft.data["transaction_id"]?.text ?? ""
        var sentence =
            "\(name): transaction \(transaction) stands in the lineage \(lineage.name) already, which "
            + "goes on being told by its own source"
        if !lineage.isTheirs {
            sentence +=
                lineage.owner.map { "; the lineage is owned by \($0)" }
                ?? "; the lineage has no owner, and restore-purchases gives it to a customer"
        }
        return .init(code: .knownElsewhere, name: name, sentence: sentence)
    }

    // MARK: How things stand

    private func verdict(onStanding draft: EventDraft) throws -> Verdict {
        let own = EventRouter.stream(of: draft).name
        guard let lineage = lineages.holders(of: draft).first ?? lineages.own(of: draft) else {
            return RevenueCatSubscriberReader.isRestatement(draft) ? .idle : news(draft)
        }
        let isOwn = haveSameBytes(lineage.name, own)
        let rank = lineage.fact(of: draft)?.coreRank ?? .none
        let change = change(draft, lineage, isNewFact: newFacts.contains(own))
        guard case .news = change else { return change }
        if !lineage.isTheirs, !isOwn || isForeign(rank) {
            let owner = lineage.owner.map { "is owned by \($0)" } ?? "has no owner"
            return .gap(
                .init(
                    code: .knownElsewhere, name: Self.name(draft),
                    sentence: "\(Self.name(draft)): that \(Self.words(draft)) was left out; the "
                        + "lineage \(lineage.name) \(owner)"))
        }
        let verdict = news(draft)
        guard !isOwn, case .news(let news) = verdict else { return verdict }
        return .news(try Self.moved(news, to: lineage.name))
    }

    /// How things stand by an older document is of the past.
    private func news(_ draft: EventDraft) -> Verdict {
        (draft.source.signedAt ?? Int64.max) < newestAt ? .gap(older(draft)) : .news(draft)
    }

    private func older(_ draft: EventDraft) -> RevenueCatSubscriberGap {
        .init(
            code: .olderDocument, name: Self.name(draft),
            sentence: "\(Self.name(draft)): that \(Self.words(draft)) was left out; the ledger has "
                + "a newer document of the customer, from \(RFC3339.format(newestAt))")
    }

    /// - Parameter isNewFact: Whether the charge of the same document is news.
    private func change(
        _ draft: EventDraft, _ lineage: DocumentLineage, isNewFact: Bool
    ) -> Verdict {
        let state = lineage.state
        switch draft.type {
        case .subscriptionAutoRenewChanged where draft.data["enabled"] == true:
            guard !state.autoRenew.value else { return .idle }
            return takeBack(draft, lineage, state.autoRenew.rank)
        case .subscriptionAutoRenewChanged:
            guard state.autoRenew.value || isNewFact else { return .known }
            return state.autoRenew.value
                ? add(draft, lineage, state.autoRenew.rank) : .news(draft)
        case .subscriptionBillingFailed:
            let grace = draft.data["grace_expires_at"]?.integer ?? Event.absent
            let billing = state.billing
            if billing.value.isRetrying {
                let isSame =
                    billing.value.graceExpiresAt == grace || isForeign(billing.rank)
                return isSame && !isNewFact ? .known : .news(draft)
            }
            // An end that was told came after the failure.
            if state.expiry.value != 0, isForeign(state.expiry.rank) { return .known }
            return add(draft, lineage, billing.rank)
        case .purchaseRefunded:
            guard let fact = lineage.fact(of: draft) else { return .news(draft) }
            guard fact.revocation != .none else {
                return add(draft, lineage, fact.revocationRank)
            }
            let isSame = fact.revokedAt == draft.data["revoked_at"]?.integer
            return isSame || isForeign(fact.revocationRank) ? .known : .news(draft)
        case .purchaseRefundReversed:
            guard let fact = lineage.fact(of: draft), fact.revocation != .none else { return .idle }
            return takeBack(draft, lineage, fact.revocationRank)
        // No fold reads a pause; the same one has the same key.
        default: return .news(draft)
        }
    }

    /// What holds no more: only what RevenueCat said is taken back by RevenueCat.
    private func takeBack(
        _ draft: EventDraft, _ lineage: DocumentLineage, _ rank: StatementRank
    ) -> Verdict {
        guard rank.signedAt < (draft.source.signedAt ?? Int64.min) else { return .idle }
        let isTheirs = isDocument(rank) || haveSameBytes(source(rank), RevenueCatReader.sourceKind)
        return isTheirs ? .news(draft) : .gap(contradicted(draft, lineage.name, source(rank)))
    }

    /// What the ledger does not say: another source that spoke later than it happened knew better.
    private func add(
        _ draft: EventDraft, _ lineage: DocumentLineage, _ rank: StatementRank
    ) -> Verdict {
        let happenedAt = draft.occurredAt ?? Int64.max
        guard isForeign(rank), rank.signedAt >= happenedAt else { return .news(draft) }
        return .gap(contradicted(draft, lineage.name, source(rank)))
    }

    // MARK: Promotions

    private func grant(of draft: EventDraft) -> CustomerState.GrantFact? {
        let id = draft.data["grant_id"]?.text.map { Reference($0) }
        return customer.state.customer.grants.first { $0.id == id }
    }

    private func verdict(onGrant draft: EventDraft) -> Verdict {
        guard let grant = grant(of: draft) else { return .news(draft) }
        let end = draft.data["expires_at"]?.integer ?? Event.absent
        if grant.expiresAt == end { return .known }
        // Its end is told by what follows.
        if end != Event.absent, endsEarlier(grant, end), end <= draft.source.signedAt ?? 0 {
            return .idle
        }
        return .gap(contradicted(draft, "grant \(grantName(draft))", customer.names[grant.source]))
    }

    private func verdict(onVoid draft: EventDraft) -> Verdict {
        let isRestatement = RevenueCatSubscriberReader.isRestatement(draft)
        guard let grant = grant(of: draft), let end = draft.data["voided_at"]?.integer else {
            return isRestatement ? .idle : .news(draft)
        }
        let isVoid = customer.state.customer.voids.contains {
            $0.id == grant.id && $0.voidedAt <= end
        }
        if isVoid { return isRestatement ? .idle : .known }
        if isRestatement, !endsEarlier(grant, end) { return .idle }
        let source = customer.names[grant.source]
        let kinds = [RevenueCatReader.sourceKind, RevenueCatSubscriberReader.sourceKind]
        guard kinds.contains(where: { haveSameBytes($0, source) }) else {
            return .gap(contradicted(draft, "grant \(grantName(draft))", source))
        }
        return .news(draft)
    }

    private func grantName(_ draft: EventDraft) -> String { draft.data["grant_id"]?.text ?? "" }

    /// Whether a promotion is known to last longer than the document says.
    private func endsEarlier(_ grant: CustomerState.GrantFact, _ end: Int64) -> Bool {
        grant.expiresAt == Event.absent || grant.expiresAt > end
    }
}
