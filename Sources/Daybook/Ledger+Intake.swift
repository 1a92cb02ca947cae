public import DaybookDomain
public import DaybookEvents
public import DaybookIngest

/// What comes from elsewhere: files, stores, devices; and what it would come to.
extension Ledger {
    /// How many signed payloads one restore takes at most: a device has some purchases, and more are a mistake.
    public static let restoredTextCountMax = OwnershipChanges.restoredTextCountMax

    /// Checks a publication as `publish` does, counts the answers that it would change, and writes nothing.
    ///
    /// Every customer's status is worked out twice, with and without it: a back-dated catalog should not be published
    /// unseen (rule 8).
    /// - Parameters:
    ///   - publication: What `publish` would take: a document or an older version, for whom, and from when on.
    ///   - progress: People asked about so far.
    /// - Throws: What `publish` would throw: `LedgerError.badInput`, `.catalogConflict`, `.store`.
    /// - Complexity: O(*c*) in the customers of all environments, tens of microseconds each.
    public func dryRun(
        _ publication: CatalogPublication, progress: (Int) -> Void = { _ in }
    ) throws -> PublicationDryRun {
        try PublicationQuestion(core: core).dryRun(publication, progress: progress)
    }

    // MARK: Ownership: restore and transfer

    /// Takes in what a customer's device hands over on Restore Purchases, and decides who owns each lineage.
    ///
    /// Every signed payload is verified and recorded as `ingest` does it. Then a lineage without an owner becomes the
    /// customer's, and one of another customer goes by the catalog's policy `transfer`: it stays, moves by one
    /// `purchase.transferred`, or makes the two one customer. Consumables are never restored (rule 6). All of it is one
    /// commit, so of two customers who restore one lineage at the same time the first gets it. The same again appends
    /// nothing.
    /// - Parameters:
    ///   - payloads: Signed transactions, or pages of them.
    ///   - subject: The customer who restores, by any of their ids.
    ///   - verifier: Says which app and authorities are believed, and in which environment lineages are restored.
    ///   - options: Says what a signed payload without an envelope is, a transaction unless given; also who restores,
    ///     and why.
    /// - Returns: What became of each lineage, and what each customer concerned has before and after. A dry run answers
    ///   the same and writes nothing.
    /// - Throws: `LedgerError.badInput` for a customer who has no name or more than `restoredTextCountMax` payloads,
    ///   `.rejected` where the ledger has no catalog or refuses unknown customers, `.store`. A payload that is refused,
    ///   and a lineage that stays with its owner, are answers.
    public func restore(
        _ payloads: [[UInt8]], for subject: String, by verifier: AppStoreVerifier,
        options: RestoreOptions = RestoreOptions()
    ) async throws -> RestoreReceipt {
        try await OwnershipChanges(writer: writer).restore(
            payloads, for: subject, by: verifier, options: options)
    }

    /// Gives a lineage to another customer, or takes the latest transfer of it back.
    /// - Parameters:
    ///   - request: The lineage, its present owner, and either the recipient or that the latest transfer is taken back.
    ///   - isDryRun: Say what would happen, and write nothing; its receipt has the positions that the event would have.
    /// - Throws: `LedgerError.rejected` for a lineage that is unknown or not the customer's, for a recipient who is
    ///   the same customer, a missing reason, nothing to take back, or a transfer whose time for that is over;
    ///   `.badInput`, `.idempotencyConflict`, `.store`.
    @discardableResult
    public func transfer(
        _ request: TransferRequest, isDryRun: Bool = false
    ) async throws -> TransferReceipt {
        try await OwnershipChanges(writer: writer).transfer(request, isDryRun: isDryRun)
    }

