public import Daybook
public import DaybookDomain
import DaybookTesting
public import Foundation

/// What the tests of the five apps share: the repository's own catalogs and a clock that stands still.
public enum Fixtures {
    /// 2026-01-15T12:00:00Z, where the clocks of fixtures stand.
    public static let now = LedgerFixture.start

    /// The names of the five apps, which are also their folders under `events/`.
    public static let apps = ["dozzi", "magical-stories", "ollie", "fork-in-the-road", "nuzzle"]

    /// The root of the checkout, found from this file's place in it.
    public static let root: URL = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The bytes of an app's catalog.
    public static func catalogDocument(_ app: String) throws -> [UInt8] {
        Array(try Foundation.Data(contentsOf: root.appending(path: "events/\(app)/catalog.yaml")))
    }

    /// An app's catalog.
    public static func catalog(_ app: String) throws -> Catalog {
        try CatalogReader.read(try catalogDocument(app))
    }

    /// A ledger in memory with the app's catalog, its clock at `now`.
    public static func ledger(_ app: String, clock: @escaping @Sendable () -> Int64 = { now })
        async throws -> Ledger
    {
        let ledger = try Ledger(inMemory: app, clock: clock)
        try await ledger.publish(CatalogPublication(document: try catalogDocument(app)))
        return ledger
    }
}
