public import DaybookDomain
public import DaybookEvents
public import DaybookStore

/// Questions. All of them answer from one cut and change nothing.
extension Ledger {
    /// May this customer do that? (docs/rules.md#decision)
    /// - Throws: `LedgerError.badInput` for a name that the catalog does not have.
    public func check(
        _ question: CheckQuestion, for subject: String, environment: Environment = .production,
        moment: Moment = .now
    ) throws -> (decision: Decision, asOf: AsOf) {
        try CustomerAnswers(core: core).check(
            question, for: subject, environment: environment, moment: moment)
    }

    /// Several questions about one customer, answered in their order and from one cut.
    /// - Throws: `LedgerError.badInput` for a name that the catalog does not have; then none is answered.
    public func checks(
        _ questions: [CheckQuestion], for subject: String, environment: Environment = .production,
        moment: Moment = .now
    ) throws -> (decisions: [Decision], asOf: AsOf) {
        try CustomerAnswers(core: core).checks(
            questions, for: subject, environment: environment, moment: moment)
    }

    /// The same for one feature or meter, now, in production.
    public func check(_ name: String, for subject: String) throws -> Decision {
        try CustomerAnswers(core: core).check(name, for: subject)
    }

    /// Everything about one customer, in the app's own words.
    public func status(
        of subject: String, profile: String? = nil, environment: Environment = .production,
        moment: Moment = .now, locale: String? = nil
    ) throws -> (status: Status, asOf: AsOf) {
        try CustomerAnswers(core: core).status(
            of: subject, profile: profile, environment: environment, moment: moment, locale: locale)
    }

    /// The digest of all folded states, and how many aggregates there are (rule 23).
    /// - Parameter knownAt: `nil`: everything that is recorded. Else the digest of a ledger that ends there.
    public func digest(
        knownAt: Moment.Knowledge? = nil
    ) throws -> (digest: StateDigest, aggregateCount: Int) {
        try LedgerDigest(core: core).digest(knownAt: knownAt)
    }

    /// The last position, and when it was recorded.
    public func head() throws -> StoreHead {
        try core.head()
    }

    /// The published catalogs, in the order in which they take effect.
    /// - Parameter knownAt: `nil`: all. Else those that had been published by then.
    public func catalogs(knownAt: Moment.Knowledge? = nil) throws -> CatalogHistory {
        guard let knownAt else { return try core.catalogs() }
        let cut = try core.answering { try core.resolve(knownAt, now: core.clock()).position }
        return try core.catalogs().known(at: cut)
    }

    /// Every customer who has an event of their own or whom a store's purchase names, in the order of the names' bytes.
    /// An id that only an alias names is not among them (the other id of the same customer is), nor one that is known
    /// by nothing but a transfer of everything to it.
    public func subjects(in environment: Environment = .production) throws -> [String] {
        try core.subjects(in: environment)
    }

    // MARK: Many customers

    /// The ids of customers that begin with a text, in the order of their bytes.
    /// - Parameters:
    ///   - prefix: Empty: all of them.
    ///   - request: Its moment is not asked: the list is of now.
    /// - Throws: `LedgerError` where the ledger cannot be read.
    /// - Complexity: O(log *n*) in all customers, and what a status costs for each of the page.
    public func customers(
        prefix: String = "", _ request: OverviewRequest = OverviewRequest()
    ) throws -> OverviewPage<CustomerRow> {
        try CustomerList(core: core).customers(prefix: prefix, request)
    }

    /// Every customer whom an id leads to: the id of a customer, of a purchase, a grant, a reservation or a profile,
    /// what a use was for, or an event's key, perhaps with its source before it (`native:story-1`).
    ///
    /// A UUID is found in either letter case. An id that was given by an amendment is not found; the one before it is.
    /// - Returns: In the order of `CustomerMatch.Kind`, each customer once for each; whether an id is named by more
    ///   events than were looked at, which are the newest thousand; and the cut.
    /// - Throws: `LedgerError` where the ledger cannot be read.
    /// - Complexity: O(*r* log *n*) in the lookup arrays, of which there are at most seven of each size.
    public func customers(
        withID text: String, environment: Environment = .production
    ) throws -> (matches: [CustomerMatch], isCut: Bool, asOf: AsOf) {
        try CustomerList(core: core).customers(withID: text, environment: environment)
    }