    /// The owner of a lineage, as that customer is shown; `nil`: it has none, or nothing is known of it.
    /// - Parameters:
    ///   - lineage: `apple:2000000123`.
    ///   - environment: The one in which the lineage was bought.
    ///   - moment: Who owned it at this time, by what was known; now and by everything unless given.
    public func owner(
        of lineage: String, environment: Environment = .production, moment: Moment = .now
    ) throws -> String? {
        try OwnerQuestion(core: core).owner(of: lineage, environment: environment, moment: moment)
    }

    // MARK: Dry runs

    /// A ledger that begins with everything that this one holds now and goes on in memory alone: what is appended to it
    /// is written to no file, and takes as much memory as its events have. This one, which may be open for reading
    /// alone, must stay open as long.
    package func dryRun() throws -> Ledger { Ledger(writer: try DryRun(core).writer) }

    /// The transactions that some events take back and that the ledger does not know, such as `apple:2000000123`: each
    /// once, in the order of the events, at most 64.
    /// - Parameter drafts: In canonical form, and recorded.
    package func unknownTransactions(takenBackBy drafts: [EventDraft]) throws -> [String] {
        try core.unknownTransactions(takenBackBy: drafts)
    }

    /// What a request would come to: `perform` upon everything that the ledger holds now, of which nothing is written.
    /// - Parameters:
    ///   - request: What `perform` would take. Its key stays free: a later `perform` with it is decided anew.
    ///   - isRestating: Also compute what would be different, as `perform` does.
    /// - Returns: The receipt with the positions that the events would have; its key is a made one where the request
    ///   has none. The first receipt where the key was used before.
    /// - Throws: What `perform` would throw now.
    public func dryRun(
        _ request: CommandRequest, isRestating: Bool = true
    ) async throws -> Receipt {
        try await DryRun(core).dryRun(request, isRestating: isRestating)
    }

    // MARK: Ticks

    /// Writes the scheduled resets that are due; doing it twice adds nothing.
    ///
    /// In several commits where there are many customers: an interrupted tick is finished by another one.
    /// - Parameters:
    ///   - instant: Due by then, at most now. `nil`: the ledger's clock.
    ///   - progress: How many customers and lineages were looked at, and of how many.
    /// - Returns: What all commits together appended; the first and last position of it.
    @discardableResult
    public func tick(
        at instant: Int64? = nil,
        progress: @Sendable (_ done: Int, _ total: Int) -> Void = { _, _ in }
    ) async throws -> ReportReceipt {
        try await Tick(writer: writer).tick(at: instant, progress: progress)
    }

    // MARK: Files

    /// Takes in newline-delimited events: the whole input is checked first, then appended in batches; an interrupted
    /// import is finished by running it again, because keys skip what is there (rule 28).
    ///
    /// The check only reads. With `isDryRun` nothing else happens, so a ledger that is open for reading will do.
    /// - Parameters:
    ///   - next: Gives the next bytes, `nil` at the end; chunks may end anywhere.
    ///   - options: What a refused line does to the rest, whether recorded times are kept, and how rows become events.
    ///   - progress: Is told how far the reading is, and then the appending.
    /// - Throws: `LedgerError.badInput` with every refused line unless `keepsGoing`; then nothing was appended. Only
    ///   when another request uses one of the file's keys while the file is being appended, the batches before stay.
    public func importLines(
        _ next: () throws -> [UInt8]?, options: ImportOptions = ImportOptions(),
        progress: @Sendable (ImportProgress) -> Void = { _ in }
    ) async throws -> ImportReport {
        try await Import(writer: writer).importLines(next, options: options, progress: progress)
    }

    /// Takes in lines that were read: wholly, or not at all.
    /// - Parameters:
    ///   - events: As a reader of lines gives them, in canonical form; all of them become one commit.
    ///   - options: The numbers of the lines are those of the events.
    /// - Throws: `LedgerError.badInput` with the line and column of every mistake.
    @discardableResult
    public func record(
        _ events: [ReadEvent], options: ReportOptions = ReportOptions()
    ) async throws -> ReportReceipt {
        var receipt = try await Import(writer: writer).record(events, options: options)
        if options.isRestating { try Restatements(core: core).tell(in: &receipt) }
        return receipt
    }

