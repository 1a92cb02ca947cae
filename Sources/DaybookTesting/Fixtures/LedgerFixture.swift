public import Daybook
public import DaybookDomain
public import DaybookEvents

/// A ledger in memory, a clock that the test moves, and one customer that most answers are about.
///
/// ```swift
/// let fixture = try await LedgerFixture("tale", document: Array(yaml.utf8))
/// try await fixture.use("stories", "story-1", "story-2")
/// fixture.clock.now += 31 * LedgerFixture.day
/// let decision = try fixture.check("stories")
/// ```
///
/// It has no customers but those of the test's own commands and reports, and time passes only when the test moves the
/// clock.
public struct LedgerFixture: Sendable {
    /// Milliseconds of a day of 24 hours.
    public static let day: Int64 = 86_400_000
    /// Milliseconds of an hour.
    public static let hour: Int64 = 3_600_000
    /// 2026-01-15T12:00:00Z: where the clock of a new fixture stands, unless the test says otherwise.
    public static let start: Int64 = 1_768_478_400_000

    /// The ledger that takes the events; ask it whatever the fixture has no method for.
    public let ledger: Ledger
    /// The ledger's clock.
    public let clock: FixtureClock
    /// ID of the customer that commands and answers are about.
    public var subject = "ada"

    /// Makes a ledger whose first event is the catalog.
    /// - Parameters:
    ///   - app: The name that the document gives the app.
    ///   - document: The catalog, YAML in UTF-8.
    ///   - now: Where the clock stands, in milliseconds since 1970 UTC.
    /// - Throws: What `Ledger.publish` throws, `LedgerError.badInput` with every mistake of the document above all.
    public init(_ app: String, document: [UInt8], now: Int64 = Self.start) async throws {
        let clock = FixtureClock(now)
        self.clock = clock
        ledger = try Ledger(inMemory: app, clock: { clock.now })
        try await ledger.publish(CatalogPublication(document: document))
    }

    /// Publishes another catalog.
    /// - Parameters:
    ///   - document: YAML of the same app.
    ///   - scope: The customers for whom it takes effect.
    ///   - effectiveAt: In milliseconds since 1970 UTC; `nil`: where the clock stands.
    /// - Throws: What `Ledger.publish` throws.
    @discardableResult
    public func publish(
        _ document: [UInt8], scope: CatalogScope = .all, effectiveAt: Int64? = nil
    ) async throws -> Receipt {
        try await ledger.publish(
            CatalogPublication(document: document, scope: scope, effectiveAt: effectiveAt))
    }

    /// Takes in reports: all of them, or none.
    /// - Throws: `LedgerError.badInput` with every mistake.
    @discardableResult
    public func record(_ drafts: EventDraft...) async throws -> ReportReceipt {
        try await ledger.record(drafts)
    }

    /// Performs a command for the customer.
    /// - Parameters:
    ///   - command: Asked by the actor `support` for the reason `test`; a correction also names the ticket `T-1`.
    ///   - key: The same key again returns the first receipt; `nil`: the command is new each time.
    /// - Throws: `LedgerError.rejected` with the numbers; `refusal(of:)` returns them instead.
    @discardableResult
    public func perform(_ command: Command, key: String? = nil) async throws -> Receipt {
        // With all that a correction of a signed fact needs.
        try await ledger.perform(
            CommandRequest(
                command, subject: subject, key: key, actor: "support", reason: "test",
                ticket: command.isCorrection ? "T-1" : nil))
    }

    /// Uses one unit of a meter for each ref, in their order, each in a commit of its own.
    /// - Throws: `LedgerError.rejected` at the first that is refused; those before it stay.
    public func use(_ meter: String, _ refs: String...) async throws {
        for ref in refs { try await ledger.consume(meter, by: subject, ref: ref) }
    }

    /// Why a command was refused; `nil`: it was not, and is done.
    public func refusal(of command: Command) async throws -> Rejection? {
        do {
            try await perform(command)
            return nil
        } catch LedgerError.rejected(let rejection, _) {
            return rejection
        }
    }

    /// Why reports were not taken in: the codes of their problems; empty: they were.
    public func problems(of drafts: EventDraft...) async throws -> [String] {
        do {
            try await ledger.record(drafts)
            return []
        } catch LedgerError.badInput(let problems) {
            return problems.map(\.code)
        }
    }

    /// Whether the customer may use a feature or a unit of a meter.
    /// - Parameters:
    ///   - name: A feature or a meter of the catalog, or an alias of one.
    ///   - time: When it is asked about, in milliseconds since 1970 UTC; `nil`: where the clock stands.
    ///   - knownAt: What had been recorded by then; `nil`: everything.
    public func check(
        _ name: String, at time: Int64? = nil, knownAt: Moment.Knowledge? = nil
    ) throws -> Decision {
        try ledger.check(
            CheckQuestion(name), for: subject, moment: Moment(at: time, knownAt: knownAt)
        ).decision
    }

    /// Everything about the customer, at a time and as known at one, as in `check`.
    public func status(
        at time: Int64? = nil, knownAt: Moment.Knowledge? = nil
    ) throws -> Status {
        try ledger.status(of: subject, moment: Moment(at: time, knownAt: knownAt)).status
    }

    /// One entitlement of the customer; `nil`: the catalog in force has none of this name.
    public func entitlement(
        _ name: String, at time: Int64? = nil, knownAt: Moment.Knowledge? = nil
    ) throws -> EntitlementAnswer? {
        try status(at: time, knownAt: knownAt).entitlements.first { $0.name == name }
    }

    /// One meter of the customer; `nil`: the catalog in force has none of this name.
    public func meter(
        _ name: String, at time: Int64? = nil, knownAt: Moment.Knowledge? = nil
    ) throws -> MeterAnswer? {
        try status(at: time, knownAt: knownAt).meters.first { $0.name == name }
    }

    /// How many events of a type the ledger holds about the customer.
    public func count(of type: EventTypeName) throws -> Int {
        try ledger.history(of: subject).count { $0.event.draft.type == type }
    }
}
