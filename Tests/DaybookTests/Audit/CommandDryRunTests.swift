import Daybook
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import Foundation
import Testing

@Suite("A dry run says what a correction will change")
struct CommandDryRunTests {
    /// A receipt, or the words of a refusal.
    private static func outcome(
        _ body: () async throws -> Receipt
    ) async throws -> Result<Receipt, LedgerError> {
        do {
            return .success(try await body())
        } catch let error as LedgerError {
            return .failure(error)
        }
    }

    /// Asks for a dry run of the request, then does it in a ledger of its own.
    /// - Returns: Both, and that ledger.
    private static func both(
        _ request: CommandRequest, _ ledger: Ledger, _ pair: StreamGolden.Pair,
        _ drafts: [EventDraft]
    ) async throws -> (promised: Receipt?, done: Receipt?, after: Ledger) {
        let (head, digest) = (try ledger.head(), try ledger.digest().digest)
        let promised = try await outcome { try await ledger.dryRun(request) }
        #expect(try ledger.head() == head)
        #expect(try ledger.digest().digest == digest)
        let other = try await StreamGolden.ledger(pair.app, holding: drafts)
        let done = try await outcome { try await other.perform(request, isRestating: true) }
        switch (promised, done) {
        case (.success(let promised), .success(let done)):
            #expect(promised == done, "\(pair): \(request.command)")
            return (promised, done, other)
        case (.failure(let promised), .failure(let done)):
            #expect("\(promised)" == "\(done)", "\(pair): \(request.command)")
        default: Issue.record("\(pair): \(request.command): \(promised), then \(done)")
        }
        return (nil, nil, other)
    }

    /// Everything that a commit made different about any customer, found by asking about all of them.
    private static func expectComplete(_ receipt: Receipt, _ ledger: Ledger) throws {
        let first = try #require(receipt.positions.first)
        let last = try #require(receipt.positions.last)
        var changes: [String: [JSONDifference]] = [:]
        var restated: [String: [Restatement]] = [:]
        for environment in Environment.allCases {
            for name in try ledger.subjects(in: environment)
            where try ledger.status(of: name, environment: environment).status.subject == name {
                let different = try ledger.difference(
                    of: name, environment: environment,
                    from: Moment(at: receipt.recordedAt, knownAt: .position(first - 1)),
                    to: Moment(at: receipt.recordedAt, knownAt: .position(last))
                ).difference.changes
                let place = "\(environment.name)/\(name)"
                if !different.isEmpty { changes[place] = different }
                let found = try ledger.restatements(
                    of: name, environment: environment, from: first, through: last)
                if !found.isEmpty { restated[place] = found }
            }
        }
        let now = receipt.changes.map { ("\($0.environment.name)/\($0.subject)", $0.changes) }
        #expect(Dictionary(now, uniquingKeysWith: { $1 }) == changes)
        let told = receipt.restatements.map {
            ("\($0.environment.name)/\($0.subject)", $0.restatements)
        }
        #expect(Dictionary(told, uniquingKeysWith: { $1 }) == restated)
    }

    private static func request(
        _ command: Command, _ event: RecordedEvent, _ ledger: Ledger, ticket: String? = "T-1"
    ) throws -> CommandRequest {
        let environment = event.draft.environment
        let subject = try event.draft.subject ?? ledger.subjects(in: environment).first ?? "ada"
        return CommandRequest(
            command, subject: subject, environment: environment, key: "c1", actor: "kim",
            reason: "a test", ticket: ticket)
    }