    /// Grants, the newest first.
    /// - Parameters:
    ///   - request: The environment, which page, and the moment at which the grants are looked at.
    ///   - isAll: Also those that were used up, voided, or are over.
    /// - Throws: `LedgerError.badInput` for an `after` that no page gave.
    /// - Complexity: O(*n*) in the events that the page goes through, a look at each one's type, and the customers of
    ///   grants that may hold.
    public func grants(
        _ request: OverviewRequest = OverviewRequest(), isAll: Bool = false
    ) throws -> OverviewPage<GrantRow> {
        try Overviews(core: core).grants(request, isAll: isAll)
    }

    /// Reservations that are open, the newest first.
    /// - Throws: `LedgerError.badInput` for an `after` that no page gave.
    /// - Complexity: As for grants.
    public func openReservations(
        _ request: OverviewRequest = OverviewRequest()
    ) throws -> OverviewPage<ReservationRow> {
        try Overviews(core: core).openReservations(request)
    }

    /// Transactions that a store took back by the asked time, each once, by the event whose word counts: the one that
    /// was recorded last comes first. A refund that was reversed is told with the reversal; a reversal alone, of a
    /// refund that no event tells, is none.
    /// - Throws: `LedgerError.badInput` for an `after` that no page gave.
    /// - Complexity: As for grants, in lineages with refunds.
    public func refunds(
        _ request: OverviewRequest = OverviewRequest()
    ) throws -> OverviewPage<RefundRow> {
        try Overviews(core: core).refunds(request)
    }

    /// What ends within a time from the asked one on: the soonest first, then by customer and name.
    /// - Parameters:
    ///   - request: The environment, which page, and the moment from which on `milliseconds` count.
    ///   - milliseconds: How far ahead, more than 0.
    ///   - isEndingAlone: Only what the store will not renew.
    ///   - progress: Customers looked at, and in all.
    /// - Throws: `LedgerError.badInput` for an `after` that no page gave; what `progress` throws.
    /// - Complexity: O(*c*) in the customers who ever bought or were given anything.
    public func expiring(
        _ request: OverviewRequest = OverviewRequest(), within milliseconds: Int64,
        isEndingAlone: Bool = false, progress: (Int64, Int64) throws -> Void = { _, _ in }
    ) throws -> OverviewPage<ExpiryRow> {
        try Overviews(core: core).expiring(
            request, within: milliseconds, isEndingAlone: isEndingAlone, progress: progress)
    }

    // MARK: Events

    /// Everything that names a customer, in canonical order: own events, lineages, corrections.
    /// - Parameters:
    ///   - subject: The customer, by any of their ids; those that aliases joined within the cut are one customer.
    ///   - environment: The environment in which the subject is a customer.
    ///   - moment: Only what was recorded by `knownAt`; with a time, also only what happened by then.
    ///   - happened: Only what happened in this time, in milliseconds since 1970 UTC.
    ///   - place: Only what follows the event before this place, in the asked order; `nil`: from the beginning. What
    ///     is recorded between two pages is in the later one where it stands there; the same `moment` with a `knownAt`
    ///     keeps it out.
    ///   - order: Which of these, and in which order.
    /// - Throws: `LedgerError.badInput` for a place whose event is not in this timeline; what `confirm` throws.
    public func history(
        of subject: String, environment: Environment = .production, moment: Moment = .now,
        happened: Range<Int64> = Int64.min..<Int64.max, after place: Place? = nil,
        order: PageOrder = PageOrder()
    ) throws -> HistoryPage {
        try CustomerHistory(core: core).history(
            of: subject, environment: environment, moment: moment, happened: happened,
            after: place, order: order)
    }

    /// The event at a position; `nil` beyond the end.
    public func event(at position: Int64) throws -> RecordedEvent? {
        try CustomerHistory(core: core).event(at: position)
    }

    /// The event that a source names by a key, which is how corrections name it (rule 20); `nil` where there is none.
    public func event(
        source: String, key: String, environment: Environment = .production
    ) throws -> RecordedEvent? {
        try CustomerHistory(core: core).event(source: source, key: key, environment: environment)
    }

    // MARK: Changes

    /// The place at the end: what is recorded later comes after it.
    /// - Throws: `LedgerError.store` where the ledger cannot be read.
    /// - Complexity: Hashes up to 255 events.
    public func place() throws -> Place {
        try Places(core: core).end()
    }

