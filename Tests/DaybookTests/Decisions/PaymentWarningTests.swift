import Daybook
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookTesting
import Testing

/// A customer who pays for one thing twice is warned, and no other customer (E30, E31).
@Suite("Warnings about payments")
struct PaymentWarningTests {
    private let start = instant("2026-01-01T00:00:00Z")
    private var end: Int64 { start + 30 * LedgerFixture.day }
    private let fixture: LedgerFixture

    init() async throws {
        fixture = try await LedgerFixture("sampler", document: SamplerCatalog.first, now: start)
    }

    private func lineage(_ id: String, _ product: String) -> LineageFixture {
        LineageFixture(id, product: product)
    }

    private func forLife(_ product: String) -> EventDraft {
        lineage("90", product).event(
            .purchaseCompleted, at: start,
            [
                "product": .string(product), "kind": "non_consumable", "transaction_id": "90",
                "price_milli": 9_000, "currency": "EUR",
            ])
    }

    private func warnings() throws -> [String] { try fixture.status(at: start + 1).warnings }

    @Test("Two subscriptions that give different things are no double payment")
    func different() async throws {
        try await fixture.record(
            lineage("1", "club.monthly").started("1", from: start, until: end),
            lineage("2", "dog.monthly").started("2", from: start, until: end))
        #expect(try warnings() == [])
        try await fixture.record(
            lineage("3", "club.yearly").started("3", from: start, until: end))
        #expect(try warnings() == ["double_paying"])
        #expect(try fixture.status(at: end).warnings == [])
    }

    @Test("A subscription for each of two dogs is none; two for one dog are")
    func profiles() async throws {
        func assigned(_ id: String, _ dog: String) -> EventDraft {
            .reported(
                .purchaseAssigned, at: start, key: "a\(id)", profile: dog,
                ["transaction_id": .string(id), "profile": .string(dog)])
        }
        for dog in ["rex", "fay"] {
            try await fixture.record(
                .reported(
                    .profileCreated, at: start - 1, key: dog, profile: dog,
                    ["profile": .string(dog), "kind": "dog"]))
        }
        try await fixture.record(
            lineage("1", "dog.monthly").started("1", from: start, until: end),
            lineage("2", "dog.monthly").started("2", from: start, until: end),
            lineage("3", "dog.monthly").started("3", from: start, until: end),
            assigned("1", "rex"), assigned("2", "fay"))
        #expect(try warnings() == [])
        try await fixture.record(assigned("3", "rex"))
        #expect(try warnings() == ["double_paying"])
    }

    @Test("A subscription beside a purchase for life is redundant where both give the same")
    func redundant() async throws {
        try await fixture.record(
            forLife("vault.forever"),
            lineage("1", "club.monthly").started("1", from: start, until: end))
        #expect(try warnings() == [])
        try await fixture.record(lineage("2", "club.yearly").started("2", from: start, until: end))
        #expect(try warnings() == ["redundant_subscription", "double_paying"])
        #expect(try fixture.status(at: end).warnings == [])
    }
}