    @Test(
        "Voiding any event of a recorded stream changes what its dry run said, and nothing else",
        arguments: try StreamGolden.pairs())
    func voids(_ pair: StreamGolden.Pair) async throws {
        let drafts = try StreamGolden.drafts(of: pair)
        let ledger = try await StreamGolden.ledger(pair.app, holding: drafts)
        var isDifferent = false
        for position in 2...(try ledger.head().position) {
            let event = try #require(try ledger.event(at: position))
            let command = Command.voidEvent(
                source: event.draft.source.kind, key: event.draft.source.key ?? "")
            let (promised, done, after) = try await Self.both(
                Self.request(command, event, ledger), ledger, pair, drafts)
            let receipt = try #require(done)
            try Self.expectComplete(receipt, after)
            if promised?.changes.isEmpty == false { isDifferent = true }
            // The corrected event is still there for all readers.
            #expect(try after.event(at: position) == event)
            // A signed fact is not voided without a ticket, and the dry run says so.
            _ = try await Self.both(
                Self.request(command, event, ledger), ledger, pair, drafts)
        }
        #expect(isDifferent, "no event of \(pair) matters")
    }

    @Test(
        "Amending a use of a recorded stream changes what its dry run said; what cannot be amended is refused alike",
        arguments: try StreamGolden.pairs())
    func amendments(_ pair: StreamGolden.Pair) async throws {
        let drafts = try StreamGolden.drafts(of: pair)
        let ledger = try await StreamGolden.ledger(pair.app, holding: drafts)
        for position in 1...(try ledger.head().position) {
            let event = try #require(try ledger.event(at: position))
            let command = Command.amendEvent(
                source: event.draft.source.kind, key: event.draft.source.key ?? "",
                patch: ["amount": 2])
            let (_, done, after) = try await Self.both(
                Self.request(command, event, ledger), ledger, pair, drafts)
            if let done { try Self.expectComplete(done, after) }
        }
    }

    @Test("What compensates for an event has a dry run alike, and names its ticket")
    func compensations() async throws {
        let pair = StreamGolden.Pair(app: "dozzi", name: "two-stories-then-paywall")
        let drafts = try StreamGolden.drafts(of: pair)
        let ledger = try await StreamGolden.ledger(pair.app, holding: drafts)
        let use = try #require(drafts.first { $0.type == .usageRecorded })
        let subject = try #require(use.subject)
        let commands: [Command] = [
            .issueGrant(
                .init(id: "sorry", target: .meter("stories"), amount: 3, reason: "compensation")),
            .issueGrant(.init(id: "all", target: .entitlement("unlimited"))),
            .reverseUsage(target: try #require(use.data["ref"]?.text)),
            .resetUsage(meter: "stories"), .voidGrant(grant: "none"),
        ]
        for command in commands {
            let request = CommandRequest(
                command, subject: subject, key: "c1", reason: "a test", ticket: "SUP-7")
            let (promised, _, after) = try await Self.both(request, ledger, pair, drafts)
            guard let promised else { continue }
            try Self.expectComplete(promised, after)
            let position = try #require(promised.positions.first)
            let event = try #require(try after.event(at: position))
            #expect(event.draft.extras["ticket"] == "SUP-7")
        }
        let grant = try await ledger.dryRun(
            CommandRequest(commands[0], subject: subject, key: "c1"))
        let fields = grant.changes.flatMap(\.changes).map(\.path)
        #expect(fields.contains("meters.stories.granted"), "\(fields)")
        await #expect(throws: LedgerError.self) {
            try await ledger.dryRun(CommandRequest(.voidGrant(grant: "none"), subject: subject))
        }
    }

    @Test("The dry run of a repeated key is the first receipt")
    func repeated() async throws {
        let pair = StreamGolden.Pair(app: "dozzi", name: "two-stories-then-paywall")
        let ledger = try await StreamGolden.ledger(
            pair.app, holding: try StreamGolden.drafts(of: pair))
        let event = try #require(try ledger.event(at: 2))
        let request = try Self.request(
            .voidEvent(source: event.draft.source.kind, key: event.draft.source.key ?? ""), event,
            ledger)
        let first = try await ledger.perform(request, isRestating: true)
        #expect(try await ledger.dryRun(request) == first)
        var other = request
        other.reason = "another"
        await #expect(throws: LedgerError.self) { try await ledger.dryRun(other) }
    }
}
