import Daybook
import DaybookAudit
import DaybookDomain
import DaybookEvents
import DaybookIngest
import Foundation
import Synchronization

/// A recorded stream: a file with a complete history of events, and the catalog that it needs.
struct StreamFile {
    let path: String
    /// `nil`: the file's own, else `catalog.yaml` beside it.
    var catalog: String?

    /// Plays the stream, at the times at which it was recorded.
    /// - Parameter file: Where the ledger is to be; `nil`: in memory.
    func load(into file: String? = nil) async throws -> Ledger {
        try await read(into: file).ledger
    }

    /// The same, with what `capture` wrote where that is what the file is; by what it says, not by its name.
    func read(into file: String? = nil) async throws -> (ledger: Ledger, bundle: ReproBundle?) {
        let bytes = try InputFile(path).all()
        if ReproBundle.begins(bytes) {
            try Failure.require(
                catalog == nil, .usage, "usage",
                "\(path) is a bundle and brings its catalogs; leave out --catalog")
            let bundle = try ReproBundle(reading: bytes)
            let ledger = try Self.empty(bundle.app, file, clock: { bundle.clock })
            try await bundle.record(in: ledger)
            return (ledger, bundle)
        }
        let first = try firstEvent(bytes)
        let ledger: Ledger
        if catalog == nil,
            first["type"]?.text.map(EventTypeName.init(rawValue:)) == .catalogPublished,
            let document = first["data"]?.object?["document"]?.text
        {
            let app = try CatalogFile.read(Array(document.utf8), named: path).catalog.app
            ledger = try Self.empty(app, file, clock: Self.clock(of: bytes))
        } else {
            ledger = try await published(at: first["recorded_at"]?.integer, file)
        }
        try await play(bytes, into: ledger)
        return (ledger, nil)
    }

    private static func empty(
        _ app: String, _ file: String?, clock: @escaping @Sendable () -> Int64
    ) throws -> Ledger {
        guard let file else { return try Ledger(inMemory: app, clock: clock) }
        return try Ledger.createEmpty(at: file, app: app, clock: clock)
    }

    /// A ledger whose catalog was published before anything in the file was recorded.
    private func published(at instant: Int64?, _ target: String?) async throws -> Ledger {
        let beside = path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        let file = catalog ?? (beside + ["catalog.yaml"]).joined(separator: "/")
        try Failure.require(
            catalog != nil || FileManager.default.fileExists(atPath: file), .badInput, "no_catalog",
            "\(path) brings no catalog and there is no \(file); say --catalog FILE")
        let (document, read, _) = try CatalogFile.read(file)
        // Once the catalog is in, only the file tells what time it is: it may have been recorded anywhere.
        let clock = ReplayClock(instant ?? SystemClock.now())
        let ledger = try Self.empty(read.app, target, clock: { clock.now })
        try await ledger.publish(CatalogPublication(document: document))
        clock.now = 0
        return ledger
    }

    /// The machine's clock; that of the file where this is ahead of it, for then it was recorded elsewhere.
    private static func clock(of bytes: [UInt8]) -> @Sendable () -> Int64 {
        let last = bytes.split(separator: 0x0A).last.map(Array.init) ?? []
        // The import reports what is wrong with the line.
        let event = (try? JSONReader.read(last))?.object
        guard let recordedAt = event?["recorded_at"]?.integer else { return SystemClock.now }
        let end = recordedAt < LedgerClock.plausible.upperBound ? recordedAt : 0
        if end == 0 { return { 0 } }
        return { max(SystemClock.now(), end) }
    }

    private func play(_ bytes: [UInt8], into ledger: Ledger) async throws {
        var rest = [bytes][...]
        let hasTimes = String(decoding: bytes, as: UTF8.self).contains("\"recorded_at\"")
        _ = try await ledger.importLines(
            { rest.popFirst() }, options: ImportOptions(isAsRecorded: hasTimes))
    }

    private func firstEvent(_ bytes: [UInt8]) throws -> JSONObject {
        let text = NDJSONReader.withoutByteOrderMark(bytes)
        let line = text.split(separator: 0x0A, maxSplits: 1).first ?? []
        do throws(JSONError) {
            return try JSONReader.read(Array(line)).object ?? JSONObject()
        } catch {
            // The import reports this mistake with all the others.
            return JSONObject()
        }
    }
}

/// A clock that the replay moves.
private final class ReplayClock: Sendable {
    private let content: Mutex<Int64>

    init(_ now: Int64) { content = Mutex(now) }

    var now: Int64 {
        get { content.withLock { $0 } }
        set { content.withLock { $0 = newValue } }
    }
}
