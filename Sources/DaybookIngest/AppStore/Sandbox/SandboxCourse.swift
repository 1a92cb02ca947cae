import DaybookDomain
import DaybookEvents

/// Where a subscription of a sandbox is in its life, step by step.
struct SandboxCourse {
    private enum Phase { case none, trial, paid, grace, retry, ended }

    private let life: SandboxLife
    private let lineage: Int64
    private var phase = Phase.none
    private var number: Int64 = -1
    private var now: Int64
    private var periodStart: Int64
    private var periodEnd: Int64
    private var graceEnd: Int64?
    private var retryEnd: Int64?
    private var willRenew = true
    private var revokedAt: Int64?

    init(_ life: SandboxLife) {
        self.life = life
        lineage = life.transactionID ?? life.start
        now = life.start
        (periodStart, periodEnd) = (life.start, life.start)
    }

    // MARK: What can happen

    private var isInPeriod: Bool { phase == .trial || phase == .paid }
    private var isFailing: Bool { phase == .grace || phase == .retry }

    /// Why a step cannot come next; `nil`: it can.
    func obstacle(to step: SandboxLife.Step) -> String? {
        if step != .trial, step != .purchase, phase == .none {
            return "a life begins with trial or purchase"
        }
        switch step {
        case .trial: return phase == .none ? nil : "only a first purchase has a trial"
        case .purchase:
            return phase == .none || phase == .ended ? nil : "it is bought already; say renewal"
        case .conversion:
            guard phase == .trial else { return "only a trial is converted; say renewal" }
            return willRenew ? nil : "renewal is switched off; say uncancel before"
        case .renewal, .grace:
            if phase == .trial, step == .renewal { return "a trial becomes paid by conversion" }
            guard isInPeriod else { return "no period is running" }
            return willRenew ? nil : "renewal is switched off; say uncancel before"
        case .retry:
            if phase == .grace { return nil }
            guard isInPeriod else { return "no period is running" }
            return willRenew ? nil : "renewal is switched off; say uncancel before"
        case .recovery: return isFailing ? nil : "no charge has failed; say grace or retry before"
        case .cancel:
            guard isInPeriod else { return "no period is running" }
            return willRenew ? nil : "renewal is switched off already"
        case .uncancel:
            guard isInPeriod else { return "no period is running" }
            return willRenew ? "renewal is not switched off" : nil
        case .refund:
            guard phase == .paid else { return "no paid period is running" }
            return revokedAt == nil ? nil : "the period is refunded already"
        case .reversal: return revokedAt != nil ? nil : "nothing was refunded in this period"
        case .expiry:
            guard phase != .ended else { return "it has ended already" }
            return isFailing || !willRenew
                ? nil : "it would renew; say cancel, grace or retry before"
        }
    }

    // MARK: What happens

    mutating func take(_ step: SandboxLife.Step) -> SandboxLife.Moment {
        switch step {
        case .trial: begin(.trial, life.trial, at: now)
        case .purchase:
            // A customer who comes back does so some time after it ended.
            begin(.paid, life.period, at: phase == .none ? now : later(now))
        case .conversion, .renewal: begin(.paid, life.period, at: periodEnd)
        case .grace:
            now = periodEnd
            graceEnd = now + life.speed.grace(life.period)
            retryEnd = now + life.speed.retry
            phase = .grace
        case .retry:
            now = graceEnd ?? periodEnd
            retryEnd = retryEnd ?? now + life.speed.retry
            phase = .retry
        case .recovery: recover()
        case .cancel, .uncancel:
            now += (periodEnd - now) / 4
            willRenew = step == .uncancel
        case .refund:
            now += (periodEnd - now) / 4
            revokedAt = now
        case .reversal:
            now += (periodEnd - now) / 4
            revokedAt = nil
        case .expiry:
            now = max(now, isFailing ? retryEnd ?? now : periodEnd)
        }
        let moment = moment(step)
        if step == .expiry { phase = .ended }
        return moment
    }

    private mutating func begin(_ phase: Phase, _ period: CivilDuration, at start: Int64) {
        self.phase = phase
        number += 1
        now = start
        periodStart = start
        periodEnd = life.speed.end(of: period, from: start)
        (graceEnd, retryEnd, revokedAt) = (nil, nil, nil)
        willRenew = true
    }

