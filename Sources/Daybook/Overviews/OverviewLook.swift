import DaybookDomain
import DaybookEvents
import DaybookStore

/// A ledger at one moment, in which each customer is looked at once, however many rows of a list are about them.
final class OverviewLook {
    let state: LedgerState
    let environment: Environment
    let asOf: AsOf
    private let builder: CaseBuilder
    /// The customer who was looked at last: rows of one customer often follow one another.
    private var last: (shown: String, check: Check?)?

    var at: Int64 { asOf.at }

    init(state: LedgerState, environment: Environment, asOf: AsOf, builder: CaseBuilder) {
        self.state = state
        self.environment = environment
        self.asOf = asOf
        self.builder = builder
    }

    /// The name under which the customer of a stream is shown.
    func subject(ofStream stream: UInt32) -> String {
        builder.shown(CustomerKey(environment, state.stream(stream).name))
    }

    /// The rules about the customer of a stream; `nil` where none was in force.
    func check(ofStream stream: UInt32) throws -> Check? {
        try check(of: CustomerKey(environment, state.stream(stream).name))
    }

    private func check(of customer: CustomerKey) throws -> Check? {
        let shown = builder.shown(customer)
        if let last, haveSameBytes(last.shown, shown) { return last.check }
        let check = Check(try builder.build(customer))
        last = (shown, check)
        return check
    }

    /// What is known of the transaction that an event speaks of; `nil` where nothing that counts took it back.
    func refund(_ event: Event, _ store: any EventStore) throws -> RefundRow? {
        guard state.stream(event.stream).kind == .line,
            let row = try store.rows(at: [event.position]).first
        else { return nil }
        let stream = state.streamName(event.stream)
        let (line, owner) = try builder.line(event.stream)
        guard let fact = line.transactions.first(where: { $0.id == event.reference }),
            !fact.revocationRank.isNone
        else { return nil }
        // A statement that says "not revoked" is no refund, nor the end of one that never was.
        let isReversed = fact.revokedAt == Event.absent
        if isReversed, event.type == .storeTransactionStated { return nil }
        let recorded: RecordedEvent
        do throws(RowDamage) {
            recorded = try EventDecoder.recorded(row, stream: stream, names: state.names)
        } catch {
            recorded = error.readable
        }
        let data = recorded.draft.data
        let product = fact.product == 0 ? data["product"]?.text : state.names[fact.product]
        return RefundRow(
            subject: owner == 0 ? nil : builder.shown(CustomerKey(environment, owner)),
            position: event.position, line: stream.name, product: product,
            transaction: row.reference ?? event.reference.text ?? "",
            kind: Self.kind(fact), revokedAt: fact.revokedAt.orNil,
            refundedMilli: isReversed ? 0 : fact.refundedMilli,
            amountMilli: data["amount_milli"]?.integer, currency: data["currency"]?.text,
            reason: data["reason"]?.text)
    }

    private static func kind(_ fact: TransactionFact) -> RefundRow.Kind? {
        switch fact.revocation {
        case .none: nil
        case .full: .refund
        case .prorated: .prorated
        case .family: .family
        case .developer: .developer
        }
    }

    /// Every customer who may have something that ends: named by a purchase, given one or a grant; each person once.
    func holders() throws -> [CustomerKey] {
        var seen: Set<ExactText> = []
        var found: [CustomerKey] = []
        func add(_ customer: CustomerKey) {
            guard customer.environment == environment, customer.name != 0,
                seen.insert(ExactText(builder.shown(customer))).inserted
            else { return }
            found.append(customer)
        }
        state.forEachNaming { customer, _ in add(customer) }
        for name in state.receivers(in: environment) { add(CustomerKey(environment, name)) }
        for event in try state.log.events(of: [.grantIssued], through: asOf.position) {
            let stream = state.stream(event.stream)
            add(CustomerKey(stream.environment, stream.name))
        }
        return found
    }

    /// What of a customer ends after the asked time and before another.
    func expiries(
        of customer: CustomerKey, until end: Int64, isEndingAlone: Bool
    ) throws -> [ExpiryRow] {
        guard let check = try check(of: customer) else { return [] }
        let subject = builder.shown(customer)
        func isSoon(_ instant: Int64?) -> Bool { instant.map { at < $0 && $0 < end } ?? false }
        var rows: [ExpiryRow] = []
        for entitlement in check.entitlements.entitlements() where entitlement.isActive {
            guard let expiresAt = entitlement.expiresAt, isSoon(expiresAt),
                !(isEndingAlone && entitlement.willRenew)
            else { continue }
            let source = entitlement.winner
            rows.append(
                ExpiryRow(
                    subject: subject, kind: .entitlement, name: entitlement.name,
                    expiresAt: expiresAt, willRenew: entitlement.willRenew,
                    source: source?.product ?? source?.id ?? "",
                    state: entitlement.state.rawValue))
        }
        for grant in check.usage.allGrants() where grant.state == .active {
            guard let left = grant.left, let expiresAt = grant.expiresAt, isSoon(expiresAt) else {
                continue
            }
            rows.append(
                ExpiryRow(
                    subject: subject, kind: .grant, name: grant.name, expiresAt: expiresAt,
                    willRenew: false, source: grant.meter ?? grant.feature ?? "",
                    state: grant.state.rawValue, left: left))
        }
        return rows
    }
}

extension ExpiryRow {
    /// A row's place in the list.
    struct Cursor {
        var expiresAt: Int64
        var name: String
        var subject: String

        init(expiresAt: Int64, name: String, subject: String) {
            self.expiresAt = expiresAt
            self.name = name
            self.subject = subject
        }

        /// - Returns: `nil` for a text that is none.
        init?(_ text: String) {
            let parts = text.split(
                separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
            guard parts.count == 3, let expiresAt = Int64(parts[0]),
                let count = Int(parts[1]), count >= 0, count < parts[2].utf8.count
            else { return nil }
            self.init(
                expiresAt: expiresAt,
                name: String(decoding: parts[2].utf8.prefix(count), as: UTF8.self),
                subject: String(decoding: parts[2].utf8.dropFirst(count), as: UTF8.self))
        }

        /// The end, how many bytes the name has, the name and the customer.
        var text: String { "\(expiresAt)/\(name.utf8.count)/\(name)\(subject)" }

        func precedes(_ other: Cursor) -> Bool {
            if expiresAt != other.expiresAt { return expiresAt < other.expiresAt }
            if !haveSameBytes(subject, other.subject) {
                return precedesInBytes(subject, other.subject)
            }
            return precedesInBytes(name, other.name)
        }
    }

    var cursor: Cursor { Cursor(expiresAt: expiresAt, name: name, subject: subject) }
}
