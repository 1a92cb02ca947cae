import Daybook
import DaybookDomain
import DaybookEvents
import DaybookIngest
import Testing

/// What Apple adds one day must not stop what is known from being taken in.
@Suite("App Store: unknown members")
struct UnknownMemberTests {
    static let now = AppStoreBench.now
    static let long = JSONValue.string(String(repeating: "a", count: 257))

    /// Members and what of them is left out.
    static let additions: [(JSONObject, leftOut: [String])] = [
        (["newName": "value", "newNumber": 7], []),
        (["newText": long], ["newText"]),
        (["email": "ada@example.com"], ["email"]),
        (["contact": "ada@example.com", "newFlag": true], ["contact"]),
        (["newList": ["x", long]], ["newList[1]"]),
        (["newObject": ["text": long, "code": 7]], ["newObject.text"]),
        (["newData": .array((0..<11_000).map { .integer(Int64($0)) })], ["newData"]),
        (["deep": deep(14)], ["deep"]),
        (["storefront": long, "offerIdentifier": long], ["offerIdentifier", "storefront"]),
    ]

    private static func deep(_ levels: Int) -> JSONValue {
        levels == 0 ? 1 : .array([deep(levels - 1)])
    }

    @Test("Unknown members are kept as far as an event may hold them", arguments: additions.indices)
    func kept(index: Int) async throws {
        let (members, leftOut) = Self.additions[index]
        let bench = try await AppStoreBench()
        var purchase = AppStoreBench.purchase
        purchase.transaction?.others = members
        purchase.renewal?.others = members
        let first = try await bench.take(purchase)
        #expect(first.refused == [])
        #expect(try bench.premium(at: Self.now) == "active+~")
        let again = try await bench.take(purchase)
        #expect((again.appended, again.duplicates) == (0, first.appended))
        let renewal = try #require(
            try bench.events().first { $0["type"] == "store.renewal_stated" })
        let apple = try #require(renewal.value(at: ["data", "apple"])?.object)
        let told = apple["left_out"]?.array?.compactMap(\.text).sorted() ?? []
        #expect(told == leftOut.map { "apple.\($0)" })
        for member in members.members where !leftOut.contains(where: { $0.hasPrefix(member.name) })
        { #expect(apple[member.name] == member.value) }
    }

    @Test("A member beside those of a notification is kept, or left out with a note")
    func notification() async throws {
        let bench = try await AppStoreBench()
        var change = AppStoreBench.notification(
            .didChangeRenewalStatus, .autoRenewDisabled, AppStoreBench.period(),
            AppStoreBench.renewal(), signedAt: Self.now)
        change.others = ["campaign": "spring", "letter": Self.long]
        #expect(try await bench.take(change).refused == [])
        let told = try #require(
            try bench.events().first { $0["type"] == "subscription.auto_renew_changed" })
        let apple = try #require(told.value(at: ["data", "apple"])?.object)
        #expect(apple["campaign"] == "spring")
        #expect(apple["left_out"] == ["apple.letter"])
    }

    @Test("The id of a notification that said something else is a conflict, and changes nothing")
    func conflict() async throws {
        let bench = try await AppStoreBench()
        var purchase = AppStoreBench.purchase
        purchase.uuid = "002e14d5-51f5-4503-b5a8-c3a1af68eb20"
        try await bench.take(purchase)
        var other = purchase
        other.transaction = AppStoreBench.period(to: AppStoreBench.expires + AppStoreBench.day)
        let head = try bench.fixture.ledger.head().position
        let receipt = try await bench.take(other)
        #expect(receipt.refused.map(\.refusal.reason) == [.conflict])
        #expect(try bench.types(after: head) == ["ingest.rejected"])
        #expect(try bench.fixture.ledger.deadLetters().map(\.code) == ["conflict"])
        #expect(try bench.premium(at: AppStoreBench.expires) == "expired")
        #expect(try bench.premium(at: Self.now) == "active+~")
    }
}
