import DaybookEvents

/// Applies the state table of rules §2.2 to one line at one time.
struct LineAnswer {
    let owned: CustomerCase.OwnedLine
    let periods: [LinePeriod]
    let names: NameTable
    let catalog: Catalog?
    /// The valid time at which the line is looked at; a debug override may shift it.
    let at: Int64

    private static let retryMilliseconds: Int64 = 60 * 86_400_000

    /// `nil` where the line says nothing about this time or any before it.
    func source() -> Source? {
        guard let current = current() else { return unknown() }
        let kind: Source.Kind
        switch current.product?.kind {
        case .nonConsumable: kind = current.fact.isFamilyShared ? .family : .lifetime
        case .nonRenewing: kind = .nonRenewing
        default: kind = current.fact.isFamilyShared ? .family : .subscription
        }
        var source = Source(kind: kind, id: owned.name)
        source.product = names[current.fact.product]
        source.transaction = current.fact.id.exactText
        source.entitlements = current.product?.entitlements ?? []
        source.startsAt = current.start
        source.expiresAt = current.end == Int64.max ? nil : current.end
        let next = names[owned.state.nextProduct.value]
        source.autoRenewProduct = next.isEmpty || next == source.product ? nil : next
        judge(current, &source)
        restrict(current, &source)
        return source
    }

    /// The period that contains the time, else the last that began before it.
    private func current() -> LinePeriod? {
        let begun = periods.filter { $0.start <= at }
        return begun.last { $0.contains(at) } ?? begun.last
    }

    /// Facts about a subscription whose periods nobody has told yet (NZ-08).
    private func unknown() -> Source? {
        let state = owned.state
        guard periods.isEmpty, !state.autoRenew.rank.isNone || !state.billing.rank.isNone else {
            return nil
        }
        var source = Source(kind: .subscription, id: owned.name)
        let next = names[state.nextProduct.value]
        source.product = next.isEmpty ? nil : next
        source.entitlements = catalog?.product(next)?.entitlements ?? []
        source.why = "unknown_state_fallback_free"
        source.state = .pending
        return source
    }

    private func judge(_ period: LinePeriod, _ source: inout Source) {
        if period.contains(at) { return judgeRunning(period, &source) }
        let line = owned.state
        switch period.cut {
        case .refunded, .prorated:
            source.state = .refunded
            source.willRenew = line.autoRenew.value && period.product?.kind == .autoRenewable
            source.why = "refunded"
        case .revoked:
            source.state = .revoked
            source.why = "revoked"
        case .unverified:
            source.state = .unverified
            source.why = "unverified"
        default: judgeLapsed(period, &source)
        }
    }

    private func judgeRunning(_ period: LinePeriod, _ source: inout Source) {
        source.isActive = true
        guard period.product?.kind != .nonConsumable else { return source.state = .lifetime }
        guard period.product?.kind != .nonRenewing else { return source.state = .active }
        source.willRenew = owned.state.autoRenew.value
        if period.fact.isTrial {
            source.state = .trial
            let left = period.naturalEnd &- at
            source.trialDaysRemaining = (left &+ 86_399_999) / 86_400_000
        } else {
            source.state = source.willRenew ? .active : .activeCanceling
        }
    }

    private func judgeLapsed(_ period: LinePeriod, _ source: inout Source) {
        let line = owned.state
        let notice = line.billing.value
        let isAbout = !line.billing.rank.isNone && line.billing.at >= period.fact.startsAt
        if isAbout, notice.graceExpiresAt != Event.absent, at < notice.graceExpiresAt {
            source.state = .grace
            source.isActive = true
            source.willRenew = true
            source.expiresAt = notice.graceExpiresAt
            return
        }
        if bridgesGap(period) {
            source.state = .active
            source.isActive = true
            source.willRenew = line.autoRenew.value
            source.flags.append("unknown_gap")
            return
        }
        if isAbout, notice.isRetrying,
            at < period.naturalEnd.addingSaturated(Self.retryMilliseconds)
        {
            source.state = .billingRetry
            source.willRenew = true
            source.isActive = catalog?.policies.billingRetryAccess ?? false
            source.why = source.isActive ? nil : "billing_retry"
            return
        }
        source.state = .expired
        if isAbout, notice.graceExpiresAt != Event.absent {
            source.expiresAt = notice.graceExpiresAt
        }
        let reason = names[line.expiry.value]
        source.why = reason.isEmpty ? "expired" : "expired.\(reason)"
    }

    /// A missing renewal between two known periods, while the store says that service was continuous (E07).
    private func bridgesGap(_ period: LinePeriod) -> Bool {
        guard catalog?.policies.gap == .assumeActive,
            let next = periods.first(where: { $0.start > at }),
            owned.state.continuousSince != Event.absent,
            owned.state.continuousSince <= period.fact.startsAt
        else { return false }
        return !owned.state.lapses.contains { $0 >= period.fact.startsAt && $0 <= next.start }
    }

    /// What the catalog does not allow gives nothing, however active it is.
    private func restrict(_ period: LinePeriod, _ source: inout Source) {
        guard let product = period.product else {
            source.isActive = false
            source.why = "unknown_product"
            source.flags.append("unknown_product")
            return
        }
        if period.fact.isFamilyShared, let reason = catalog?.familyRefusal(of: product) {
            source.isActive = false
            source.why = reason
        }
    }
}
