import Daybook
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import Foundation

/// A folder for one ledger file, removed when the test ends.
final class LedgerFolder: Sendable {
    let url: URL
    var path: String { url.appending(path: "ledger.sqlite").path }
    var derived: URL { URL(filePath: path + ".snapshots") }

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "daybook-\(UUID())")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        // A test that already failed must not fail again for leaving something behind.
        try? FileManager.default.removeItem(at: url)
    }

    /// Names of the derived files with an ending, sorted.
    func derivedNames(_ suffix: String) -> [String] {
        // A folder that is not there holds nothing.
        let names = (try? FileManager.default.contentsOfDirectory(atPath: derived.path)) ?? []
        return names.filter { $0.hasSuffix(suffix) }.sorted()
    }

    /// The number of a derived file, which another file of the same name does not have.
    func inode(of name: String) throws -> Int? {
        let path = derived.appending(path: name).path
        return try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? Int
    }

    func create(_ app: String, clock: @escaping @Sendable () -> Int64) async throws -> Ledger {
        try await Ledger.create(at: path, catalog: Fixtures.catalogDocument(app), clock: clock)
    }
}
