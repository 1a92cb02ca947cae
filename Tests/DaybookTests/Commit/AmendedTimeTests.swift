import Daybook
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookIngest
import DaybookTesting
import Testing

/// Times in amendments are written as in every event that is read.
@Suite("Times in amendments")
struct AmendedTimeTests {
    private let fixture: LedgerFixture
    private let now = Fixtures.now

    init() async throws {
        fixture = try await LedgerFixture("magical-stories")
        try await fixture.record(
            .reported(
                .subscriptionStarted, at: now, key: "s1",
                [
                    "product": "com.magicalstories.premium.monthly", "transaction_id": "1",
                    "starts_at": .integer(now), "expires_at": .integer(now + LedgerFixture.day),
                    "price_milli": 9_990, "currency": "USD",
                ]))
    }

    private func amend(_ patch: JSONObject, key: String? = nil) async throws -> Receipt {
        try await fixture.perform(
            .amendEvent(source: "native", key: "s1", patch: patch), key: key)
    }

    /// The patches that the ledger holds.
    private func patches() throws -> [JSONValue?] {
        try (1...fixture.ledger.head().position).compactMap { try fixture.ledger.event(at: $0) }
            .filter { $0.draft.type == .correctionAmended }.map { $0.draft.data["patch"] }
    }

    @Test("A command takes RFC 3339, and what is recorded has milliseconds")
    func command() async throws {
        let first = try await amend(["expires_at": "2026-06-01T02:00:00+02:00"], key: "a")
        // 2026-06-01T00:00:00Z
        #expect(try patches() == [.object(["expires_at": 1_780_272_000_000])])
        #expect(try fixture.entitlement("premium")?.expiresAt == 1_780_272_000_000)
        let again = try await amend(["expires_at": "2026-06-01T02:00:00+02:00"], key: "a")
        #expect(again.positions == first.positions)
        #expect(try patches().count == 1)
    }

    @Test(
        "A text that is no time, or finer than milliseconds, is refused with its place",
        arguments: ["2026-06-01", "2026-06-01T00:00:00", "2026-06-01T00:00:00.0001Z", "soon"])
    func refused(_ text: String) async throws {
        let error = await #expect(throws: LedgerError.self) {
            _ = try await amend(["expires_at": .string(text)])
        }
        guard case .badInput(let problems) = error else {
            Issue.record("\(String(describing: error)) is no bad input")
            return
        }
        #expect(problems.map(\.code) == ["wrong_type"])
        #expect(problems.first?.member == "data.patch.expires_at")
        #expect(problems.first?.reason.contains("at most milliseconds") == true)
        #expect(try patches().isEmpty)
    }

    @Test("A correction that is reported takes it too, and refuses it alike")
    func reported() async throws {
        func read(_ time: String) -> NDJSONReader.Found {
            var reader = NDJSONReader(app: "magical-stories")
            let line =
                #"{"type":"correction.amended","subject":"ada","occurred_at":\#(now),"#
                + #""source":{"kind":"native","key":"c1"},"data":{"reason":"r","#
                + #""target":{"source":"native","key":"s1"},"patch":{"expires_at":"\#(time)"}}}"#
            return reader.read(Array(line.utf8))
        }
        try await fixture.ledger.record(read("2026-06-01T00:00:00Z").events)
        #expect(try fixture.entitlement("premium")?.expiresAt == 1_780_272_000_000)
        let refused = read("2026-06-01T00:00:00.0001Z")
        #expect(refused.events.isEmpty)
        #expect(refused.problems.map(\.member) == ["data.patch.expires_at"])
        #expect(refused.problems.first?.column ?? 1 > 1)
    }

    @Test("A field that is text stays text, whatever it looks like")
    func texts() async throws {
        _ = try await amend(["plan": "2026-06-01T00:00:00Z"])
        #expect(try patches() == [.object(["plan": "2026-06-01T00:00:00Z"])])
    }
}
