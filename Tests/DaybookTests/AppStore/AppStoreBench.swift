import Daybook
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookIngest
import DaybookTesting

/// A ledger in the environment `test`, an authority of our own, and one subscription that a customer bought ten days
/// ago for a month.
struct AppStoreBench {
    static let day = LedgerFixture.day
    static let now = Fixtures.now
    static let bundleID = "com.example.bedtime"
    static let monthly = "com.magicalstories.premium.monthly"
    static let yearly = "com.magicalstories.premium.yearly"
    static let bought = now - 10 * day
    static let expires = now + 20 * day

    let fixture: LedgerFixture
    let authority: SandboxAuthority
    let verifier: AppStoreVerifier

    /// - Parameter changes: Passages of the catalog and what they say instead.
    init(
        _ app: String = "magical-stories", replacing changes: [String: String] = [:]
    ) async throws {
        fixture = try await LedgerFixture(app, now: Self.now + Self.day, replacing: changes)
        authority = try SandboxAuthority(
            seed: Array("bench".utf8), from: Self.now - 400 * Self.day,
            until: Self.now + 400 * Self.day)
        verifier = AppStoreVerifier(
            identity: AppStoreIdentity(bundleIDs: [Self.bundleID], environment: .test),
            roots: try AppStoreRoots(der: [authority.root]))
    }

    static func period(
        _ id: String = "1001", _ product: String = monthly, from start: Int64 = bought,
        to end: Int64 = expires, signedAt: Int64? = nil
    ) -> SandboxTransaction {
        var transaction = SandboxTransaction(
            bundleID: bundleID, productID: product, type: .autoRenewable, transactionID: id,
            purchasedAt: start)
        transaction.originalTransactionID = "1001"
        transaction.expiresAt = end
        transaction.signedAt = signedAt ?? start
        transaction.appAccountToken = "ada"
        transaction.price = 8_990
        transaction.currency = "USD"
        transaction.groupID = "Premium"
        return transaction
    }

    static func renewal(signedAt: Int64 = bought) -> SandboxRenewal {
        var renewal = SandboxRenewal(
            originalTransactionID: "1001", productID: monthly, signedAt: signedAt)
        renewal.renewsAt = expires
        return renewal
    }

    static func notification(
        _ type: AppStoreNotificationType, _ subtype: AppStoreNotificationSubtype? = nil,
        _ transaction: SandboxTransaction? = nil, _ renewal: SandboxRenewal? = nil,
        signedAt: Int64
    ) -> SandboxNotification {
        var notification = SandboxNotification(
            type: type, bundleID: bundleID, signedAt: signedAt)
        notification.subtype = subtype
        notification.transaction = transaction
        notification.renewal = renewal
        return notification
    }

    /// The purchase with which every history here begins.
    static let purchase = notification(
        .subscribed, .initialBuy, period(), renewal(), signedAt: bought)

    @discardableResult
    func take(_ notification: SandboxNotification) async throws -> IngestReceipt {
        let envelope: JSONObject = ["signedPayload": .string(try authority.sign(notification))]
        return try await fixture.ledger.ingest(envelope.canonicalBytes, by: verifier)
    }

    @discardableResult
    func post(
        _ transaction: SandboxTransaction, by subject: String? = nil
    ) async throws -> IngestReceipt {
        try await fixture.ledger.ingest(
            Array(try authority.sign(transaction).utf8), by: verifier,
            options: IngestOptions(kind: .transaction, subject: subject))
    }

    /// The premium entitlement as `state`, with `+` where it gives access and `~` where it will renew.
    func premium(at instant: Int64, of subject: String = "ada") throws -> String {
        let status = try fixture.ledger.status(
            of: subject, environment: .test, moment: Moment(at: instant)
        ).status
        guard let answer = status.entitlements.first(where: { $0.name == "premium" }) else {
            return "?"
        }
        return answer.state.rawValue + (answer.isActive ? "+" : "") + (answer.willRenew ? "~" : "")
    }

    /// All events as they are exported.
    func events(after position: Int64 = 0) throws -> [JSONObject] {
        var events: [JSONObject] = []
        try fixture.ledger.export(after: position) { line in
            events.append(try JSONReader.read(line).object ?? JSONObject())
        }
        return events
    }

    /// The types of the events that were recorded after a position.
    func types(after position: Int64) throws -> [String] {
        try events(after: position).map { $0["type"]?.text ?? "?" }
    }
}
