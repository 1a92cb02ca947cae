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
    private var last: (shown: String, answers: Answers?)?

    /// A customer with what lists show of them.
    final class Answers {
        let question: CustomerCase
        let check: Check
        lazy var grants = check.usage.allGrants()
        lazy var reservations = check.usage.openReservations()

        /// - Returns: `nil` where no rules were in force.
        init?(_ question: CustomerCase) {
            guard let check = Check(question) else { return nil }
            self.question = question
            self.check = check
        }
    }

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

    /// What is known of the customer of a stream; `nil` where no rules were in force.
    func answers(ofStream stream: UInt32) throws -> Answers? {
        try answers(of: CustomerKey(environment, state.stream(stream).name))
    }

    private func answers(of customer: CustomerKey) throws -> Answers? {
        let shown = builder.shown(customer)
        if let last, haveSameBytes(last.shown, shown) { return last.answers }
        let answers = Answers(try builder.build(customer))
        last = (shown, answers)
        return answers
    }

    /// The row of an event.
    func row(_ event: Event) throws -> EventRow? {
        try state.log.store.rows(at: [event.position]).first
    }

    /// Whether an event gives nothing any more, because the end that it states has come. One that was amended may state
    /// another end.
    func isOver(_ event: Event, at end: Int64) -> Bool {
        end != Event.absent && end <= at
            && state.corrections.amendments(of: state.eventKey(event), cut: asOf.position).isEmpty
    }

    /// What an event took back by the asked time; `nil` where another event's word counts, or none does.
    func refund(_ event: Event) throws -> RefundRow? {
        guard state.stream(event.stream).kind == .lineage else { return nil }
        let stream = state.streamName(event.stream)
        let (lineage, owner) = try builder.lineage(event.stream)
        guard let fact = lineage.transactions.first(where: { $0.id == event.reference }),
            // A client's refund of what the store itself speaks of is no statement (rule 11).
            fact.revocationRank.classRank >= fact.coreRank.classRank,
            max(event.occurredAt, fact.revokedAt) <= at, try tells(event, of: fact),
            let row = try row(event)
        else { return nil }
        let amendments = state.corrections.amendments(
            of: state.eventKey(event), cut: asOf.position)
        let data: JSONObject
        do {
            data = try Amendments(store: state.log.store, names: state.names).apply(
                amendments, to: row, in: stream
            ).draft.data
        } catch let damage as RowDamage {
            // One damaged row must not hide the others.
            data = damage.readable.draft.data
        }
        let product = fact.product == 0 ? data["product"]?.text : state.names[fact.product]
        return RefundRow(
            subject: owner == 0 ? nil : builder.shown(CustomerKey(environment, owner)),
            position: event.position, lineage: stream.name, product: product,
            transaction: row.reference ?? event.reference.text ?? "",
            kind: Self.kind(fact), revokedAt: fact.revokedAt.orNil,
            refundedMilli: fact.revocation == .none ? 0 : fact.refundedMilli,
            amountMilli: data["amount_milli"]?.integer, currency: data["currency"]?.text,
            reason: data["reason"]?.text)
    }

    /// Whether this is the event by which a transaction is told: the one whose word counts, and of a refund that was
    /// reversed the last reversal, also where a later statement of the whole transaction says the same by silence.
    ///
    /// Where no money is known to have gone back, a reversal gives none back. Order of arrival decides nothing: a
    /// refund may be recorded after its reversal.
    private func tells(_ event: Event, of fact: TransactionFact) throws -> Bool {
        guard fact.revocation == .none else {
            return fact.revocationRank.source == event.source
                && fact.revocationRank.key == event.key
        }
        guard event.type == .purchaseRefundReversed else { return false }
        let events = try AggregateFold(state, cut: asOf.position).events(
            environment: environment, heads: [state.headOf(event.stream).position]
        ).filter {
            $0.reference == fact.id && $0.trust.classRank >= fact.coreRank.classRank
                && max($0.occurredAt, $0.revokedAt) <= at
        }
        let last = events.filter { $0.type == .purchaseRefundReversed }.max {
            StatementRank($1).outranks(StatementRank($0), names: state.names)
        }
        guard last?.position == event.position else { return false }
        return events.contains { other in
            switch other.type {
            case .purchaseRefunded, .purchaseRevoked: true
            case .storeTransactionStated: other.revokedAt != Event.absent
            default: false
            }
        }
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
        try state.log.forEachBackwards(
            of: [.grantIssued, .debugOverrideSet], through: asOf.position
        ) { event in
            let stream = state.stream(event.stream)
            add(CustomerKey(stream.environment, stream.name))
            return true
        }
        return found
    }

    /// What of a customer ends after the asked time and before another.
    func expiries(
        of customer: CustomerKey, until end: Int64, isEndingAlone: Bool
    ) throws -> [ExpiryRow] {
        guard let answers = try answers(of: customer) else { return [] }
        let rows = expiries(answers, until: end, isEndingAlone: isEndingAlone)
        if rows.isEmpty || answers.question.namesToLookUp.isEmpty { return rows }
        // Only now is it worth reading the texts of ids that are longer than a reference holds.
        let named = try ReferenceTexts(
            state: state, store: state.log.store, cut: asOf.position
        ).completing(answers.question)
        return Answers(named).map {
            expiries($0, until: end, isEndingAlone: isEndingAlone)
        } ?? rows
    }

    private func expiries(
        _ answers: Answers, until end: Int64, isEndingAlone: Bool
    ) -> [ExpiryRow] {
        let subject = answers.question.subject
        func isSoon(_ instant: Int64?) -> Bool { instant.map { at < $0 && $0 < end } ?? false }
        var rows: [ExpiryRow] = []
        for profile in [nil] + answers.check.entitlements.profilesServed.map(Optional.some) {
            let entitlements = answers.check.entitlements.entitlements(profile: profile)
            for entitlement in entitlements where entitlement.isActive {
                // What serves the whole customer is told once.
                guard let expiresAt = entitlement.expiresAt, isSoon(expiresAt),
                    !(isEndingAlone && entitlement.willRenew),
                    profile == nil || entitlement.winner?.profile == profile
                else { continue }
                let source = entitlement.winner
                rows.append(
                    ExpiryRow(
                        subject: subject, kind: .entitlement, name: entitlement.name,
                        profile: profile, expiresAt: expiresAt,
                        willRenew: entitlement.willRenew,
                        source: source?.product ?? source?.id ?? "",
                        state: entitlement.state.rawValue))
            }
        }
        for grant in answers.grants where grant.state == .active {
            guard let left = grant.left, let expiresAt = grant.expiresAt, isSoon(expiresAt) else {
                continue
            }
            rows.append(
                ExpiryRow(
                    subject: subject, kind: .grant, name: grant.name, profile: grant.profile,
                    expiresAt: expiresAt, willRenew: false,
                    source: grant.meter ?? grant.feature ?? "", state: grant.state.rawValue,
                    left: left))
        }
        return rows
    }
}

