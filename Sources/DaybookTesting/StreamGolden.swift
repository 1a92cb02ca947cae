public import Daybook
public import DaybookEvents
import DaybookIngest
public import Foundation

/// Recorded streams in `events/` and the states that they must give, in `snapshots/`.
///
/// A bug report is a stream and its golden: both are replayed by name, whoever put them there.
public enum StreamGolden {
    /// A stream and its golden; one of the two may be missing, which the suite reports.
    public struct Pair: Sendable, CustomStringConvertible {
        public var app: String
        /// The name of both files, without folder and ending.
        public var name: String

        public init(app: String, name: String) {
            self.app = app
            self.name = name
        }

        public var stream: URL { Fixtures.root.appending(path: "events/\(app)/\(name).ndjson") }
        public var golden: URL { Fixtures.root.appending(path: "snapshots/\(app)/\(name).json") }
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
    public static func line(of draft: EventDraft) -> [UInt8] {
        var object = EventJSON.object(of: draft)
        object["recorded_at"] = draft.recordedAt.map(JSONValue.integer)
        return object.canonicalBytes
    }

    /// A ledger in memory that holds the app's catalog, published and in force at 0, and then the events as recorded.
    /// - Parameters:
    ///   - drafts: With ascending recorded times.
    ///   - catalog: Another document instead of the app's own.
    ///   - batchCount: How many events are appended at once.
    public static func ledger(
        _ app: String, holding drafts: [EventDraft], catalog: [UInt8]? = nil,
        batchCount: Int = Int.max
    ) async throws -> Ledger {
        let ledger = try Ledger(inMemory: app, clock: { 0 })
        let document = try catalog ?? Fixtures.catalogDocument(app)
        try await ledger.publish(CatalogPublication(document: document, effectiveAt: 0))
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
    public static func layout(_ state: JSONObject) -> [UInt8] {
        var lines = JSONLayout()
        lines.write(.object(state), depth: 0)
        return lines.bytes + [UInt8(ascii: "\n")]
    }

    /// Where two states differ: the paths of the values that are not equal, in canonical order.
    public static func differences(_ left: JSONObject, _ right: JSONObject) -> [String] {
        differences(.object(left), .object(right), at: "")
    }

    private static func differences(
        _ left: JSONValue?, _ right: JSONValue?, at path: String
    ) -> [String] {
        if left == right { return [] }
        switch (left, right) {
        case (.object(let left), .object(let right)):
            let names = Set((left.members + right.members).map(\.name)).sorted()
            return names.flatMap {
                differences(left[$0], right[$0], at: path.isEmpty ? $0 : "\(path).\($0)")
            }
        case (.array(let left), .array(let right)) where left.count == right.count:
            return left.indices.flatMap {
                differences(left[$0], right[$0], at: "\(path)[\($0)]")
            }
        default: return [path]
        }
    }
}

/// Writes JSON with new lines down to the answers, and canonically below.
private struct JSONLayout {
    /// The state, its subjects, a subject and its list of answers.
    private static let depthMax = 4
    private(set) var bytes: [UInt8] = []

    mutating func write(_ value: JSONValue, depth: Int) {
        switch value {
        case .object(let object) where depth < Self.depthMax && !object.isEmpty:
            list(object.members.count, "{", "}", depth) { layout, index in
                let member = object.members[index]
                layout.bytes += JSONValue.string(member.name).canonicalBytes
                layout.bytes += Array(": ".utf8)
                layout.write(member.value, depth: depth + 1)
            }
        case .array(let values) where depth < Self.depthMax && !values.isEmpty:
            list(values.count, "[", "]", depth) { layout, index in
                layout.write(values[index], depth: depth + 1)
            }
        default: bytes += value.canonicalBytes
        }
    }

    private mutating func list(
        _ count: Int, _ open: String, _ close: String, _ depth: Int,
        element: (inout JSONLayout, Int) -> Void
    ) {
        bytes += Array(open.utf8)
        for index in 0..<count {
            bytes += Array((index == 0 ? "\n" : ",\n").utf8)
            bytes += Array(repeating: UInt8(ascii: " "), count: 2 * (depth + 1))
            element(&self, index)
        }
        bytes += Array("\n".utf8) + Array(repeating: UInt8(ascii: " "), count: 2 * depth)
        bytes += Array(close.utf8)
    }
}
