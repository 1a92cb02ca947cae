import DaybookEvents
import DaybookFixtures
import DaybookStore
import DaybookTesting
import Foundation
import Synchronization

/// A folder of its own for one test, removed with its content when the test ends.
final class TemporaryFolder: Sendable {
    let path: String
    private let fileCount = Atomic<Int>(0)

    init() throws {
        var parent = NSTemporaryDirectory()
        while parent.count > 1, parent.hasSuffix("/") { parent.removeLast() }
        var template = Array((parent + "/daybook-XXXXXX").utf8CString)
        guard let made = mkdtemp(&template) else { throw CocoaError(.fileWriteUnknown) }
        path = String(cString: made)
    }

    deinit {
        // A test that already failed must not fail again for leaving something behind.
        try? FileManager.default.removeItem(atPath: path)
    }

    func newPath() -> String {
        path + "/ledger-\(fileCount.wrappingAdd(1, ordering: .relaxed).newValue).sqlite"
    }

    var fileNames: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
    }
}

/// A store with a few events, and the builder that goes on from there.
struct Bench {
    let folder: TemporaryFolder
    let path: String
    let store: SQLiteEventStore
    var builder = BatchBuilder()
    let stream: UInt32

    init(eventCount: Int = 3, in given: TemporaryFolder? = nil) throws {
        folder = try given ?? TemporaryFolder()
        path = folder.newPath()
        store = try SQLiteEventStore.create(at: path, app: "dozzi")
        stream = builder.stream("ada")
        if eventCount > 0 { try append(eventCount) }
    }

    /// Appends so many events as one batch, recorded at the next full thousand.
    mutating func append(_ count: Int, padding: Int = 0, through other: SQLiteEventStore? = nil)
        throws
    {
        var next = builder
        let rows = (1...count).map { number in
            var row = next.row(
                in: stream, key: "key \(next.head + Int64(number))", reference: "story \(number)")
            row.rest = padding > 0 ? String(repeating: "x", count: padding) : nil
            return row
        }
        let batch = next.batch(rows, recordedAt: (next.head + 1) * 1_000)
        try (other ?? store).exclusively { try $0.append(batch) }
        builder = next
    }

    static func allRows(_ store: any EventStore) throws -> [EventRow] {
        var rows: [EventRow] = []
        try store.scanRows(after: .start, through: try store.head().checkpoint, chunkCount: 1_000) {
            rows += $0
        }
        return rows
    }
}

/// The code of the error that a body throws; `nil` when it throws none.
func code<Result>(of body: () throws -> Result) throws -> StoreError.Code? {
    do {
        _ = try body()
        return nil
    } catch let error as StoreError {
        return error.code
    }
}

/// The store's error that a body throws; `nil` when it throws none.
func failure<Result>(of body: () throws -> Result) throws -> StoreError? {
    do {
        _ = try body()
        return nil
    } catch let error as StoreError {
        return error
    }
}

/// Whether a command of the system ran and succeeded.
func runCommand(_ command: String...) -> Bool {
    (try? ChildCommand("/usr/bin/env", command).start().wait()) == 0
}

extension HistoryPoint {
    /// A name that nothing was hashed for.
    static func sample(_ position: Int64, past: UInt8 = 0) -> HistoryPoint {
        let bytes =
            [UInt8](repeating: past, count: 24)
            + (0..<8).map {
                UInt8(truncatingIfNeeded: position >> Int64(8 * $0))
            }
        return HistoryPoint(
            position: position, epoch: 1, nameCount: 0, streamCount: 0,
            hash: HistoryHash(bytes) ?? .zero)
    }
}
