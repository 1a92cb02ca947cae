import Daybook
import Foundation

/// A snapshot file as it was written at some position.
struct KeptSnapshot {
    var cut: Int64
    var name: String
    var bytes: Data

    init(_ report: SnapshotReport) throws {
        cut = report.position
        name = URL(filePath: report.path).lastPathComponent
        bytes = try Data(contentsOf: URL(filePath: report.path))
    }

    /// Makes these the only derived files of a ledger.
    static func place(_ files: [KeptSnapshot], in folder: LedgerFolder) throws {
        try FileManager.default.removeItem(at: folder.derived)
        try FileManager.default.createDirectory(
            at: folder.derived, withIntermediateDirectories: true)
        for file in files { try file.bytes.write(to: folder.derived.appending(path: file.name)) }
    }
}
