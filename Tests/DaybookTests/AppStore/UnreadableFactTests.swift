import Daybook
import DaybookDomain
import DaybookEvents
import DaybookIngest
import Testing

/// What cannot be read waits as a dead letter, whichever way it comes: nothing of it is recorded, and it outranks
/// nothing that was known.
@Suite("App Store: facts that cannot be read")
struct UnreadableFactTests {
    static let now = AppStoreBench.now
    static let day = AppStoreBench.day

    enum Way: CaseIterable, Sendable {
        case posted, transactionHistory, notificationHistory, restored, statusChange, subscribed

        func take(
            _ transaction: SandboxTransaction, in bench: AppStoreBench
        ) async throws -> [IngestReceipt.RefusedText] {
            let text = JSONValue.string(try bench.authority.sign(transaction))
            func notification(_ type: AppStoreNotificationType) throws -> JSONValue {
                let notification = AppStoreBench.notification(
                    type, type == .subscribed ? .initialBuy : .autoRenewDisabled, transaction,
                    AppStoreBench.renewal(), signedAt: UnreadableFactTests.now)
                return .string(try bench.authority.sign(notification))
            }
            let payload: JSONObject
            switch self {
            case .posted: return try await bench.post(transaction, by: "ada").refused
            case .restored:
                return try await bench.restore([transaction], for: "ada").refused
            case .transactionHistory: payload = ["signedTransactions": .array([text])]
            case .notificationHistory:
                let entry: JSONValue = ["signedPayload": try notification(.didChangeRenewalStatus)]
                payload = ["notificationHistory": .array([entry])]
            case .statusChange:
                payload = ["signedPayload": try notification(.didChangeRenewalStatus)]
            case .subscribed: payload = ["signedPayload": try notification(.subscribed)]
            }
            return try await bench.fixture.ledger.ingest(payload.canonicalBytes, by: bench.verifier)
                .refused
        }
    }

    /// A member and what it says instead; null takes it away.
    static let unusable: [(String, JSONValue)] = [
        ("expiresDate", .null), ("expiresDate", "2026-01-01"), ("expiresDate", true),
        ("expiresDate", .number("1e30")), ("expiresDate", 253_402_300_800_000),
        ("signedDate", .null), ("purchaseDate", .null), ("price", -1), ("price", "free"),
        ("revocationDate", "yesterday"), ("type", .null), ("transactionId", .null),
    ]

    @Test(
        "An unusable member is refused as format, and the ledger is as it was",
        arguments: Way.allCases)
    func refused(way: Way) async throws {
        let bench = try await AppStoreBench()
        let head = try bench.fixture.ledger.head().position
        for (member, value) in Self.unusable {
            var transaction = AppStoreBench.period()
            transaction.others = [member: value]
            let refused = try await way.take(transaction, in: bench)
            #expect(refused.map(\.refusal.reason) == [.format], "\(member) \(value)")
            #expect(refused[0].refusal.detail.contains(member), "\(refused[0].refusal)")
        }
        // Dead letters only, one for each payload.
        let types = try bench.types(after: head)
        #expect(types == Array(repeating: "ingest.rejected", count: Self.unusable.count))
        #expect(try bench.premium(at: Self.now) == "none")
        #expect(try bench.premium(at: Self.now + 25_000 * Self.day) == "none")
    }

    @Test("A null that is written out is as good as none")
    func null() async throws {
        let bench = try await AppStoreBench()
        var payload = AppStoreBench.period().payload
        payload["expiresDate"] = JSONValue.null
        let text = try bench.authority.sign(payload)
        let receipt = try await bench.fixture.ledger.ingest(
            Array(text.utf8), by: bench.verifier, options: IngestOptions(kind: .transaction))
        #expect(receipt.refused.map(\.refusal.reason) == [.format])
    }

    @Test("A reason for a refund without its date is refused; the purchase that is known stays")
    func refundWithoutDate() async throws {
        let bench = try await AppStoreBench()
        try await bench.take(AppStoreBench.purchase)
        for members: JSONObject in [
            ["revocationReason": 1], ["revocationType": "REFUND_FULL"],
            ["revocationPercentage": 100_000],
        ] {
            var transaction = AppStoreBench.period(signedAt: Self.now)
            transaction.others = members
            let refused = try await bench.post(transaction).refused
            #expect(refused.map(\.refusal.reason) == [.format])
            #expect(refused[0].refusal.detail.contains("no revocationDate"))
        }
        #expect(try bench.premium(at: Self.now) == "active+~")
    }

    @Test("The same bytes without a signing date append nothing, and outrank no refund")
    func withoutSigningDate() async throws {
        let bench = try await AppStoreBench()
        try await bench.take(AppStoreBench.purchase)
        var refund = AppStoreBench.period(signedAt: Self.now - Self.day)
        refund.revokedAt = Self.now - 2 * Self.day
        refund.revocationReason = .other
        try await bench.post(refund)
        #expect(try bench.premium(at: Self.now) == "refunded~")
        var undated = AppStoreBench.period()
        undated.others = ["signedDate": nil]
        let text = Array(try bench.authority.sign(undated).utf8)
        for _ in 0..<3 {
            let receipt = try await bench.fixture.ledger.ingest(
                text, by: bench.verifier, options: IngestOptions(kind: .transaction))
            #expect(receipt.refused.map(\.refusal.reason) == [.format])
            #expect((receipt.appended, receipt.duplicates) == (0, 0))
        }
        #expect(try bench.premium(at: Self.now) == "refunded~")
        #expect(try bench.fixture.ledger.deadLetters().count == 1)
    }

    @Test("What never renews needs no end")
    func withoutEnd() async throws {
        let bench = try await AppStoreBench("dozzi")
        var lifetime = SandboxTransaction(
            bundleID: AppStoreBench.bundleID, productID: "com.dozzi.unlimited_stories",
            type: .nonConsumable, transactionID: "7", purchasedAt: AppStoreBench.bought)
        lifetime.appAccountToken = "ada"
        #expect(try await bench.post(lifetime).refused == [])
        let answer = try bench.fixture.ledger.check(
            CheckQuestion("unlimitedStories"), for: "ada", environment: .test,
            moment: Moment(at: Self.now))
        #expect(answer.decision.allowed)
    }
}
