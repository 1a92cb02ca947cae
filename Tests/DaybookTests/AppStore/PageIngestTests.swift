import Daybook
import DaybookDomain
import DaybookEvents
import DaybookIngest
import Testing

/// Exported pages of the notification history and the transaction history.
@Suite("App Store: pages")
struct PageIngestTests {
    private func history(
        _ bench: AppStoreBench, spoiling index: Int? = nil
    ) throws -> [UInt8] {
        var texts = try SandboxLifeTests.life().moments().map {
            try bench.authority.sign($0.notification)
        }
        // The signature of another text.
        if let index {
            let parts = texts[index].split(separator: ".")
            let other = texts[index + 1].split(separator: ".")
            texts[index] = "\(parts[0]).\(parts[1]).\(other[2])"
        }
        let entries = texts.map { text -> JSONValue in
            ["signedPayload": .string(text), "sendAttempts": []]
        }
        let page: JSONObject = ["hasMore": false, "notificationHistory": .array(entries)]
        return page.canonicalBytes
    }

    @Test("Every text of a notification history is taken in; the page again is all duplicates")
    func notifications() async throws {
        let bench = try await AppStoreBench()
        let alone = try await AppStoreBench()
        let page = try history(bench)
        let first = try await bench.fixture.ledger.ingest(page, by: bench.verifier)
        #expect(first.texts == SandboxLife.wholePlan.count)
        #expect(first.refused == [])
        for moment in try SandboxLifeTests.life().moments() {
            try await alone.take(moment.notification)
        }
        #expect(
            try bench.fixture.ledger.digest().digest == alone.fixture.ledger.digest().digest)
        let head = try bench.fixture.ledger.head().position
        let again = try await bench.fixture.ledger.ingest(page, by: bench.verifier)
        #expect((again.appended, again.duplicates) == (0, first.appended))
        #expect(again.texts == first.texts)
        #expect(try bench.fixture.ledger.head().position == head)
    }

    @Test("A bad payload in the middle becomes a dead letter with its place; the rest is taken in")
    func spoiled() async throws {
        let bench = try await AppStoreBench()
        let page = try history(bench, spoiling: 4)
        let receipt = try await bench.fixture.ledger.ingest(page, by: bench.verifier)
        #expect(receipt.texts == SandboxLife.wholePlan.count)
        #expect(receipt.refused.map(\.place) == ["notificationHistory[4].signedPayload"])
        #expect(receipt.refused.map(\.refusal.reason) == [.signature])
        let deadLetters = try bench.fixture.ledger.deadLetters()
        #expect(deadLetters.map(\.code) == ["signature"])
        let types = try bench.types(after: 1)
        #expect(types.count { $0 == "subscription.expired" } == 1)
        // The renewal is missing, and is taken in from a page without the flaw.
        #expect(types.count { $0 == "subscription.renewed" } == 2)
        let whole = try await bench.fixture.ledger.ingest(
            try history(bench), by: bench.verifier)
        #expect(whole.refused == [])
        #expect(whole.appended > 0)
        #expect(try bench.types(after: 1).count { $0 == "subscription.renewed" } == 3)
    }

    @Test("Every text of a transaction history is taken in, and the page again is duplicates")
    func transactions() async throws {
        let bench = try await AppStoreBench()
        var texts: [String] = []
        for index in Int64(0)..<20 {
            let start = AppStoreBench.bought + index * 1_000
            let period = AppStoreBench.period("\(1_001 + index)", from: start, to: start + 1_000)
            texts.append(try bench.authority.sign(period))
        }
        texts[7] = "not.a.text"
        let page: JSONObject = [
            "revision": "r", "hasMore": true,
            "signedTransactions": .array(texts.map(JSONValue.string)),
        ]
        let first = try await bench.fixture.ledger.ingest(page.canonicalBytes, by: bench.verifier)
        #expect((first.texts, first.appended) == (20, 19))
        #expect(first.refused.map(\.place) == ["signedTransactions[7]"])
        #expect(first.refused.map(\.refusal.reason) == [.format])
        let again = try await bench.fixture.ledger.ingest(page.canonicalBytes, by: bench.verifier)
        #expect((again.appended, again.duplicates, again.refused.count) == (0, 19, 1))
        #expect(try bench.fixture.ledger.deadLetters().count == 1)
        #expect(try bench.premium(at: AppStoreBench.bought + 6_500) == "active+~")
        // The transaction that could not be read left a gap.
        #expect(try bench.premium(at: AppStoreBench.bought + 7_500) != "active+~")
        #expect(try bench.premium(at: AppStoreBench.bought + 8_500) == "active+~")
    }
}
