import DaybookEvents
import DaybookFixtures
import Foundation
import Testing

/// What one run of `daybook` came to.
struct ToolResult: Sendable {
    var status: Int32
    var output: String
    var errors: String

    /// The one line of JSON on the standard output.
    var json: JSONObject {
        get throws { try #require(try JSONReader.read(Array(output.utf8)).object) }
    }

    /// The error object, which is the last line of the standard error.
    var error: JSONObject {
        get throws {
            let line = try #require(errors.split(separator: "\n").last)
            let object = try JSONReader.read(Array(line.utf8)).object
            return try #require(object?["error"]?.object)
        }
    }
}

extension JSONObject {
    /// `display.text`
    func at(_ path: String) -> JSONValue? {
        var value: JSONValue? = .object(self)
        for name in path.split(separator: ".") { value = value?.object?[String(name)] }
        return value
    }
}

/// A temporary folder in which the built `daybook` runs.
final class Workbench: Sendable {
    let folder: String

    static let repository = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .path
    static let dozzi = "\(repository)/events/dozzi/catalog.yaml"
    static let fork = "\(repository)/events/fork-in-the-road/catalog.yaml"
    static let nuzzle = "\(repository)/events/nuzzle/catalog.yaml"
    static let ollie = "\(repository)/events/ollie/catalog.yaml"
    static let magical = "\(repository)/events/magical-stories/catalog.yaml"

    /// The built program stands beside the tests.
    static let program: String = {
        for start in [CommandLine.arguments[0], Bundle.main.bundlePath] {
            var path = URL(filePath: start)
            while path.path != "/" {
                path = path.deletingLastPathComponent()
                let candidate = path.appending(path: "daybook").path
                var isFolder: ObjCBool = false
                let isThere = FileManager.default.fileExists(
                    atPath: candidate, isDirectory: &isFolder)
                if isThere, !isFolder.boolValue { return candidate }
            }
        }
        return "daybook-is-not-built"
    }()

    init() throws {
        folder =
            FileManager.default.temporaryDirectory.appending(
                path: "daybook-cli-\(UUID().uuidString)"
            ).path
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    func path(_ name: String) -> String { "\(folder)/\(name)" }

    func write(_ text: String, to name: String) throws {
        try text.write(toFile: path(name), atomically: true, encoding: .utf8)
    }

    func text(of name: String) throws -> String {
        try String(contentsOfFile: path(name), encoding: .utf8)
    }

    func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: path(name)) }

    /// Prepares a run; the streams go to files, which never block the program.
    func command(
        _ arguments: [String], environment: [String: String] = [:], input: String? = nil
    ) throws -> (command: ChildCommand, name: String) {
        let name = "run-\(UUID().uuidString)"
        var command = ChildCommand(Self.program, arguments)
        command.folder = folder
        let variables = ["PATH": "/usr/bin:/bin", "TZ": "UTC", "HOME": folder]
        command.environment = variables.merging(environment) { _, new in new }
        for suffix in ["out", "err"] { try write("", to: "\(name).\(suffix)") }
        command.output = .file(path("\(name).out"))
        command.errors = .file(path("\(name).err"))
        try write(input ?? "", to: "\(name).in")
        command.input = .file(path("\(name).in"))
        return (command, name)
    }

    func result(of process: ChildProcess, _ name: String) throws -> ToolResult {
        ToolResult(
            status: process.wait(), output: try text(of: "\(name).out"),
            errors: try text(of: "\(name).err"))
    }

    /// Removes the files of a run, where thousands would pile up.
    func forget(_ name: String) {
        for suffix in ["in", "out", "err"] {
            // One that is not there any more is as good as removed.
            try? FileManager.default.removeItem(atPath: path("\(name).\(suffix)"))
        }
    }

    /// Runs the program with words that hold no spaces.
    func run(
        _ line: String, environment: [String: String] = [:], input: String? = nil
    ) throws -> ToolResult {
        let arguments = line.split(separator: " ").map(String.init)
        return try run(arguments, environment: environment, input: input)
    }

    func run(
        _ arguments: [String], environment: [String: String] = [:], input: String? = nil
    ) throws -> ToolResult {
        let (command, name) = try command(arguments, environment: environment, input: input)
        return try result(of: command.start(), name)
    }

