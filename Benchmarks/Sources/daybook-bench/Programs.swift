import Foundation
import Synchronization

/// Something that keeps the benchmark from giving a number.
struct BenchmarkError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

/// Why there is no number this time, and not because something went wrong.
struct Skipped: Error {
    let reason: String
}

/// A number that is not there: the report says why.
struct Omission: Hashable {
    let reason: String
    let isFailure: Bool

    /// - Parameter what: Which of several numbers; empty for a line's only one.
    init(_ error: any Error, of what: String = "") {
        let skipped = error as? Skipped
        isFailure = skipped == nil
        reason = (what.isEmpty ? "" : what + ", ") + (skipped?.reason ?? "failed, \(error)")
    }
}

/// The programs that are compared, run one sample at a time.
struct Programs {
    let raw: String
    let ours: String
    /// The command that is served by.
    let server: String
    /// The generator of load, and what it is told; `nil` where it is not there.
    let wrk: String?
    let script: String
    /// The Python that has the peer's package, and the peer's program; `nil` without them.
    let peer: (python: String, program: String)?
    /// Where the samples put their files; on the disk that is to be measured.
    let folder: String
    /// When the whole run must be over; what would begin later is left out.
    let deadline: ContinuousClock.Instant
    /// No sample takes longer.
    static let sampleSecondsMax = 420.0

    func path(_ name: String) -> String { folder + "/" + name + ".sqlite" }

    func runRaw(_ arguments: String...) throws -> Measurement { try sample(raw, arguments) }

    func runOurs(_ arguments: String...) throws -> Measurement { try runOurs(arguments) }

    func runOurs(_ arguments: [String]) throws -> Measurement {
        try sample(ours, ["sample"] + arguments)
    }

    /// The same with memory in large pages, as a replay asks for its own.
    func runInLargePages(_ arguments: String...) throws -> Measurement {
        try sample(
            ours, ["sample"] + arguments,
            environment: ["GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"])
    }

    func runPeer(_ arguments: [String]) throws -> Measurement {
        guard let peer else {
            throw Skipped(reason: "python3, or its package eventsourcing, is not there")
        }
        return try sample(peer.python, ["-B", peer.program] + arguments)
    }

    /// A program that writes its numbers as samples do, among other lines.
    func run(_ program: String, _ arguments: [String]) throws -> Measurement {
        try sample(program, arguments)
    }

    /// What a program says about its own version.
    func version(_ program: String, _ arguments: String...) throws -> String {
        try output(of: program, arguments).text.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Removes a ledger and whatever lies beside it.
    func remove(_ name: String) throws {
        for suffix in ["", "-wal", "-shm", ".lock", ".snapshots"] {
            try FileManager.default.removeItem(atPath: path(name) + suffix, ifThere: true)
        }
    }

    /// Copies a closed ledger and what is derived from it.
    func copy(_ name: String, to other: String) throws {
        try remove(other)
        for suffix in ["", "-wal", ".snapshots"] {
            let source = path(name) + suffix
            guard FileManager.default.fileExists(atPath: source) else { continue }
            try FileManager.default.copyItem(atPath: source, toPath: path(other) + suffix)
        }
    }

    /// - Parameter environment: Variables that are set besides.
    private func sample(
        _ program: String, _ arguments: [String], environment: [String: String] = [:]
    ) throws -> Measurement {
        // What earlier samples left to the disk must not slow this one's commits.
        sync()
        let (text, seconds) = try output(of: program, arguments, environment)
        let marker = "skipped "
        if text.hasPrefix(marker) {
            throw Skipped(
                reason: text.dropFirst(marker.count).trimmingCharacters(in: .whitespacesAndNewlines)
            )
        }
        var measurement = Measurement(lines: text)
        measurement["process_seconds"] = seconds
        return measurement
    }

    private func output(
        of program: String, _ arguments: [String], _ environment: [String: String] = [:]
    ) throws -> (text: String, seconds: Double) {
        let start = ContinuousClock.now
        let limit = min(Self.sampleSecondsMax, (deadline - start) / .seconds(1))
        guard limit > 0 else { throw Skipped(reason: "no time was left") }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let isLate = Mutex(false)
        let stop = DispatchWorkItem {
            isLate.withLock { $0 = true }
            process.terminate()
        }
        DispatchQueue.global().asyncAfter(deadline: .now() + limit, execute: stop)
        let bytes = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        stop.cancel()
        guard !isLate.withLock({ $0 }) else {
            throw Skipped(reason: "stopped after \(Figure.decimal(limit, 0)) s")
        }
        guard process.terminationStatus == 0 else {
            throw BenchmarkError(
                "\(arguments.joined(separator: " ")) ended with \(process.terminationStatus)")
        }
        return (String(decoding: bytes, as: UTF8.self), start.secondsSince)
    }
}

extension FileManager {
    func removeItem(atPath path: String, ifThere: Bool) throws {
        if ifThere, !fileExists(atPath: path) { return }
        try removeItem(atPath: path)
    }
}