    // MARK: Stores

    /// Takes in one payload of Apple's: a notification, a signed transaction, a page.
    ///
    /// Every signed payload is verified, mapped and recorded for itself, all its events in one commit, with its bytes
    /// kept once by digest. One that is refused changes nothing; its bytes and the reason are kept too, and the others
    /// of the same page are taken in.
    /// - Parameters:
    ///   - payload: The bytes as they were posted: an envelope with signed payloads in it, or one of these alone.
    ///   - verifier: Says which app, environment and authorities are believed, and who is asked whether certificates
    ///     were withdrawn.
    ///   - options: Says what a signed payload without an envelope is, a notification unless given; whose a
    ///     transaction is, of which product it must be, and whether nothing is to be written.
    /// - Returns: Of a dry run the receipt that it would have without, with the positions that the events would have.
    /// - Throws: `LedgerError` when the ledger cannot be written; a payload that is refused is an answer.
    @discardableResult
    public func ingest(
        _ payload: [UInt8], by verifier: AppStoreVerifier, options: IngestOptions = IngestOptions()
    ) async throws -> IngestReceipt {
        try await AppStoreIngest(writer: writer).ingest(payload, by: verifier, options: options)
    }

    // MARK: Dead letters

    /// What could not be read or verified, in the order in which it came.
    /// - Parameter environment: `nil`: all of them.
    /// - Complexity: O(*n*) for *n* dead letters.
    public func deadLetters(environment: Environment? = nil) throws -> [DeadLetter] {
        try DeadLetters(writer: writer).deadLetters(environment: environment)
    }

    /// The bytes of a payload that was kept, exactly as they came.
    public func rawPayload(sha256: String) throws -> [UInt8]? {
        try DeadLetters(writer: writer).rawPayload(sha256: sha256)
    }

    /// Tries a dead letter again, as if it came now.
    /// - Parameters:
    ///   - deadLetter: One that `deadLetters` of this ledger gave; the bytes that were kept of it are read again.
    ///   - verifier: Not asked about what is not signed.
    ///   - kind: What the payload is, where it was posted as something else; `nil`: what it was posted as.
    /// - Returns: What became of it; it is resolved when nothing of it was refused.
    /// - Throws: `LedgerError.badInput` for a dead letter of the App Store without a verifier.
    public func retry(
        _ deadLetter: DeadLetter, by verifier: AppStoreVerifier? = nil,
        as kind: AppStorePayloadKind? = nil
    ) async throws -> IngestReceipt {
        try await DeadLetters(writer: writer).retry(deadLetter, by: verifier, as: kind)
    }

    /// Dismisses a dead letter that will not be taken in; it stays, with its bytes, and can still be tried.
    /// - Parameters:
    ///   - deadLetter: One that `deadLetters` of this ledger gave.
    ///   - reason: Why, for a reader who asks later.
    ///   - actor: Who decided it.
    /// - Throws: `LedgerError.badInput` without a reason.
    public func dismiss(
        _ deadLetter: DeadLetter, reason: String, actor: String? = nil
    ) async throws {
        try await DeadLetters(writer: writer).dismiss(deadLetter, reason: reason, actor: actor)
    }

