import Daybook
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookTesting
import Testing

/// A customer of Ollie with dogs, in Amsterdam.
struct OllieFixture {
    static let product = "com.ollie.premium.perdog"
    /// A Sunday morning, two weeks before the clocks go forward.
    static let start = instant("2026-03-15T10:00:00+01:00")
    /// 21 days later by the wall clock.
    static let end = instant("2026-04-05T10:00:00+02:00")
    static let day = LedgerFixture.day

    let fixture: LedgerFixture

    init(replacing changes: [String: String] = [:]) async throws {
        fixture = try await LedgerFixture("ollie", now: Self.start, replacing: changes)
    }

    var ledger: Ledger { fixture.ledger }

    /// Moves the clock and creates a dog.
    func dog(_ id: String, at time: Int64 = start) async throws {
        fixture.clock.now = time
        try await fixture.perform(.createProfile(profile: id, kind: "puppy", freeStartedAt: nil))
    }

    /// A purchase as the store tells it.
    func purchase(
        _ transaction: String, at time: Int64, product: String = product,
        _ extra: JSONObject = JSONObject()
    ) -> EventDraft {
        var data: JSONObject = [
            "product": .string(product), "kind": "non_consumable",
            "transaction_id": .string(transaction), "price_milli": 19_000, "currency": "EUR",
        ]
        for member in extra.members { data[member.name] = member.value }
        return LineageFixture(transaction, product: product).event(
            .purchaseCompleted, at: time, data)
    }

    /// Buys for a dog, now.
    func buy(_ transaction: String, for dog: String) async throws {
        try await fixture.record(purchase(transaction, at: fixture.clock.now))
        try await fixture.perform(.assignPurchase(transaction: transaction, profile: dog))
    }

    func refund(_ transaction: String, at time: Int64) async throws {
        fixture.clock.now = time
        try await fixture.record(
            LineageFixture(transaction, product: Self.product).refunded(transaction, at: time))
    }

    func status(_ dog: String, at time: Int64? = nil, locale: String? = nil) throws -> Status {
        try ledger.status(
            of: fixture.subject, profile: dog, moment: Moment(at: time), locale: locale
        ).status
    }

    /// What the settings show of one dog.
    func card(_ dog: String, at time: Int64? = nil) throws -> Status.ProfileStatus {
        let cards = try status(dog, at: time).profiles
        return try #require(cards.first { $0.profile.profile == dog })
    }

    func check(_ feature: String, _ dog: String, at time: Int64? = nil) throws -> Decision {
        try ledger.check(
            CheckQuestion(feature, profile: dog), for: fixture.subject, moment: Moment(at: time)
        ).decision
    }

    func text(_ key: String, locale: String = "nl") throws -> String? {
        try ledger.catalogs().newest?.catalog.text(key, locale: locale)
    }
}
