import DaybookDomain
import DaybookEvents
import DaybookStore

/// What is true of many customers: pages of rows, of which each is the answer about its customer at one moment.
extension Ledger {
    /// Grants, the newest first.
    /// - Parameter isAll: Also those that were used up, voided, or are over.
    /// - Throws: `LedgerError.badInput` for an `after` that no page gave.
    /// - Complexity: O(*n*) in the events of the ledger, a look at each one's type, and the customers of the page.
    public func grants(
        _ request: OverviewRequest = OverviewRequest(), isAll: Bool = false
    ) throws -> OverviewPage<GrantRow> {
        try newest(request, [.grantIssued]) { look, event in
            guard let check = try look.check(ofStream: event.stream) else { return nil }
            let found = check.usage.allGrants().first {
                $0.id == event.reference && $0.key == event.key
            }
            guard var grant = found, isAll || grant.state == .active || grant.state == .pending
            else { return nil }
            let row = try store.rows(at: [event.position]).first
            grant.name = row?.reference ?? grant.name
            return GrantRow(
                subject: look.subject(ofStream: event.stream), position: event.position,
                issuedAt: event.occurredAt, grant: grant)
        }
    }

    /// Reservations that are open, the newest first.
    /// - Throws: `LedgerError.badInput` for an `after` that no page gave.
    public func openReservations(
        _ request: OverviewRequest = OverviewRequest()
    ) throws -> OverviewPage<ReservationRow> {
        try newest(request, [.usageReserved]) { look, event in
            // What is over by its own time need not be folded.
            guard event.occurredAt <= look.at,
                let check = try look.check(ofStream: event.stream)
            else { return nil }
            let found = check.usage.openReservations().first {
                $0.id == event.reference && $0.key == event.key
            }
            guard var reservation = found else { return nil }
            let row = try store.rows(at: [event.position]).first
            reservation.name = row?.reference ?? reservation.name
            return ReservationRow(
                subject: look.subject(ofStream: event.stream), position: event.position,
                reservation: reservation)
        }
    }

    /// Transactions that a store took back, the latest word first, each once.
    /// - Throws: `LedgerError.badInput` for an `after` that no page gave.
    public func refunds(
        _ request: OverviewRequest = OverviewRequest()
    ) throws -> OverviewPage<RefundRow> {
        var seen: Set<RefundedTransaction> = []
        let types: Set<EventType> = [
            .purchaseRefunded, .purchaseRevoked, .purchaseRefundReversed, .storeTransactionStated,
        ]
        return try newest(
            request, types,
            takes: { event in
                let says =
                    event.type != .storeTransactionStated || event.revokedAt != Event.absent
                // The newest one comes first.
                return says
                    && seen.insert(
                        RefundedTransaction(stream: event.stream, id: event.reference)
                    ).inserted
            }
        ) { look, event in
            try look.refund(event, store)
        }
    }

    private struct RefundedTransaction: Hashable {
        var stream: UInt32
        var id: Reference
    }

    /// Goes through the events of some types from the newest on.
    /// - Parameters:
    ///   - takes: Whether an event may give a row; asked of all, in order.
    ///   - row: What is shown of an event; `nil`: nothing.
    private func newest<Row>(
        _ request: OverviewRequest, _ types: Set<EventType>, takes: (Event) -> Bool = { _ in true },
        _ row: (OverviewLook, Event) throws -> Row?
    ) throws -> OverviewPage<Row> {
        let before = try request.after.map { text in
            guard let position = Int64(text), position > 0 else { throw Self.badCursor(text) }
            return position
        }
        return try looking(request) { look in
            var page = OverviewPage<Row>(rows: [], asOf: look.asOf)
            var last: Int64 = 0
            let events = try look.state.log.events(of: types, through: look.asOf.position)
            for event in events.reversed() {
                let stream = look.state.stream(event.stream)
                guard stream.environment == request.environment, takes(event),
                    event.position < before ?? Int64.max, let found = try row(look, event)
                else { continue }
                if page.rows.count == request.limit {
                    page.next = String(last)
                    break
                }
                page.rows.append(found)
                last = event.position
            }
            return page
        }
    }

    /// What ends within a time from the asked one on: the soonest first, then by customer and name.
    /// - Parameters:
    ///   - milliseconds: How far ahead, more than 0.
    ///   - isEndingAlone: Only what the store will not renew.
    ///   - progress: Customers looked at, and in all.
    /// - Throws: `LedgerError.badInput` for an `after` that no page gave; what `progress` throws.
    /// - Complexity: O(*c*) in the customers who ever bought or were given anything.
    public func expiring(
        _ request: OverviewRequest = OverviewRequest(), within milliseconds: Int64,
        isEndingAlone: Bool = false, progress: (Int64, Int64) throws -> Void = { _, _ in }
    ) throws -> OverviewPage<ExpiryRow> {
        let after = try request.after.map { text in
            guard let cursor = ExpiryRow.Cursor(text) else { throw Self.badCursor(text) }
            return cursor
        }
        return try looking(request) { look in
            var rows: [ExpiryRow] = []
            let customers = try look.holders()
            for (index, customer) in customers.enumerated() {
                rows += try look.expiries(
                    of: customer, until: look.at.addingSaturated(max(1, milliseconds)),
                    isEndingAlone: isEndingAlone)
                if index & 255 == 255 { try progress(Int64(index + 1), Int64(customers.count)) }
            }
            try progress(Int64(customers.count), Int64(customers.count))
            rows.sort { $0.cursor.precedes($1.cursor) }
            let rest = after.map { after in rows.drop { !after.precedes($0.cursor) } } ?? rows[...]
            var page = OverviewPage(rows: Array(rest.prefix(request.limit)), asOf: look.asOf)
            if rest.count > request.limit { page.next = page.rows.last?.cursor.text }
            return page
        }
    }

    private static func badCursor(_ text: String) -> LedgerError {
        .badInput([
            InputProblem(
                line: nil, column: nil, code: "bad_cursor",
                reason: "\"\(text)\" is not where a page of this list ended; take its next")
        ])
    }

    /// - Throws: `LedgerError.badInput` in a ledger without a catalog: there are no rules to answer by.
    private func looking<Row>(
        _ request: OverviewRequest, _ body: (OverviewLook) throws -> OverviewPage<Row>
    ) throws -> OverviewPage<Row> {
        try refresh()
        return try translating {
            let now = clock()
            let moment = request.moment
            let cut = try resolve(moment.knownAt, now: now)
            let head = state.withLock { $0.head }
            let position = min(cut.position, head.position)
            let known = try knownState(at: position)
            let time = LedgerClock(wall: now, last: known.head.recordedAt)
            let at = moment.at ?? time.now
            let asOf = AsOf(
                at: at, knownAt: moment.knownAtInstant, position: position,
                catalog: known.catalogs.known(at: position).newest?.version, isOpen: cut.isOpen,
                clockLead: moment.at == nil ? time.lead : 0)
            guard asOf.catalog != nil else { throw try noCatalog(asOf) }
            return try body(
                OverviewLook(
                    state: known, environment: request.environment, asOf: asOf,
                    builder: CaseBuilder(state: known, store: store, cut: position, at: at)))
        }
    }
}