    /// Takes in one webhook of RevenueCat's as it was posted (docs/revenuecat.md).
    ///
    /// It is not signed, so its events are `imported`, never `verified`: the server that receives it must have checked
    /// the sender's secret. All its events are one commit; the bytes are kept once. A retry has the id of the first
    /// try, and one id is one webhook, whatever its bytes: it appends nothing. Aliases that are known are not recorded
    /// again. What cannot be read, and what is of another environment, changes nothing and becomes a dead letter.
    /// - Parameters:
    ///   - payload: The body of the request, unchanged: these bytes are kept.
    ///   - environment: Only `PRODUCTION` enters `production`, only `SANDBOX` enters `sandbox`, nothing enters `xcode`
    ///     and `test`. A webhook that names none, as transfers do, is taken to be of this one.
    ///   - isDryRun: Decide upon all that the ledger holds, and append nothing.
    /// - Throws: `LedgerError` when the ledger cannot be written; a payload that is refused is an answer.
    @discardableResult
    public func ingestRevenueCat(
        _ payload: [UInt8], environment: Environment = .production, isDryRun: Bool = false
    ) async throws -> IngestReceipt {
        try await RevenueCatIngest(writer: writer).ingestRevenueCat(
            payload, environment: environment, isDryRun: isDryRun)
    }

    /// Takes in one subscriber document of RevenueCat's REST API (`GET /subscribers/{app_user_id}`), for moving.
    ///
    /// It is not signed, so its events are `imported`. They are one commit, and the bytes are kept once. A statement
    /// that is recorded already is not recorded again, so the same document appends nothing and a newer one what has
    /// changed since; of a document that brings nothing the bytes are not kept. It fills in what no other source has
    /// said: what another source says of a transaction, or of how things stand with it, stays. What the document cannot
    /// say is in `gaps` of the receipt. What cannot be read changes nothing and becomes a dead letter.
    /// - Parameters:
    ///   - payload: The body of the API's answer, unchanged: these bytes are kept.
    ///   - environment: `production` takes what `is_sandbox` says is real, `sandbox` the rest; the others take none of
    ///     it. What is left out is counted in a gap.
    ///   - subject: The customer whom the document was asked for; `nil`: as the document says (`app_user_id` beside
    ///     `subscriber`, else `original_app_user_id`).
    ///   - isDryRun: Decide upon all that the ledger holds, and append nothing.
    /// - Throws: `LedgerError` when the ledger cannot be written; a document that is refused is an answer.
    @discardableResult
    public func ingestRevenueCatSubscriber(
        _ payload: [UInt8], environment: Environment = .production, subject: String? = nil,
        isDryRun: Bool = false
    ) async throws -> IngestReceipt {
        try await RevenueCatSubscriberIngest(writer: writer).ingestRevenueCatSubscriber(
            payload, environment: environment, subject: subject, isDryRun: isDryRun)
    }

    /// Runs mapping code over the raw payloads that the ledger keeps, and tells which events would differ.
    ///
    /// What was verified when it came is not verified again: no root is asked for, and every event keeps the trust
    /// that it was recorded with. Nothing is changed in place. With `isApplied` a difference becomes corrections that
    /// name their target by source and key (rule 20): what is signed is voided and recorded anew under a key of its
    /// own, what is not is amended where an amendment may do it. What a person corrected stays as that person left it.
    /// Each payload is applied wholly or not at all, and applying twice finds nothing. Payloads that dead letters hold
    /// are not touched: `retry` is for them.
    /// - Parameters:
    ///   - options: Which payloads are read, and whether differences are recorded; unless given, all payloads are read
    ///     and nothing is written.
    ///   - mapping: The code to compare with; the present one unless given.
    ///   - progress: Is told after every batch of 200 events.
    /// - Throws: `LedgerError.store`, and `badInput` for a reason, ticket or actor that no event may hold.
    /// - Complexity: One scan of the ledger, in batches: memory does not grow with it.
    public func reinterpret(
        _ options: ReinterpretOptions = ReinterpretOptions(), mapping: PayloadMapping = .present,
        progress: @Sendable (ReinterpretProgress) -> Void = { _ in }
    ) async throws -> ReinterpretationReport {
        try await Reinterpreting(writer: writer).reinterpret(
            options, mapping: mapping, progress: progress)
    }

    /// What is known to the ledger's catalogs, and to those that are published by some of the events themselves.
    package func unknownNames(beside events: [ReadEvent]) throws -> UnknownNames {
        try core.unknownNames(beside: events)
    }
}
