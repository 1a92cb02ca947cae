import Daybook
import DaybookAudit
import DaybookDomain
import DaybookEvents
import DaybookStore
import DaybookTesting
import Foundation
import Testing

/// A closed ledger with a segment and a snapshot, in which mistakes are planted.
struct VerificationBench {
    /// So small that a short history has a segment.
    static let segmentCount: Int64 = 16
    static let now: Int64 = 1_798_675_200_000

    let folder: LedgerFolder
    let vocabulary: UInt64
    let segment: String
    let snapshot: String

    /// - Parameter more: Uses by one customer after a history with an alias, a lineage, a correction and a zone.
    init(more: Int = 20) async throws {
        folder = try LedgerFolder()
        try await Ledger.create(
            at: folder.path, catalog: Array(SnapshotDamageTests.catalog.utf8),
            clock: { Self.now }
        ).close()
        let ledger = try Self.open(folder, readOnly: false)
        try await ledger.record(SnapshotDamageTests.history)
        let start = instant("2026-04-01T10:00:00Z")
        try await ledger.record(
            (0..<more).map {
                .used("tickets", at: start + Int64($0) * 1_000, ref: "more \($0)", subject: "bob")
            })
        let report = try ledger.snapshot()
        try ledger.close()
        snapshot = URL(filePath: report.path).lastPathComponent
        segment = try #require(folder.derivedNames(".dayseg").first)
        vocabulary = try ContainerFile(path: report.path).header.fingerprint
    }

    static func open(_ folder: LedgerFolder, readOnly: Bool = true) throws -> Ledger {
        try Ledger(
            store: try SQLiteEventStore(path: folder.path, readOnly: readOnly), path: folder.path,
            readOnly: readOnly, segmentEventCount: segmentCount, clock: { now })
    }

    func path(_ name: String) -> String { folder.derived.appending(path: name).path }

    /// Only the rows are left.
    func removeDerived() throws { try FileManager.default.removeItem(at: folder.derived) }

    /// Changes what the triggers protect.
    func damage(_ sql: String) throws { try Self.damage(folder, sql) }

    static func damage(_ folder: LedgerFolder, _ sql: String) throws {
        let store = try SQLiteEventStore(path: folder.path)
        try store.executeWithoutTriggers(sql)
        try store.close()
    }

    /// What the second reader finds.
    func findings() throws -> [IndependentFinding] {
        try IndependentReader(
            path: folder.path, derived: folder.derived.path, vocabulary: vocabulary
        ).run()
    }

    /// The checks that fail, by the word before the colon, each with what it found.
    func failing() throws -> [String: String] {
        Self.failing(try findings().map { ($0.check, $0.isClean, $0.detail) })
    }

    static func failing(_ findings: [(String, Bool, String)]) -> [String: String] {
        var failing: [String: String] = [:]
        for (check, isClean, detail) in findings where !isClean {
            failing[String(check.prefix { $0 != ":" })] = detail
        }
        return failing
    }

    /// What `verify` finds.
    func verified() throws -> [String: String] {
        let ledger = try Self.open(folder)
        let findings = try ledger.verify().map { ($0.check, $0.isClean, $0.detail) }
        try ledger.close()
        return Self.failing(findings)
    }

    private static let sizes: [String: Int] = [
        "names": 16, "texts": 1, "slots": 4, "streams": 32, "members": 8, "lines": 16,
        "links": 56, "handovers": 64, "order": 8, "special": 8, "zones": 4, "sums": 32,
    ]
    private static let snapshotSections = [
        "names", "texts", "slots", "streams", "members", "lines", "links", "handovers", "order",
        "special", "zones", "sums",
    ]
    private static let segmentSections = ["events", "extensions", "streams", "previous"]

    /// Writes a derived file anew with something else in it, under checksums that fit.
    func rewrite(
        _ name: String, _ section: String? = nil, _ body: (inout [UInt8]) -> Void = { _ in },
        header change: (inout ContainerHeader) -> Void = { _ in }
    ) throws {
        let file = try ContainerFile(path: path(name))
        var header = file.header
        let isSegment = header.kind == .segment
        var contents: [String: [UInt8]] = [:]
        let names = isSegment ? Self.segmentSections : Self.snapshotSections
        for part in names { contents[part] = try file.bytes(part) }
        if let section {
            var bytes = try #require(contents[section])
            body(&bytes)
            contents[section] = bytes
        }
        if isSegment {
            header.stateDigest = Digest.sha256(
                (contents["events"] ?? []) + (contents["extensions"] ?? []))
        }
        change(&header)
        let sections = names.map { part in
            let bytes = contents[part] ?? []
            let size = isSegment ? (part == "events" || part == "extensions" ? 64 : 4) : nil
            return ContainerSection(
                name: part, fingerprint: file.fingerprint(part),
                elementCount: bytes.count / (size ?? Self.sizes[part] ?? 1),
                bytes: bytes)
        }
        try ContainerWriter.write(header, sections, to: path(name))
    }
}