    /// The place after the event at a position.
    /// - Parameter position: 0, before the first event, to the last position.
    /// - Throws: `LedgerError.badInput` for a position beyond the end; `.store`.
    /// - Complexity: As of the place at the end.
    public func place(at position: Int64) throws -> Place {
        try Places(core: core).place(at: position)
    }

    /// Whether a place is of this ledger's history: what was recorded up to it is what this ledger has there.
    /// - Throws: `LedgerError.historyReplaced` for a place of another history, with the last place that both have where
    ///   restores tell; `.placeAhead` for one after the end; `.store`.
    /// - Complexity: As of the place at the end.
    public func confirm(_ place: Place) throws {
        try Places(core: core).confirm(place)
    }

    /// The events after a place, in the order of positions, each once: page by page, with the place of the page before,
    /// every event that is asked for comes, whichever processes write meanwhile.
    ///
    /// A page ends where the ledger ended when it was asked for. One that finds nothing has a place of its own, and
    /// further pages may follow it.
    /// - Parameters:
    ///   - place: `nil`: from the beginning.
    ///   - limit: At most so many events, 1 to `ChangePage.limitMax`; held within.
    ///   - types: Only these; empty: all. Events whose type this build does not know come with all types alone.
    ///   - subject: Only what `history` lists of this customer, with all ids that aliases join when the page is asked
    ///     for. What was recorded before the place does not come later because of an alias after it; the alias does.
    ///   - environment: `nil`: all of them.
    /// - Throws: `LedgerError.historyReplaced` and `.placeAhead` as `confirm` does; `.badInput` for a type that does
    ///   not exist; `.store`.
    /// - Complexity: O(*n*) in the positions that are gone through, `ChangePage.lookedAtMax` at most; with a subject in
    ///   the events of the customer, and up to 255 more for each of the page.
    public func changes(
        after place: Place? = nil, limit: Int = 100, types: Set<EventTypeName> = [],
        subject: String? = nil, environment: Environment? = nil
    ) throws -> ChangePage {
        try ChangeFeed(core: core, types: types, subject: subject, environment: environment)
            .page(after: place, limit: limit)
    }

    /// The last position that may be listed with a customer; with nothing after it nothing is new.
    /// - Parameter environment: `nil`: in all of them.
    package func lastPosition(
        of subject: String, environment: Environment? = nil
    ) throws -> Int64 {
        try core.refresh()
        let history = CustomerHistory(core: core)
        return core.state.withLock { state in
            (environment.map { [$0] } ?? Environment.allCases)
                .map { history.lastPosition(subject, $0, state) }.max() ?? 0
        }
    }

    /// How many resets one question gives at most.
    public static let resetsMax = ResetQuestion.resetsMax

    /// When a customer's counter began anew, and when it will as far as is known.
    /// - Parameters:
    ///   - subject: The customer, by any of their ids.
    ///   - name: The meter, by its name, an alias of it, or the feature that it counts.
    ///   - environment: The environment in which the subject is a customer.
    ///   - from: Then or later; `nil`: from the start of the period that contains the asked time on.
    ///   - until: Only before; `nil`: without an end.
    ///   - limit: At most so many, 1 to `resetsMax`.
    ///   - moment: What is known of the customer, and the time that decides where the list begins without `from`.
    /// - Returns: Ascending; whether further ones follow in the range; and the cut.
    /// - Throws: `LedgerError.badInput` for a name that the catalog does not have, and for a meter that counts nothing.
    public func resets(
        of subject: String, meter name: String, environment: Environment = .production,
        from: Int64? = nil, until: Int64? = nil, limit: Int = 20, moment: Moment = .now
    ) throws -> (resets: [MeterReset], isMore: Bool, asOf: AsOf) {
        try ResetQuestion(core: core).resets(
            of: subject, meter: name, environment: environment, from: from, until: until,
            limit: limit, moment: moment)
    }

    // MARK: What is different

