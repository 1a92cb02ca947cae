import Foundation

/// What lies beside a ledger's file and can be deleted at any time.
enum DerivedKind: String, CaseIterable {
    case snapshots = "daysnap"
    case segments = "dayseg"
    case keys = "daykeys"

    var valueName: String { "\(self)_bytes" }

    /// - Parameter path: The ledger's.
    func files(of path: String) throws -> [String] {
        let folder = path + ".snapshots"
        guard FileManager.default.fileExists(atPath: folder) else { return [] }
        return try FileManager.default.subpathsOfDirectory(atPath: folder)
            .filter { $0.hasSuffix("." + rawValue) }.map { folder + "/" + $0 }
    }

    func remove(of path: String) throws {
        for file in try files(of: path) { try FileManager.default.removeItem(atPath: file) }
    }
}
