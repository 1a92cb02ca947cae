import DaybookStore
import Logging

/// Where the files are that were derived from a ledger: snapshots, segments and lookup arrays.
package struct DerivedFolder: Sendable {
    /// The ledger's file, absolute and without symbolic links; derived files get its owner and permissions.
    package let ledgerPath: String
    package let path: String
    /// Nothing is written, removed or renamed.
    package let isReadOnly: Bool
    let log: Logger

    /// - Parameter ledgerPath: As the store gives it; one ledger has one folder.
    init(of ledgerPath: String, isReadOnly: Bool, log: Logger) {
        self.ledgerPath = ledgerPath
        path = Self.path(of: ledgerPath)
        self.isReadOnly = isReadOnly
        self.log = log
    }

    /// The folder of a ledger file: `snapshots/<name>` beside a folder `events`, else beside the file.
    package static func path(of ledgerPath: String) -> String {
        let parts = ledgerPath.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count >= 2, parts[parts.count - 2] == "events" else {
            return ledgerPath + ".snapshots"
        }
        let above = parts.dropLast(2).joined(separator: "/")
        return (above.isEmpty ? "" : above + "/") + "snapshots/" + parts[parts.count - 1]
    }

    /// The segments of the ledger.
    package func segments(of store: any EventStore, eventCount: Int64) -> SegmentFolder {
        SegmentFolder(
            path: path, store: store, like: ledgerPath,
            ledger: SnapshotFormat.ledgerNumber(store.header),
            fingerprint: SnapshotFormat.fingerprint, eventCount: eventCount,
            isReadOnly: isReadOnly, report: { log.tell(.warning, $0) })
    }

    /// Puts files of another history out of the way: what they hold happened in none that this ledger goes on from.
    package func setAside(_ what: String, _ paths: [String]) {
        guard let first = paths.first else { return }
        let count = isReadOnly ? 0 : paths.count { DerivedFile.setAside($0) }
        let verb = count == paths.count ? "were set aside" : "are not used"
        log.tell(
            .warning,
            "\(paths.count) \(what) of another history of this ledger \(verb), such as \(first): the ledger was restored or replaced"
        )
    }
}
