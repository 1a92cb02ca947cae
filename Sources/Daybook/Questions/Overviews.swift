import DaybookDomain
import DaybookEvents
import DaybookStore

/// What is true of many customers: pages of rows, of which each is the answer about its customer at one moment.
struct Overviews {
    let core: LedgerCore

    /// Grants, the newest first.
    func grants(
        _ request: OverviewRequest = OverviewRequest(), isAll: Bool = false
    ) throws -> OverviewPage<GrantRow> {
        try newest(request, [.grantIssued]) { look, event in
            // What is over by its own time need not be folded.
            if !isAll, look.isOver(event, at: event.expiresAt) { return nil }
            let found = try look.answers(ofStream: event.stream)?.grants.first {
                $0.id == event.reference && $0.key == event.key && $0.source == event.source
            }
            guard var grant = found, isAll || grant.state == .active || grant.state == .pending
            else { return nil }
            grant.name = try look.row(event)?.reference ?? grant.name
            return GrantRow(
                subject: look.subject(ofStream: event.stream), position: event.position,
                issuedAt: event.occurredAt, grant: grant)
        }
    }

    /// Reservations that are open, the newest first.
    func openReservations(
        _ request: OverviewRequest = OverviewRequest()
    ) throws -> OverviewPage<ReservationRow> {
        try newest(request, [.usageReserved]) { look, event in
            guard event.occurredAt <= look.at, !look.isOver(event, at: event.timeA) else {
                return nil
            }
            let found = try look.answers(ofStream: event.stream)?.reservations.first {
                $0.id == event.reference && $0.key == event.key
                    && $0.reservedAt == event.occurredAt
            }
            guard var reservation = found else { return nil }
            reservation.name = try look.row(event)?.reference ?? reservation.name
            return ReservationRow(
                subject: look.subject(ofStream: event.stream), position: event.position,
                reservation: reservation)
        }
    }

    /// Transactions that a store took back by the asked time, each once, by the event whose word counts: the one that
    /// was recorded last comes first. A refund that was reversed is told with the reversal.
    func refunds(
        _ request: OverviewRequest = OverviewRequest()
    ) throws -> OverviewPage<RefundRow> {
        let types: Set<EventType> = [
            .purchaseRefunded, .purchaseRevoked, .purchaseRefundReversed, .storeTransactionStated,
        ]
        return try newest(request, types) { look, event in
            // Nearly all statements say "not revoked".
            if event.type == .storeTransactionStated, event.revokedAt == Event.absent { return nil }
            return try look.refund(event)
        }
    }

    /// Goes through the events of some types from the newest on.
    ///
    /// A later page is of the same knowledge as the first one, so that nothing that is recorded in between moves rows
    /// from page to page.
    /// - Parameter row: What is shown of an event; `nil`: nothing.
    private func newest<Row>(
        _ request: OverviewRequest, _ types: Set<EventType>,
        _ row: (OverviewLook, Event) throws -> Row?
    ) throws -> OverviewPage<Row> {
        let before = try request.after.map { text in
            guard let place = EventCursor(text) else { throw Self.badCursor(text) }
            try Places(core: core).confirm(place.cut)
            return place
        }
        return try looking(request, cut: before?.cut.position) { look in
            var page = OverviewPage<Row>(rows: [], asOf: look.asOf)
            var last: Int64 = 0
            let end = min(look.asOf.position, before.map { $0.position - 1 } ?? Int64.max)
            try look.state.log.forEachBackwards(of: types, through: end) { event in
                let stream = look.state.stream(event.stream)
                guard stream.environment == request.environment, let found = try row(look, event)
                else { return true }
                if page.rows.count == request.limit {
                    page.next =
                        EventCursor(
                            position: last,
                            cut: try before?.cut ?? Places(core: core).place(at: look.asOf.position)
                        ).text
                    return false
                }
                page.rows.append(found)
                last = event.position
                return true
            }
            return page
        }
    }

    /// What ends within a time from the asked one on: the soonest first, then by customer and name.
    func expiring(
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
        .bad("bad_cursor", "\"\(text)\" is not where a page of this list ended; take its next")
    }

    /// - Throws: `LedgerError.badInput` in a ledger without a catalog: there are no rules to answer by.
    /// - Parameter cut: That of the page before; `nil`: this is the first.
    private func looking<Row>(
        _ request: OverviewRequest, cut former: Int64? = nil,
        _ body: (OverviewLook) throws -> OverviewPage<Row>
    ) throws -> OverviewPage<Row> {
        return try core.answering {
            let now = core.clock()
            let moment = request.moment
            let cut = try core.resolve(moment.knownAt, now: now)
            let head = core.state.withLock { $0.head }
            let position = min(cut.position, head.position, former ?? Int64.max)
            // A look at many must not push out of memory what others ask about.
            let known = try core.knownState(at: position).forgetful()
            let time = LedgerClock(wall: now, last: known.head.recordedAt)
            let at = moment.at ?? time.now
            let asOf = AsOf(
                at: at, knownAt: moment.knownAtInstant, position: position,
                catalog: known.catalogs.known(at: position).latest(at: at)?.version,
                isOpen: cut.isOpen && former == nil,
                clockLead: moment.at == nil ? time.lead : 0)
            guard asOf.catalog != nil else { throw try CustomerAnswers(core: core).noCatalog(asOf) }
            return try body(
                OverviewLook(
                    state: known, environment: request.environment, asOf: asOf,
                    builder: CaseBuilder(state: known, cut: position, at: at)))
        }
    }
}
