import Daybook
import DaybookAudit
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookIngest
import DaybookStore
import DaybookTesting
import Testing

/// The bounds of an event hold for what the ledger itself writes, and damage shows.
@Suite("Envelopes in a ledger")
struct EnvelopeTests {
    @Test(
        "A command with a name that is empty, too long or unprintable is refused and appends nothing"
    )
    func commands() async throws {
        let ledger = try await Fixtures.ledger("dozzi")
        let head = try ledger.head().position
        let long = String(repeating: "x", count: 257)
        for text in ["", long, "a\nb", "\u{1B}[2J"] {
            let consume = Command.consume(meter: "stories", amount: 1, ref: nil)
            let requests = [
                CommandRequest(consume, subject: text),
                CommandRequest(consume, subject: "ada", key: text),
                CommandRequest(consume, subject: "ada", profile: text),
                CommandRequest(consume, subject: "ada", actor: text),
                CommandRequest(consume, subject: "ada", reason: text),
            ]
            for request in requests {
                await #expect {
                    try await ledger.perform(request)
                } throws: { error in
                    guard case LedgerError.badInput(let problems)? = error as? LedgerError else {
                        return false
                    }
                    return problems.count == 1
                }
            }
            let other = try Fixtures.catalogDocument("dozzi") + Array("# another\n".utf8)
            await #expect(throws: LedgerError.self) {
                try await ledger.publish(CatalogPublication(document: other, actor: text))
            }
        }
        #expect(try ledger.head().position == head)
    }

    @Test("A command is refused for what an event of its customer would be refused for")
    func names() async throws {
        let ledger = try await Fixtures.ledger("dozzi")
        let names = [
            "ada", "", "guest", "null", "a@b.example", "a\nb", "x\u{7F}", "\u{85}", "é\u{202E}",
            String(repeating: "x", count: 257), "0190A5d8-7c3e-7b1a-9f00-0123456789aB",
        ]
        var refusedCount = 0
        for (subject, profile) in names.map({ ($0, nil) }) + names.map({ ("bob", $0) }) {
            var expected: [String] = []
            do throws(EventProblem) {
                _ = try EventValidator.canonical(
                    EventDraft(
                        type: .appLaunched, subject: subject, profile: profile, occurredAt: 1,
                        source: EventSource(kind: "native", key: "launch"), trust: .system,
                        data: [:]))
            } catch {
                expected = ["\(error.code.rawValue) \(error.member): \(error.reason)"]
            }
            var found: [String] = []
            do {
                try await ledger.perform(
                    CommandRequest(
                        .consume(meter: "stories", amount: 1, ref: nil), subject: subject,
                        profile: profile))
            } catch LedgerError.badInput(let problems) {
                found = problems.map { "\($0.code) \($0.reason)" }
            } catch LedgerError.rejected {
                // The units are used up.
            }
            #expect(found == expected, "\(subject) \(profile ?? "")")
            refusedCount += expected.count
        }
        #expect(refusedCount > 10)
    }

    @Test("What the ledger writes about a customer with the longest name can be imported again")
    func longestName() async throws {
        let subject = String(repeating: "u", count: 256)
        let ledger = try await Fixtures.ledger("dozzi")
        for number in 1...2 {
            try await ledger.consume("stories", by: subject, ref: "story-\(number)")
        }
        #expect(try ledger.head().position > 3, "the last unit leaves limit.reached")
        let lines = Lines()
        try ledger.export { lines.bytes += $0 }
        var reader = NDJSONReader(app: "dozzi")
        let (events, problems) = reader.read(lines.bytes)
        #expect(problems == [])
        let copy = try Ledger(inMemory: "dozzi", clock: { Fixtures.now })
        try await copy.record(events.map(\.draft), options: ReportOptions(isAsRecorded: true))
        #expect(try copy.digest() == ledger.digest())
    }

    private final class Lines { var bytes: [UInt8] = [] }

    @Test("A damaged row is named by verify, shown by history, and not exported without its data")
    func damage() throws {
        var builder = BatchBuilder()
        let stream = builder.stream("ada")
        var rows = ["k1", "k2"].map { builder.row(in: stream, key: $0) }
        for index in rows.indices { rows[index].event.source = builder.name("native") }
        rows[1].rest = #"{"d":{"note":1"#
        let store = InMemoryEventStore(app: "dozzi")
        let batch = builder.batch(rows, recordedAt: 1_700_000_000_000)
        try store.exclusively { try $0.append(batch) }
        let ledger = try Ledger(store: store, clock: { Fixtures.now })
        #expect(try ledger.verify().contains { !$0.isClean && $0.detail.contains("2") })
        let entries = try ledger.history(of: "ada")
        #expect(entries.count == 2)
        #expect(entries.filter { $0.label.hasPrefix("damaged") }.map(\.event.position) == [2])
        #expect {
            try ledger.export { _ in }
        } throws: { error in
            guard case LedgerError.store(let failure)? = error as? LedgerError else { return false }
            return failure.code == .damaged && failure.message.contains("position 2")
        }
    }
}
