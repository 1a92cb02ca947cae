import ArgumentParser
import Foundation

/// A program that compresses its standard input to its standard output.
enum Compression: String, CaseIterable, ExpressibleByArgument {
    case gzip, zstd

    /// What the names of its files end with.
    var suffix: String {
        switch self {
        case .gzip: ".gz"
        case .zstd: ".zst"
        }
    }

    /// - Throws: A `Failure` where there is no such program.
    func confirm() throws { _ = try path }

    fileprivate var path: String {
        get throws {
            let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
            for folder in folders where access("\(folder)/\(rawValue)", X_OK) == 0 {
                return "\(folder)/\(rawValue)"
            }
            throw Failure(
                .environment, "no_program",
                "--compress \(rawValue) needs the program \(rawValue), which is not installed here")
        }
    }
}

/// Bytes on their way through a compressing program into a file.
final class CompressingFilter {
    private let program: Compression
    private let process = Process()
    private let pipe = Pipe()
    private let input: Descriptor
    private var isOpen = true

    init(_ program: Compression, to file: OutputFile) throws {
        self.program = program
        process.executableURL = URL(filePath: try program.path)
        process.arguments = ["-c"]
        process.standardInput = pipe
        process.standardOutput = FileHandle(
            fileDescriptor: file.descriptor.number, closeOnDealloc: false)
        input = Descriptor(
            number: pipe.fileHandleForWriting.fileDescriptor, name: program.rawValue)
        do {
            try process.run()
        } catch {
            isOpen = false
            throw Failure(
                .environment, "no_program",
                "\(program.rawValue) cannot be started: \(error.localizedDescription)")
        }
    }

    deinit {
        guard isOpen else { return }
        // It ends when its input does; what it wrote is thrown away with the file.
        try? pipe.fileHandleForWriting.close()
        if process.isRunning { process.terminate() }
    }

    func write(_ bytes: [UInt8]) throws {
        do {
            try input.write(bytes)
        } catch is ReaderIsGone {
            throw failure
        }
    }

    /// Ends the input; everything is in the file then.
    /// - Throws: A `Failure` where the program failed.
    func finish() throws {
        isOpen = false
        try? pipe.fileHandleForWriting.close()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw failure }
    }

    /// Why, the program has said on the standard error.
    private var failure: Failure {
        Failure(
            .environment, "unwritable",
            "\(program.rawValue) ended before everything was compressed; the file was not written")
    }
}
