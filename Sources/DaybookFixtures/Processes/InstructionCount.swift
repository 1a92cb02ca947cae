import Foundation

/// How many instructions a piece of work takes, as valgrind counts them: the same on every run, which seconds are not.
///
/// The work is done by the program `DaybookSamples`, a few times and more often; the difference of the two counts is
/// the work alone, without the start of the program and what it needs to begin.
public struct InstructionCount: Sendable {
    /// What one piece of work may take: a line of `Benchmarks/instructions.txt`.
    public struct Threshold: Sendable {
        /// Of the sample.
        public var name: String
        /// For each piece, as measured when the line was written.
        public var instructions: Double
        /// By how many per cent more may be counted.
        public var tolerancePercent: Double

        /// The most that may be counted for each piece.
        public var limit: Double { instructions * (1 + tolerancePercent / 100) }
    }

    /// Why nothing was counted.
    public struct Failure: Error, CustomStringConvertible {
        /// What failed, or which tool is missing.
        public var description: String
        /// Whether the machine lacks a tool.
        public var isSkipped = false
    }

    /// What is counted, and how much of it: a few pieces, and more.
    private static let samples: [String: (words: [String], few: Int, many: Int)] = [
        "fold": (["20000", "2000"], 1, 4),
        "fold-month": (["100"], 1, 4),
        "check": ([], 400, 2_000),
        "check-first": ([], 50, 350),
        "check-again": ([], 20, 200),
        "history": ([], 4, 20),
        "consume": ([], 100, 400),
        "consume-together": ([], 2, 6),
        "consume-following": ([], 2, 6),
        "record": ([], 2, 8),
        "replay-rows": ([], 1, 3),
        "replay-segments": ([], 1, 4),
    ]

    private let program: String
    private let folder: String

    /// - Parameters:
    ///   - program: The path of the built `DaybookSamples`.
    ///   - folder: An existing folder for ledgers and for the program without its debugging information.
    /// - Throws: `Failure` where valgrind or strip is not installed.
    public init(program: String, folder: String) async throws {
        self.folder = folder
        // Valgrind cannot read the newest debugging information, and needs none.
        self.program = folder + "/DaybookSamples-bare"
        let (status, text) = try await Self.run(
            ["strip", "--strip-debug", "-o", self.program, program], folder)
        guard status == 0 else { throw Failure(description: "strip: \(text)", isSkipped: true) }
        guard try await Self.run(["valgrind", "--version"], folder).status == 0 else {
            throw Failure(description: "there is no valgrind", isSkipped: true)
        }
    }

    /// The thresholds of a file: lines of a sample's name, instructions for each piece, and a tolerance in per cent.
    public static func thresholds(_ path: String) throws -> [Threshold] {
        let text = try String(contentsOfFile: path, encoding: .utf8)
        return try text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
            let parts = line.split(separator: " ")
            guard parts.count == 3, let instructions = Double(parts[1]),
                let tolerance = Double(parts[2]), samples[String(parts[0])] != nil
            else {
                throw Failure(description: "\(path): \"\(line)\" is no sample and two numbers")
            }
            return Threshold(
                name: String(parts[0]), instructions: instructions, tolerancePercent: tolerance)
        }
    }

    /// The instructions of one piece of a sample's work.
    /// - Parameter name: Of a line of the thresholds.
    public func perPiece(_ name: String) async throws -> Double {
        guard let sample = Self.samples[name] else {
            throw Failure(description: "there is no sample \(name)")
        }
        // The ledger that reading samples look at.
        let ledger = folder + "/\(name).sqlite"
        let (status, text) = try await Self.run([program, "make", ledger], folder)
        guard status == 0 else { throw Failure(description: "make: \(text)") }
        let few = try await counted(name, ledger, sample.words, sample.few)
        let many = try await counted(name, ledger, sample.words, sample.many)
        guard many.pieces > few.pieces else {
            throw Failure(description: "\(name) did not do what was asked")
        }
        return (many.instructions - few.instructions) / (many.pieces - few.pieces)
    }

    private func counted(
        _ name: String, _ ledger: String, _ words: [String], _ count: Int
    ) async throws -> (instructions: Double, pieces: Double) {
        let (status, text) = try await Self.run(
            ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", program, name]
                + [ledger] + words + [String(count)], folder)
        guard status == 0, let instructions = Self.number(behind: "Collected :", in: text),
            let pieces = Self.number(behind: "pieces ", in: text)
        else { throw Failure(description: "valgrind did not count \(name): \(text.suffix(800))") }
        return (instructions, pieces)
    }

    private static func number(behind mark: String, in text: String) -> Double? {
        guard let place = text.range(of: mark) else { return nil }
        return text[place.upperBound...].split(whereSeparator: \.isWhitespace).first
            .flatMap { Double($0) }
    }

    /// Waits without a thread of the pool, which others need: a count takes seconds.
    /// - Returns: What a program ended with, and all that it said.
    private static func run(
        _ arguments: [String], _ folder: String
    ) async throws -> (status: Int32, text: String) {
        var command = ChildCommand("/usr/bin/env", arguments)
        // Else sets and dictionaries differ from run to run, and with them the count by some per cent.
        command.environment = ProcessInfo.processInfo.environment.merging([
            "SWIFT_DETERMINISTIC_HASHING": "1"
        ]) { $1 }
        let output = "\(folder)/output-\(UUID().uuidString).txt"
        _ = FileManager.default.createFile(atPath: output, contents: nil)
        defer { try? FileManager.default.removeItem(atPath: output) }
        command.output = .file(output)
        command.errors = .file(output)
        let status = try await command.start().end()
        return (status, try String(contentsOfFile: output, encoding: .utf8))
    }
}
