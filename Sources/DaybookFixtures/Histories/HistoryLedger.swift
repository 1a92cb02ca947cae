public import Daybook
import DaybookDomain
import DaybookStore
import DaybookTesting
import Foundation

/// The ledger that a history is recorded in: in memory, or a file that is disturbed all the time.
///
/// A file has segments of 16 events, which are sealed beside the work. Between two commits it may get a snapshot, be
/// closed and opened again, or lose a derived file; the same seed does the same. None of that may change an answer
/// (law 3).
public final class HistoryLedger {
    /// Where the events are kept.
    public enum Place: String, Sendable, CaseIterable {
        case memory, file
    }

    /// The ledger as it is open now.
    public private(set) var ledger: Ledger
    private let zones = ZoneTables()
    private let folder: URL?
    private var random: SplitMix64

    private var path: String? { folder?.appending(path: "ledger.sqlite").path }
    private var derived: URL? { path.map { URL(filePath: $0 + ".snapshots") } }

    /// - Parameter document: The first catalog, in force from the beginning of time.
    public init(
        _ place: Place, app: String, catalog document: [UInt8], seed: UInt64
    ) async throws {
        random = SplitMix64(seed: seed)
        switch place {
        case .memory:
            folder = nil
            ledger = try Ledger(
                store: InMemoryEventStore(app: app), zones: zones, clock: { 0 })
        case .file:
            let folder = FileManager.default.temporaryDirectory
                .appending(path: "daybook-\(UUID())")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            self.folder = folder
            let path = folder.appending(path: "ledger.sqlite").path
            try SQLiteEventStore.create(at: path, app: app).close()
            ledger = try Self.open(path, readOnly: false, zones)
        }
        try await ledger.publish(CatalogPublication(document: document, effectiveAt: 0))
    }

    deinit {
        if let folder {
            // A test that already failed must not fail again for leaving something behind.
            try? ledger.close()
            try? FileManager.default.removeItem(at: folder)
        }
    }

    private static func open(_ path: String, readOnly: Bool, _ zones: ZoneTables) throws -> Ledger {
        try Ledger(
            store: try SQLiteEventStore(path: path, readOnly: readOnly), path: path,
            readOnly: readOnly, zones: zones, segmentEventCount: 16, clock: { 0 })
    }

    /// Between two commits: perhaps a snapshot, perhaps another opening.
    public func rest() throws {
        guard let path else { return }
        let choice = Int.random(in: 0..<8, using: &random)
        guard choice < 5 else { return }
        if choice == 0 || choice == 1 { try ledger.snapshot() }
        if choice == 2 { ledger.writer.finishDerivedWriting() }
        guard choice != 0 else { return }
        try ledger.close()
        if choice == 4 { try lose() }
        ledger = try Self.open(path, readOnly: false, zones)
    }

    /// One derived file is lost.
    private func lose() throws {
        guard let derived, let name = derivedNames("").randomElement(using: &random) else {
            return
        }
        try FileManager.default.removeItem(at: derived.appending(path: name))
    }

    private func derivedNames(_ suffix: String) -> [String] {
        derived.map { DerivedFile.names(in: $0.path, suffix: suffix) }?
            .filter { !$0.hasPrefix(".") } ?? []
    }

    /// The history is over: a file is opened once more, for reading alone.
    /// - Returns: What answers can come from besides rows and memory: `snapshot`, `segments`.
    public func end() throws -> Set<String> {
        guard let path else { return [] }
        try ledger.close()
        ledger = try Self.open(path, readOnly: true, zones)
        var sources: Set<String> = []
        if ledger.core.snapshotCut > 0 { sources.insert("snapshot") }
        if !derivedNames(".dayseg").isEmpty { sources.insert("segments") }
        return sources
    }
}
