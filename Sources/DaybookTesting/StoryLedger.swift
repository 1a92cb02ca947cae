public import Daybook
public import DaybookDomain
public import DaybookEvents
import Synchronization

/// Milliseconds since 1970 UTC of a time in RFC 3339, for tests that write times as people do.
public func instant(_ text: String) -> Int64 {
    guard let instant = RFC3339.parse(text) else {
        preconditionFailure("\"\(text)\" is no time in RFC 3339; write 2026-01-31T23:59:59Z.")
    }
    return instant
}

/// A clock that only the test moves.
public final class StoryClock: Sendable {
    private let content: Mutex<Int64>

    public init(_ now: Int64) { content = Mutex(now) }

    public var now: Int64 {
        get { content.withLock { $0 } }
        set { content.withLock { $0 = newValue } }
    }
}

/// A ledger in memory, a clock that the test moves, and one customer that most questions are about.
public struct StoryLedger: Sendable {
    public static let day: Int64 = 86_400_000
    public static let hour: Int64 = 3_600_000

    public let ledger: Ledger
    public let clock: StoryClock
    /// The customer of questions that name none.
    public var subject = "ada"

    /// - Parameters:
    ///   - now: Where the clock stands.
    ///   - changes: Passages of the catalog and what they say instead: what if the document were another?
    public init(
        _ app: String, now: Int64 = Fixtures.now, replacing changes: [String: String] = [:]
    ) async throws {
        let text = try Self.catalog(app, replacing: changes)
        try await self.init(app, document: Array(text.utf8), now: now)
    }

    /// - Parameter document: The catalog, of an app of this name.
    public init(_ app: String, document: [UInt8], now: Int64 = Fixtures.now) async throws {
        let clock = StoryClock(now)
        self.clock = clock
        ledger = try Ledger(inMemory: app, clock: { clock.now })
        try await ledger.publish(CatalogPublication(document: document))
    }

    /// An app's catalog with some passages replaced; each must be there.
    public static func catalog(
        _ app: String, replacing changes: [String: String]
    ) throws -> String {
        var text = String(decoding: try Fixtures.catalogDocument(app), as: UTF8.self)
        for (old, new) in changes.sorted(by: { $0.key < $1.key }) {
            precondition(text.contains(old), "The catalog of \(app) does not say \"\(old)\".")
            text = text.replacing(old, with: new)
        }
        return text
    }

    /// Publishes the app's catalog with some passages replaced.
    @discardableResult
    public func publish(
        replacing changes: [String: String], scope: CatalogScope = .all,
        effectiveAt: Int64? = nil
    ) async throws -> Receipt {
        let text = try Self.catalog(ledger.app, replacing: changes)
        return try await ledger.publish(
            CatalogPublication(document: Array(text.utf8), scope: scope, effectiveAt: effectiveAt))
    }

    /// Takes in reports.
    @discardableResult
    public func record(_ drafts: EventDraft...) async throws -> ReportReceipt {
        try await ledger.record(drafts)
    }

    /// Performs a command for the customer.
    @discardableResult
    public func perform(_ command: Command, key: String? = nil) async throws -> Receipt {
        // With all that a correction of a signed fact needs.
        try await ledger.perform(
            CommandRequest(
                command, subject: subject, key: key, actor: "support", reason: "test",
                ticket: command.isCorrection ? "T-1" : nil))
    }

    /// Uses a meter, once for each ref.
    public func use(_ meter: String, _ refs: String...) async throws {
        for ref in refs { try await ledger.consume(meter, by: subject, ref: ref) }
    }

    /// Why a command was refused; `nil`: it was not.
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

    /// May the customer?
    public func check(
        _ name: String, at time: Int64? = nil, knownAt: Moment.Knowledge? = nil
    ) throws -> Decision {
        try ledger.check(
            CheckQuestion(name), for: subject, moment: Moment(at: time, knownAt: knownAt)
        ).decision
    }

    /// Everything about the customer.
    public func status(
        at time: Int64? = nil, knownAt: Moment.Knowledge? = nil
    ) throws -> Status {
        try ledger.status(of: subject, moment: Moment(at: time, knownAt: knownAt)).status
    }

    /// One entitlement of the customer.
    public func entitlement(
        _ name: String, at time: Int64? = nil, knownAt: Moment.Knowledge? = nil
    ) throws -> EntitlementAnswer? {
        try status(at: time, knownAt: knownAt).entitlements.first { $0.name == name }
    }

    /// One meter of the customer.
    public func meter(
        _ name: String, at time: Int64? = nil, knownAt: Moment.Knowledge? = nil
    ) throws -> MeterAnswer? {
        try status(at: time, knownAt: knownAt).meters.first { $0.name == name }
    }

    /// How many events of a type the ledger holds about the customer.
    public func count(of type: String) throws -> Int {
        try ledger.history(of: subject).count { $0.event.draft.type == type }
    }
}

extension EventDraft {
    /// A report of the customer's own app.
    public static func reported(
        _ type: String, at occurredAt: Int64, key: String, subject: String = "ada",
        profile: String? = nil, _ data: JSONObject = JSONObject()
    ) -> EventDraft {
        EventDraft(
            type: type, subject: subject, profile: profile, occurredAt: occurredAt,
            source: EventSource(kind: "native", key: key), trust: .imported, data: data)
    }

    /// A use that happened at some time and is told now.
    public static func used(
        _ meter: String, at occurredAt: Int64, ref: String, amount: Int64 = 1,
        subject: String = "ada", coveredBy: String? = nil
    ) -> EventDraft {
        var data: JSONObject = [
            "meter": .string(meter), "amount": .integer(amount), "ref": .string(ref),
        ]
        if let coveredBy { data["covered_by"] = .string(coveredBy) }
        return reported(
            "usage.recorded", at: occurredAt, key: "\(meter)/\(ref)/\(occurredAt)",
            subject: subject, data)
    }
}
