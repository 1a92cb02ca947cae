import Daybook
import DaybookAudit
import DaybookStore
import Foundation

/// What it costs that a history has a name.
extension Samples {
    /// A backup into a new file, verified by the hash.
    func backup() throws -> Measurement {
        let ledger = try Ledger.open(path, readOnly: true)
        let target = words[0]
        try FileManager.default.removeItem(atPath: target, ifThere: true)
        let start = ContinuousClock.now
        let report = try ledger.backUp(to: target)
        var measurement = measured(since: start, events: Int(report.events))
        measurement["file_bytes"] = Double(report.byteCount)
        return measurement
    }

    /// The same file with `cp`, and on the disk.
    func copy() throws -> Measurement {
        let target = words[0]
        try FileManager.default.removeItem(atPath: target, ifThere: true)
        let store = try SQLiteEventStore(path: path, readOnly: true)
        let events = try store.head().position
        try store.close()
        let start = ContinuousClock.now
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", "cp \"$0\" \"$1\" && sync \"$1\"", path, target]
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw BenchmarkError("cp failed") }
        var measurement = measured(since: start, events: Int(events))
        try measurement.noteFile(target)
        return measurement
    }

    /// Every row, name, stream and document hashed and compared.
    func prove() throws -> Measurement {
        let start = ContinuousClock.now
        let point = try Ledger.proveBackup(at: path)
        return measured(since: start, events: Int(point.position))
    }

    /// Everything that `verify` looks at.
    func verifyAll() throws -> Measurement {
        let start = ContinuousClock.now
        let findings = try Ledger.verify(at: path)
        guard findings.allSatisfy(\.isClean) else { throw BenchmarkError("it is not clean") }
        let store = try SQLiteEventStore(path: path, readOnly: true)
        return measured(since: start, events: Int(try store.head().position))
    }
}
