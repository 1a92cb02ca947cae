import Daybook
import DaybookDomain
import DaybookEvents
import DaybookIngest

extension AppStoreBench {
    /// A ledger whose catalog says this about another customer's purchases.
    init(transfer policy: String, _ app: String = "magical-stories") async throws {
        try await self.init(app, replacing: ["transfer: transferIfInactive": "transfer: \(policy)"])
    }

    /// Each transaction as a signed payload, as a device hands them over.
    func texts(_ transactions: [SandboxTransaction]) throws -> [[UInt8]] {
        try transactions.map { Array(try authority.sign($0).utf8) }
    }

    @discardableResult
    func restore(
        _ transactions: [SandboxTransaction], for subject: String, isDryRun: Bool = false
    ) async throws -> RestoreReceipt {
        try await restore(try texts(transactions), for: subject, isDryRun: isDryRun)
    }

    func restore(
        _ payloads: [[UInt8]], for subject: String, isDryRun: Bool = false,
        as kind: AppStorePayloadKind = .transaction
    ) async throws -> RestoreReceipt {
        try await fixture.ledger.restore(
            payloads, for: subject, by: verifier,
            options: RestoreOptions(kind: kind, isDryRun: isDryRun))
    }

    @discardableResult
    func transfer(
        _ lineage: String = "apple:1001", from: String, _ direction: TransferRequest.Direction,
        reason: String = "ticket 77", key: String? = nil, isDryRun: Bool = false
    ) async throws -> TransferReceipt {
        try await fixture.ledger.transfer(
            TransferRequest(
                of: lineage, from: from, direction, reason: reason, environment: .test,
                actor: "kim", key: key),
            isDryRun: isDryRun)
    }

    @discardableResult
    func perform(_ command: Command, for subject: String) async throws -> Receipt {
        try await fixture.ledger.perform(
            CommandRequest(command, subject: subject, environment: .test))
    }

    func alias(_ alias: String, to canonical: String) async throws {
        try await perform(.alias(to: canonical), for: alias)
    }

    func owner(of lineage: String = "apple:1001", at instant: Int64? = nil) throws -> String? {
        try fixture.ledger.owner(of: lineage, environment: .test, moment: Moment(at: instant))
    }

    /// The bench's subscription without the app's own id of the customer.
    static func anonymous(
        _ id: String = "1001", from start: Int64 = bought, to end: Int64 = expires,
        signedAt: Int64? = nil
    ) -> SandboxTransaction {
        var transaction = period(id, from: start, to: end, signedAt: signedAt)
        transaction.appAccountToken = nil
        return transaction
    }

    /// A purchase for ever.
    static func forever(
        _ id: String, _ product: String = "com.dozzi.unlimited_stories",
        kind: AppStoreProductType = .nonConsumable, signedAt: Int64 = bought
    ) -> SandboxTransaction {
        var transaction = SandboxTransaction(
            bundleID: bundleID, productID: product, type: kind, transactionID: id,
            purchasedAt: bought)
        transaction.signedAt = signedAt
        return transaction
    }

    /// Why a request was refused, as a word; `nil`: it was not.
    func refusal(_ body: () async throws -> Void) async throws -> String? {
        do {
            try await body()
            return nil
        } catch let error as LedgerError {
            if case .store = error { throw error }
            return error.code
        }
    }
}

extension RestoreReceipt {
    /// Outcomes by lineage.
    var outcomes: [String: RestoreOutcome] {
        Dictionary(uniqueKeysWithValues: lineages.map { ($0.name, $0.outcome) })
    }

    /// `none → active+` of one customer's entitlement.
    func change(of subject: String, _ entitlement: String = "premium") -> String? {
        customers.change(of: subject, entitlement)
    }
}

extension [CustomerChange] {
    func change(of subject: String, _ entitlement: String = "premium") -> String? {
        func word(_ holdings: CustomerChange.Holdings) -> String {
            let answer = holdings.entitlements.first { $0.name == entitlement }
            return (answer?.state.rawValue ?? "?") + (answer?.isActive == true ? "+" : "")
        }
        return first { $0.subject == subject }.map { "\(word($0.before)) → \(word($0.after))" }
    }
}
