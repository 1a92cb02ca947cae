public import Daybook
public import DaybookDomain
public import DaybookTesting

/// Fixtures of the five apps, with their own catalogs or with some passages replaced.
extension LedgerFixture {
    /// Makes a ledger of one of the five apps.
    /// - Parameters:
    ///   - now: Where the clock stands.
    ///   - changes: Passages of the catalog and what they say instead: for what another document would change.
    public init(
        _ app: String, now: Int64 = Self.start, replacing changes: [String: String] = [:]
    ) async throws {
        let text = try Self.catalog(app, replacing: changes)
        try await self.init(app, document: Array(text.utf8), now: now)
    }

    /// An app's catalog with some passages replaced; each must be there.
    public static func catalog(
        _ app: String, replacing changes: [String: String]
    ) throws -> String {
        var text = String(decoding: try Fixtures.catalogDocument(app), as: UTF8.self)
        for (old, new) in changes.sorted(by: { $0.key < $1.key }) {
            precondition(text.contains(old), "The catalog of \(app) does not say \"\(old)\".")
            text = text.replacing(old, with: new)
        }
        return text
    }

    /// Publishes the app's catalog with some passages replaced.
    @discardableResult
    public func publish(
        replacing changes: [String: String], scope: CatalogScope = .all,
        effectiveAt: Int64? = nil
    ) async throws -> Receipt {
        let text = try Self.catalog(ledger.app, replacing: changes)
        return try await publish(Array(text.utf8), scope: scope, effectiveAt: effectiveAt)
    }
}
