import Daybook
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookStore
import Foundation

extension Samples {
    func export() throws -> Measurement {
        let ledger = try Ledger.open(path, readOnly: true)
        let start = ContinuousClock.now
        let count = try write { write in try ledger.export { try write($0) } }
        let measurement = measured(since: start, events: count)
        try ledger.close()
        return measurement
    }

    func records() throws -> Measurement {
        let store = try SQLiteEventStore(path: path, readOnly: true)
        let end = try store.head().checkpoint
        let start = ContinuousClock.now
        var packed = PackedEvents()
        try store.scan(after: .start, through: end, chunkCount: 1_000) { events in
            for index in events.indices { packed.append(events[index]) }
        }
        _ = try write { write in
            try write(packed.events.withUnsafeBytes { Array($0) })
            try write(packed.extensions.withUnsafeBytes { Array($0) })
        }
        let measurement = measured(since: start, events: packed.events.count)
        try store.close()
        return measurement
    }

    /// Writes the file that the first word names.
    /// - Returns: How many pieces it was given.
    private func write(_ body: ((([UInt8]) throws -> Void)) throws -> Void) throws -> Int {
        guard FileManager.default.createFile(atPath: words[0], contents: nil) else {
            throw BenchmarkError("\(words[0]) cannot be written")
        }
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: words[0]))
        var buffer: [UInt8] = []
        var count = 0
        try body { piece in
            buffer += piece
            count += 1
            guard buffer.count > 1 << 20 else { return }
            try file.write(contentsOf: buffer)
            buffer.removeAll(keepingCapacity: true)
        }
        try file.write(contentsOf: buffer)
        try file.close()
        return count
    }

    func month() async throws -> Measurement {
        let app = words[0]
        let catalog = try Fixtures.catalog(app)
        let month = SyntheticMonth(catalog: catalog, seed: 1, subjects: numbers[0])
        let ledger = try Ledger.createEmpty(at: path, app: app) { 0 }
        try await ledger.publish(
            CatalogPublication(document: try Fixtures.catalogDocument(app), effectiveAt: 0))
        let start = ContinuousClock.now
        for indices in batches(0..<month.deliveries.count, 1_000) {
            try await ledger.record(
                Array(month.deliveries[indices]), options: ReportOptions(isAsRecorded: true))
        }
        try ledger.snapshot()
        var measurement = measured(since: start, events: Int(try ledger.head().position))
        try ledger.close()
        try measurement.noteFile(path)
        try measurement.noteDerived(path)
        return measurement
    }
}
