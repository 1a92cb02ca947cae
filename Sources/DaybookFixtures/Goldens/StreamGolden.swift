public import Daybook
import DaybookAudit
public import DaybookEvents
import DaybookIngest
public import Foundation

/// Recorded streams in `events/` and the states that they must give, in `snapshots/`.
///
/// A bug report is a stream and its golden: both are found in their folders and replayed by name.
public enum StreamGolden {
    /// A stream and its golden; one of the two may be missing, which the suite reports.
    public struct Pair: Sendable, CustomStringConvertible {
        /// The folder of the app in `events/` and in `snapshots/`.
        public var app: String
        /// The name of both files, without folder and ending.
        public var name: String
        /// What `events/` and `snapshots/` stand in.
        public var root: URL

        /// Names a pair; whether its files are there is not checked.
        public init(app: String, name: String, root: URL = Fixtures.root) {
            self.app = app
            self.name = name
            self.root = root
        }

        /// The file of the events, `events/APP/NAME.ndjson`.
        public var stream: URL { root.appending(path: "events/\(app)/\(name).ndjson") }
        /// The file of the answers, `snapshots/APP/NAME.json`.
        public var golden: URL { root.appending(path: "snapshots/\(app)/\(name).json") }
        /// For messages: `APP/NAME`.
        public var description: String { "\(app)/\(name)" }

        /// Its golden is of another rule, and must be seen to differ.
        public var diverges: Bool { name.hasPrefix("diverges-") }
    }

    /// Every name that has a stream, a golden or both, in the order of apps and names.
    public static func pairs() throws -> [Pair] {
        try Fixtures.apps.flatMap { app in
            let streams = try names(in: "events/\(app)", ending: ".ndjson")
            let goldens = try names(in: "snapshots/\(app)", ending: ".json")
                .subtracting([SyntheticMonth.goldenName])
            return streams.union(goldens).sorted().map { Pair(app: app, name: $0) }
        }
    }

    private static func names(in folder: String, ending: String) throws -> Set<String> {
        let path = Fixtures.root.appending(path: folder).path
        guard FileManager.default.fileExists(atPath: path) else { return [] }
        let files = try FileManager.default.contentsOfDirectory(atPath: path)
        return Set(files.filter { $0.hasSuffix(ending) }.map { String($0.dropLast(ending.count)) })
    }

    /// The events of a stream in the order of its lines, each with the time at which it was recorded.
    /// - Throws: The first line that cannot be taken as it is.
    public static func drafts(of pair: Pair) throws -> [EventDraft] {
        var reader = NDJSONReader(app: pair.app)
        let bytes = Array(try Foundation.Data(contentsOf: pair.stream))
        let (events, problems) = reader.read(bytes)
        if let problem = problems.first {
            throw InputProblem(
                line: problem.line, column: problem.column, code: problem.code,
                reason: "\(pair): \(problem.reason)")
        }
        return events.map(\.draft)
    }

    /// The line under which an event is written down: canonical, and the same whenever it is written again.
    public static func line(of draft: EventDraft) -> [UInt8] { draft.recordedLine }

    /// Whether a stream has catalogs of its own.
    public static func bringsCatalogs(_ drafts: [EventDraft]) -> Bool {
        drafts.contains(where: isCatalog)
    }

    /// Whether it is published, or comes back.
    public static func isCatalog(_ draft: EventDraft) -> Bool {
        draft.type == .catalogPublished || draft.type == .catalogRolledBack
    }

    /// A ledger in memory that holds the app's catalog, published and in force at 0, and then the events as recorded. A
    /// stream that brings catalogs of its own, as a captured one does, gets no other.
    /// - Parameters:
    ///   - drafts: With ascending recorded times.
    ///   - catalog: Another document instead of the app's own.
    ///   - batchCount: How many events are appended at once.
    public static func ledger(
        _ app: String, holding drafts: [EventDraft], catalog: [UInt8]? = nil,
        batchCount: Int = Int.max
    ) async throws -> Ledger {
        let ledger = try Ledger(inMemory: app, clock: { 0 })
        if catalog != nil || !bringsCatalogs(drafts) {
            let document = try catalog ?? Fixtures.catalogDocument(app)
            try await ledger.publish(CatalogPublication(document: document, effectiveAt: 0))
        }
        var rest = drafts[...]
        while !rest.isEmpty {
            let batch = Array(rest.prefix(max(1, batchCount)))
            try await ledger.record(batch, options: ReportOptions(isAsRecorded: true))
            rest = rest.dropFirst(batch.count)
        }
        return ledger
    }

    /// The golden state of a stream, as the files in `snapshots/` hold it.
    public static func state(of pair: Pair, catalog: [UInt8]? = nil) async throws -> JSONObject {
        let drafts = try drafts(of: pair)
        let ledger = try await ledger(pair.app, holding: drafts, catalog: catalog)
        return try GoldenState(ledger: ledger, drafts: drafts).object()
    }

    /// What a golden file says.
    public static func recorded(_ pair: Pair) throws -> JSONObject {
        let bytes = Array(try Foundation.Data(contentsOf: pair.golden))
        return try JSONReader.read(bytes).object ?? JSONObject()
    }

    /// Writes a golden file; only `RECORD_GOLDEN=1` asks for it.
    public static func record(_ state: JSONObject, for pair: Pair) throws {
        let folder = pair.golden.deletingLastPathComponent()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Foundation.Data(layout(state)).write(to: pair.golden, options: .atomic)
    }

    /// Canonical JSON with a line for each answer, so that a change of one answer reads as one line.
    public static func layout(_ state: JSONObject) -> [UInt8] { GoldenLayout.bytes(of: state) }

    /// Where two states differ: the paths of the values that are not equal, in canonical order.
    public static func differences(_ left: JSONObject, _ right: JSONObject) -> [String] {
        JSONDifference.between(left, right).map(\.path)
    }
}
