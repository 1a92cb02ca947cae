import DaybookDomain
import DaybookEvents
import DaybookStore

/// What was recorded after a place, page by page.
struct ChangeFeed {
    let core: LedgerCore
    /// Empty: all types.
    let types: Set<EventTypeName>
    /// `nil`: all customers.
    let subject: String?
    /// `nil`: all environments.
    let environment: Environment?

    /// The next page.
    /// - Parameter limit: Held within 1 and `ChangePage.limitMax`.
    func page(after place: Place?, limit: Int) throws -> ChangePage {
        try checkTypes()
        try core.refresh()
        let limit = min(max(1, limit), ChangePage.limitMax)
        let page = try core.translating {
            if let place { try core.takeIn(through: place.position) }
            let cut = core.state.withLock { $0.head.position }
            var walk = try Places(core: core).walk(from: place, cut: cut)
            return try subject == nil
                ? scanned(&walk, cut: cut, limit) : chosen(&walk, cut: cut, limit)
        }
        // What was read is of the history that was taken in: a file that was exchanged meanwhile is noticed here.
        try core.refresh()
        return page
    }

    /// No event of a type that is misspelled would ever come, and no reader would notice. Names of `ops` are in no
    /// list: a store may tell of new ones.
    private func checkTypes() throws {
        let unknown = types.filter { !Vocabulary.isKnown($0) && !$0.isOf(.ops) }.map(\.rawValue)
        guard !unknown.isEmpty else { return }
        throw LedgerError.badInput(
            unknown.sorted(by: precedesInBytes).map { name in
                InputProblem(
                    line: nil, column: nil, code: "unknown_name",
                    reason:
                        "there is no event type \"\(name)\"\(NearestName.hint(name, among: Vocabulary.names))"
                )
            })
    }

    /// Of all events, position by position.
    private func scanned(
        _ walk: inout PlaceWalk, cut: Int64, _ limit: Int
    ) throws -> ChangePage {
        struct Enough: Error {}
        var events: [PlacedEvent] = []
        var last = walk.position
        let through = min(cut, last + ChangePage.lookedAtMax)
        do {
            try core.store.scanRows(
                after: Checkpoint(position: last), through: Checkpoint(position: through),
                chunkCount: types.isEmpty && environment == nil ? limit : ChangePage.limitMax
            ) { rows in
                for row in rows {
                    guard row.event.position == last + 1 else { throw gap(after: last) }
                    last += 1
                    guard let event = try asked(row) else { continue }
                    try walk.go(over: row)
                    events.append(PlacedEvent(event: event, place: try walk.place()))
                    if events.count == limit { throw Enough() }
                }
            }
            guard last == through else { throw gap(after: last) }
        } catch is Enough {}
        try walk.go(to: last)
        return ChangePage(events: events, place: try walk.place(), isMore: last < cut)
    }

    /// Of one customer, whose events are found without the others.
    private func chosen(
        _ walk: inout PlaceWalk, cut: Int64, _ limit: Int
    ) throws -> ChangePage {
        var events: [PlacedEvent] = []
        let start = walk.position
        for row in try customerRows(cut: cut, above: start) where row.event.position > start {
            guard let event = try asked(row) else { continue }
            try walk.go(over: row)
            events.append(PlacedEvent(event: event, place: try walk.place()))
            if events.count == limit { break }
        }
        if events.count < limit { try walk.go(to: cut) }
        return ChangePage(
            events: events, place: try walk.place(), isMore: walk.position < cut)
    }

    /// What names the customer after a position, as a timeline lists it, in the order of positions.
    private func customerRows(cut: Int64, above floor: Int64) throws -> [EventRow] {
        guard let subject else { return [] }
        let environments = environment.map { [$0] } ?? Environment.allCases
        let rows = try environments.flatMap { environment in
            try core.reading(about: subject, environment, cut: cut, at: nil) { state in
                try CustomerHistory(core: core).listedRows(
                    subject, environment, state, cut: cut, above: floor)
            }
        }
        return rows.filter { $0.event.position <= cut }
            .sorted { $0.event.position < $1.event.position }
    }

    /// The event of a row; `nil` where it is not asked for.
    private func asked(_ row: EventRow) throws -> RecordedEvent? {
        if let environment {
            let own = core.state.withLock { $0.stream(row.event.stream).environment }
            if own != environment { return nil }
        }
        // Of a type that the writing build did not know, only the event itself says the name.
        if !types.isEmpty, row.event.type != .unknown,
            !types.contains(EventTypeName(row.event.type))
        {
            return nil
        }
        let event = try core.recorded(row)
        return types.isEmpty || types.contains(event.draft.type) ? event : nil
    }

    private func gap(after position: Int64) -> StoreError {
        StoreError(
            .damaged,
            "\(core.path ?? core.app) is damaged: position \(position + 1) is missing; restore a backup"
        )
    }
}