    /// The difference that a stretch of positions makes to what could be said about a customer's past before.
    ///
    /// Moments from the first recorded time of the stretch on are left out: no caller had been told about them. A
    /// customer of whom nothing was known before is restated in nothing.
    /// - Parameters:
    ///   - subject: The customer, by any of their ids.
    ///   - environment: The environment in which the subject is a customer.
    ///   - from: The first position of the stretch.
    ///   - through: Its last position, inclusive; `nil`: the end of the ledger.
    public func restatements(
        of subject: String, environment: Environment = .production, from: Int64,
        through: Int64? = nil
    ) throws -> [Restatement] {
        try Restatements(core: core).restatements(
            of: subject, environment: environment, from: from, through: through)
    }

    /// The restatements of every customer that a stretch of positions names.
    /// - Parameters:
    ///   - from: The first position of the stretch; nothing was known before 1, so a stretch from there restates
    ///     nothing.
    ///   - through: Its last position, inclusive.
    ///   - customerCountMax: At most so many customers are looked at, in the order of first naming.
    /// - Returns: Those with a difference, and how many customers were not looked at.
    public func restatements(
        from: Int64, through: Int64, customerCountMax: Int = 100
    ) throws -> (customers: [CustomerRestatements], omitted: Int) {
        try Restatements(core: core).restatements(
            from: from, through: through, customerCountMax: customerCountMax)
    }

    /// What is different about a customer between two moments, each with what was true and what was known then.
    /// - Throws: As `status` does.
    public func difference(
        of subject: String, profile: String? = nil, environment: Environment = .production,
        from: Moment, to: Moment
    ) throws -> (difference: CustomerDifference, from: AsOf, to: AsOf) {
        try Differences(core: core).difference(
            of: subject, profile: profile, environment: environment, from: from, to: to)
    }

    /// Every customer about whom something is different between two moments, in the order of environments and names.
    /// - Parameters:
    ///   - environment: `nil`: all of them.
    ///   - from: The time and the knowledge of the answers that are compared with.
    ///   - to: The time and the knowledge of the answers that are compared; they decide which ids are one customer.
    ///   - progress: Names looked at so far, and names in all.
    ///   - visit: Is given each customer with a difference.
    /// - Returns: How many people were looked at.
    /// - Complexity: Two statuses for each customer that the ledger names; where both moments are of one time, and no
    ///   catalog was published between what was known, for each whom an event between concerns.
    public func differences(
        in environment: Environment? = nil, from: Moment, to: Moment,
        progress: (Int, Int) throws -> Void = { _, _ in },
        _ visit: (CustomerDifference) throws -> Void
    ) throws -> Int {
        try Differences(core: core).differences(
            in: environment, from: from, to: to, progress: progress, visit)
    }

    // MARK: Replay

    /// Folds every event again, from zero, and compares with the states that the running ledger has at hand (law 2).
    /// - Parameters:
    ///   - workers: Threads that read and fold; the digest is the same for any number.
    ///   - source: Where events are read from; the digest is the same for any.
    ///   - isComparing: Whether every aggregate is digested and compared; else it is folded and counted, and the
    ///     digests are those of nothing.
    ///   - batchCount: Events per chunk; the digest is the same for any split.
    ///   - progress: Work done and work in all: an event counts when it is read from a row and when it is folded.
    ///     It may throw to end the replay, which leaves nothing behind.
    public func replay(
        workers: Int = 1, source: ReplaySource = .segments, isComparing: Bool = true,
        batchCount: Int = 1_024,
        progress: @Sendable (Int64, Int64) throws -> Void = { _, _ in }
    ) throws -> ReplayReport {
        try core.refresh()
        return try Replaying(core: core).replay(
            of: core.state.withLock { $0 }, workers: workers, source: source,
            isComparing: isComparing, isComparingAll: false, batchCount: batchCount,
            progress: progress)
    }

    // MARK: Promotions

    /// Codes of a promotion of the newest catalog: the same at every call, and written nowhere.
    /// - Parameters:
    ///   - promotion: The name of the promotion in the catalog.
    ///   - numbers: Of the batch, from 1 on; those beyond its end are left out.
    ///   - environment: Where the codes can be redeemed; each environment has its own.
    /// - Throws: `LedgerError.badInput` for a promotion that the catalog does not have.
    /// - Complexity: O(*n*) for *n* codes, some microseconds and a look-up each.
    public func codes(
        of promotion: String, numbers: ClosedRange<Int64>,
        in environment: Environment = .production
    ) throws -> [IssuedCode] {
        try IssuedCodes(core: core).codes(of: promotion, numbers: numbers, in: environment)
    }
}