    private mutating func recover() {
        guard let graceEnd, phase == .grace else {
            return begin(.paid, life.period, at: now + ((retryEnd ?? now) - now) / 2)
        }
        // In grace the billing date is kept (docs/rules.md#payloads).
        let paidAt = now + (graceEnd - now) / 2
        begin(.paid, life.period, at: periodEnd)
        now = min(paidAt, periodEnd - 1)
    }

    private func later(_ instant: Int64) -> Int64 {
        instant + (life.speed.end(of: life.period, from: instant) - instant) / 2
    }

    // MARK: What is told

    private func moment(_ step: SandboxLife.Step) -> SandboxLife.Moment {
        var notification = SandboxNotification(
            type: type(step), bundleID: life.bundleID, signedAt: now)
        notification.subtype = subtype(step)
        notification.status = status(step)
        notification.transaction = transaction
        notification.renewal = renewal(step)
        return .init(
            step: step, at: now, notification: notification,
            until: phase == .grace ? graceEnd ?? periodEnd : periodEnd)
    }

    private func type(_ step: SandboxLife.Step) -> AppStoreNotificationType {
        switch step {
        case .trial, .purchase: .subscribed
        case .conversion, .renewal, .recovery: .didRenew
        case .grace: .didFailToRenew
        case .retry: graceEnd == nil ? .didFailToRenew : .gracePeriodExpired
        case .cancel, .uncancel: .didChangeRenewalStatus
        case .refund: .refund
        case .reversal: .refundReversed
        case .expiry: .expired
        }
    }

    private func subtype(_ step: SandboxLife.Step) -> AppStoreNotificationSubtype? {
        switch step {
        case .trial: .initialBuy
        case .purchase: number == 0 ? .initialBuy : .resubscribe
        case .recovery: .billingRecovery
        case .grace: .gracePeriod
        case .cancel: .autoRenewDisabled
        case .uncancel: .autoRenewEnabled
        case .expiry: isFailing ? .billingRetry : .voluntary
        case .conversion, .renewal, .retry, .refund, .reversal: nil
        }
    }

    private func status(_ step: SandboxLife.Step) -> AppStoreStatus {
        switch (step, phase) {
        case (.expiry, _): .expired
        case (_, .grace): .billingGracePeriod
        case (_, .retry): .billingRetry
        default: revokedAt == nil ? .active : .revoked
        }
    }

    private var transaction: SandboxTransaction {
        var transaction = SandboxTransaction(
            bundleID: life.bundleID, productID: life.productID, type: .autoRenewable,
            transactionID: String(lineage + number), purchasedAt: periodStart)
        transaction.originalTransactionID = String(lineage)
        transaction.originallyPurchasedAt = life.start
        transaction.expiresAt = periodEnd
        transaction.signedAt = now
        transaction.groupID = life.groupID
        transaction.appAccountToken = life.appAccountToken
        transaction.currency = life.currency
        transaction.price = life.price
        if number == 0, life.plan.first == .trial {
            transaction.offerType = .introductory
            transaction.offerDiscount = .freeTrial
            if life.price != nil { transaction.price = 0 }
        }
        if let revokedAt {
            transaction.revokedAt = revokedAt
            transaction.revocationReason = .other
            transaction.revocationType = .refundFull
            transaction.revocationPercentage = 100_000
        }
        return transaction
    }

    private func renewal(_ step: SandboxLife.Step) -> SandboxRenewal {
        var renewal = SandboxRenewal(
            originalTransactionID: String(lineage), productID: life.productID, signedAt: now)
        renewal.continuousSince = life.start
        renewal.appAccountToken = life.appAccountToken
        renewal.currency = life.currency
        renewal.renewalPrice = life.price
        let isOver = step == .expiry
        renewal.willRenew = willRenew && !isOver
        if renewal.willRenew { renewal.renewsAt = periodEnd }
        renewal.isInBillingRetry = isFailing && !isOver
        if phase == .grace, !isOver { renewal.graceExpiresAt = graceEnd }
        if isOver { renewal.expirationIntent = isFailing ? .billingError : .customerCanceled }
        if isFailing, !isOver { renewal.expirationIntent = .billingError }
        return renewal
    }
}