    /// Runs the program where no file may grow beyond a size.
    func run(_ line: String, fileByteCountMax: Int) throws -> ToolResult {
        let words = line.split(separator: " ").map(String.init)
        var (command, name) = try command(words)
        command.program = "/bin/sh"
        // POSIX counts in blocks of 512 bytes.
        let script = "ulimit -f \(fileByteCountMax / 512); exec \"$0\" \"$@\""
        command.arguments = ["-c", script, Self.program] + words
        return try result(of: command.start(), name)
    }

    /// Runs a script of the shell, with `daybook` on the path and the repository's `events/` and `datasets/`.
    func shell(_ script: String, environment: [String: String] = [:]) throws -> ToolResult {
        for name in ["events", "datasets"] where !exists(name) {
            try FileManager.default.createSymbolicLink(
                atPath: path(name), withDestinationPath: "\(Self.repository)/\(name)")
        }
        let program = URL(filePath: Self.program).deletingLastPathComponent().path
        let variables = ["PATH": "\(program):/usr/bin:/bin", "TMPDIR": folder]
            .merging(environment) { _, new in new }
        var (command, name) = try command(["-c", script], environment: variables)
        command.program = "/bin/bash"
        return try result(of: command.start(), name)
    }

    /// Makes a ledger `a.sqlite` and answers with its path.
    /// - Parameter at: When its catalog is recorded, for events that keep older times.
    @discardableResult
    func begin(
        _ catalog: String = Workbench.dozzi, name: String = "a.sqlite", at: String? = nil
    ) throws -> String {
        let time = at.map { ["--at", $0] } ?? []
        let made = try run(["init", path(name), "--catalog", catalog] + time)
        try #require(made.status == 0, "\(made.errors)")
        return path(name)
    }

    /// The exported events of a ledger.
    func events(_ name: String = "a.sqlite") throws -> [JSONObject] {
        let exported = try run(["export", "--ledger", path(name)])
        try #require(exported.status == 0, "\(exported.errors)")
        return try exported.output.split(separator: "\n").map {
            try #require(try JSONReader.read(Array($0.utf8)).object)
        }
    }
}

/// A workbench with a ledger of Dozzi, and commands about that ledger.
struct LedgerBench {
    let bench: Workbench
    let ledger: String

    init() throws {
        bench = try Workbench()
        ledger = try bench.begin()
    }

    /// Runs the program with these words and the ledger.
    func tell(_ words: [String]) throws -> ToolResult {
        try bench.run(words + ["--ledger", ledger])
    }
}

/// Events as lines.
enum Lines {
    static func usage(
        _ ref: String, subject: String = "ada", at instant: Int64 = 1_767_225_600_000,
        amount: Int64 = 1
    ) -> String {
        """
        {"type":"usage.recorded","v":1,"environment":"production","subject":"\(subject)",\
        "occurred_at":\(instant),"source":{"kind":"native","key":"\(ref)"},"trust":"imported",\
        "data":{"meter":"stories","amount":\(amount),"ref":"\(ref)"}}

        """
    }

    static func purchase(_ subject: String, at instant: Int64 = 1_767_312_000_000) -> String {
        """
        {"type":"purchase.completed","v":1,"subject":"\(subject)","occurred_at":\(instant),\
        "source":{"kind":"apple","key":"buy-\(subject)"},"trust":"verified","data":{\
        "product":"com.dozzi.unlimited_stories","kind":"non_consumable",\
        "transaction_id":"2000-\(subject)","price_milli":2990,"currency":"USD"}}

        """
    }

    static func refund(_ subject: String, at instant: Int64 = 1_767_398_400_000) -> String {
        """
        {"type":"purchase.refunded","v":1,"subject":"\(subject)","occurred_at":\(instant),\
        "source":{"kind":"apple","key":"refund-\(subject)"},"trust":"verified","data":{\
        "transaction_id":"2000-\(subject)","revoked_at":\(instant)}}

        """
    }
}

extension String {
    /// Short, so that expectations fit on a line.
    func has(_ part: String) -> Bool { contains(part) }
}