/// Where a page of events ended.
struct EventCursor {
    /// Of the last event that was shown.
    var position: Int64
    /// The end of what the pages know.
    var cut: Place

    /// `17@` and the place.
    var text: String { "\(position)@\(cut)" }
}

extension EventCursor {
    /// - Returns: `nil` for a text that is none.
    init?(_ text: String) {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, let position = Int64(parts[0]), let cut = Place(String(parts[1])),
            position > 0, position <= cut.position
        else { return nil }
        self.init(position: position, cut: cut)
    }
}

extension ExpiryRow {
    /// A row's place in the list.
    struct Cursor: Equatable {
        var expiresAt: Int64
        var subject: String
        /// The kind, the name, and the profile where there is one.
        var parts: [String]

        init(_ row: ExpiryRow) {
            expiresAt = row.expiresAt
            subject = row.subject
            parts = [row.kind.rawValue, row.name] + (row.profile.map { [$0] } ?? [])
        }

        /// - Returns: `nil` for a text that is none.
        init?(_ text: String) {
            // What is no JSON is no place.
            let read = try? JSONReader.read(Array(text.utf8))
            guard let values = read?.array, (4...5).contains(values.count),
                let expiresAt = values[0].integer
            else { return nil }
            let texts = values.dropFirst().compactMap(\.text)
            guard texts.count == values.count - 1, Kind(rawValue: texts[1]) != nil else {
                return nil
            }
            self.expiresAt = expiresAt
            subject = texts[0]
            parts = Array(texts.dropFirst())
        }

        /// A list: the end, the customer, the kind, the name, the profile.
        var text: String {
            let values: [JSONValue] =
                [.integer(expiresAt), .string(subject)] + parts.map { .string($0) }
            return JSONValue.array(values).canonicalText
        }

        func precedes(_ other: Cursor) -> Bool {
            if expiresAt != other.expiresAt { return expiresAt < other.expiresAt }
            let (left, right) = ([subject] + parts, [other.subject] + other.parts)
            for (left, right) in zip(left, right) where !haveSameBytes(left, right) {
                return precedesInBytes(left, right)
            }
            return left.count < right.count
        }
    }

    var cursor: Cursor { Cursor(self) }
}
