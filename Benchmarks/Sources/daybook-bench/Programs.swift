import Foundation

/// Something that keeps the benchmark from giving a number.
struct BenchmarkError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

/// The two programs that are compared, run one sample at a time.
struct Programs {
    let raw: String
    let ours: String
    /// Where the samples put their files; on the disk that is to be measured.
    let folder: String

    func path(_ name: String) -> String { folder + "/" + name + ".sqlite" }

    func runRaw(_ arguments: String...) throws -> Measurement {
        Measurement(lines: try output(of: raw, arguments))
    }

    func runOurs(_ arguments: String...) throws -> Measurement {
        Measurement(lines: try output(of: ours, ["sample"] + arguments))
    }

    func sqliteVersion() throws -> String {
        try output(of: raw, ["version"]).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Removes a ledger and whatever lies beside it.
    func remove(_ name: String) throws {
        for suffix in ["", "-wal", "-shm", ".lock", ".snapshots"] {
            try FileManager.default.removeItem(atPath: path(name) + suffix, ifThere: true)
        }
    }

    private func output(of program: String, _ arguments: [String]) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let bytes = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw BenchmarkError(
                "\(arguments.joined(separator: " ")) ended with \(process.terminationStatus)")
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension FileManager {
    func removeItem(atPath path: String, ifThere: Bool) throws {
        if ifThere, !fileExists(atPath: path) { return }
        try removeItem(atPath: path)
    }
}
