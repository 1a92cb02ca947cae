import Foundation

/// Writes a file, and says what is wrong when that cannot be done.
enum OutputFile {
    static func write(_ bytes: [UInt8], to path: String) throws {
        do {
            try Data(bytes).write(to: URL(filePath: path), options: .atomic)
        } catch {
            throw Failure(
                .environment, "unwritable",
                "\(path) cannot be written: \(error.localizedDescription)")
        }
    }

    static func makeFolder(_ path: String) throws {
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true)
        } catch {
            throw Failure(
                .environment, "unwritable",
                "the folder \(path) cannot be made: \(error.localizedDescription)")
        }
    }
}

/// Lines on their way to a file or to the standard output, in large pieces.
final class LineWriter {
    private var pending: [UInt8] = []
    private let handle: FileHandle?

    private static let pieceByteCount = 1 << 16

    /// - Parameter path: `nil`: the standard output.
    init(_ path: String?) throws {
        guard let path else {
            handle = nil
            return
        }
        guard FileManager.default.createFile(atPath: path, contents: nil),
            let handle = FileHandle(forWritingAtPath: path)
        else {
            throw Failure(
                .environment, "unwritable",
                "\(path) cannot be written; check the folder and its permissions")
        }
        self.handle = handle
    }

    func write(_ line: [UInt8]) throws {
        pending += line
        if pending.count >= Self.pieceByteCount { try flush() }
    }

    func flush() throws {
        defer { pending.removeAll(keepingCapacity: true) }
        guard let handle else { return Terminal.output.write(pending) }
        do {
            try handle.write(contentsOf: Data(pending))
        } catch {
            throw Failure(
                .environment, "unwritable",
                "the file cannot be written: \(error.localizedDescription)")
        }
    }

    func close() throws {
        try flush()
        try handle?.close()
    }
}
