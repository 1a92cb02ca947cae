import ArgumentParser
import Daybook
import DaybookAudit
import Foundation

struct CaptureCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "capture", abstract: "Write what reproduces an answer into one small file.",
        discussion: """
            The events that the answers about some customers rest on, the catalogs in force, versions, and the \
            answers: the status, and what --check asks. From it "replay" gives the same answers anywhere. What became \
            known after --known-at is left out. Tried before it is written: it gives the ledger's answers or is refused.

              daybook capture ada --check stories
              daybook capture ada --redact --output case-17.daybundle

            --redact replaces IDs and texts, the same by the same, and keeps times, amounts and what the catalogs name.

            --as-test writes a stream and its golden state in place of a bundle: the test suite replays every such pair.

              daybook capture ada --redact --as-test lost-access --folder cases
            """)

    @Argument(help: "IDs of the customers.")
    var subjects: [String]

    @Option(help: .value("name", "Also ask for this feature or meter; may be repeated."))
    var check: [String] = []

    @Option(help: .value("n", "With --check: how many units."))
    var amount: Int64 = 1

    @Option(
        help: .value(
            "profile", "With --check: for this profile of the customer, such as a dog or a child."))
    var profile: String?

    @Flag(help: "Replace IDs and free text.")
    var redact = false

    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: .value(
            "file",
            "The file, which must not exist yet; - for the standard output. Default: the app's name and the start of the digest, .daybundle."
        ))
    var outputFile: String?

    @Option(
        help: .value("name", "Write events/APP/NAME.ndjson and snapshots/APP/NAME.json instead."))
    var asTest: String?

    @Option(
        help: .value(
            "folder",
            "With --as-test: the folder of events/ and snapshots/. Default: the current one."))
    var folder: String?

    @OptionGroup var ask: AskOptions

    mutating func validate() throws {
        try require(
            !check.isEmpty || (amount == 1 && profile == nil),
            "--amount and --profile go with --check.")
        try require(asTest != nil || folder == nil, "--folder goes with --as-test.")
        try require(
            asTest == nil || outputFile == nil, "--as-test writes two files; leave out --output.")
        try require(
            outputFile != "-" || !ask.output.json,
            "--output - writes the bundle itself; leave out --json.")
    }

    mutating func run() async throws {
        try Failure.require(
            amount >= 0, .badInput, "amount_out_of_bounds", "--amount \(amount) is below zero")
        let test = try asTest.map { try CapturedTest(name: $0, folder: folder ?? ".") }
        let request = CaptureRequest(
            subjects, environment: ask.environment, moment: try ask.moment.moment(),
            questions: check.map { .init($0, amount: amount, profile: profile) },
            isRedacted: redact, version: DaybookCommand.version)
        let bundle = try await ask.ledger.asking { try await $0.capture(request) }
        if let test {
            try show(bundle, files: try await test.write(bundle, like: try ask.ledger.path()))
        } else if outputFile == "-" {
            try Terminal.output.write(bytes: bundle.bytes)
        } else {
            let path = outputFile ?? "\(bundle.app)-\(bundle.digest.prefix(8)).daybundle"
            try NewFile.check(path)
            try OutputFile.write(
                bundle.bytes, to: path, access: .like(ledger: try ask.ledger.path()))
            try show(bundle, files: [path])
        }
    }

    private func show(_ bundle: ReproBundle, files: [String]) throws {
        try ask.output.show(bundle.json.adding(["files": .texts(files)])) { terminal in
            var text: HumanText = ""
            for file in files { text += "\(terminal.tick) \(terminal.paint(file, .bold))\n" }
            text += "  \(Words.count(bundle.drafts.count, "event"))"
            text += ", at \(Words.time(bundle.at))\n"
            for answer in bundle.answers { text += "  \(answer.subject)  \(answer.sentence)\n" }
            return text
        }
    }
}

/// A file that must not be overwritten.
enum NewFile {
    /// - Throws: A `Failure` when there is a file already; a pipe or a device is none.
    static func check(_ path: String) throws {
        var found = stat()
        guard stat(path, &found) == 0, found.st_mode & S_IFMT == S_IFREG else { return }
        throw Failure(.environment, "file_exists", "\(path) is there already; name another file")
    }
}

/// A stream and its golden state, as the test suite finds them.
struct CapturedTest {
    private let name: String
    private let folder: String

    init(name: String, folder: String) throws {
        let isName = name.wholeMatch(of: /[a-z0-9]+(-[a-z0-9]+)*/) != nil
        try Failure.require(
            isName && name.utf8.count <= 100 && !name.hasPrefix("diverges-"), .badInput,
            "bad_test_name",
            "--as-test \(name): write lower-case words with hyphens, such as lost-access; diverges-… is for goldens that must differ"
        )
        self.name = name
        self.folder = folder
    }

    /// - Returns: The two files.
    func write(_ bundle: ReproBundle, like ledger: String) async throws -> [String] {
        let stream = "\(folder)/events/\(bundle.app)/\(name).ndjson"
        let golden = "\(folder)/snapshots/\(bundle.app)/\(name).json"
        for file in [stream, golden] { try NewFile.check(file) }
        let state = try await LedgerOptions.using(try await bundle.ledger()) { ledger in
            try GoldenState(ledger: ledger, drafts: bundle.drafts).object()
        }
        for folder in ["events", "snapshots"] {
            try OutputFile.makeFolder("\(self.folder)/\(folder)/\(bundle.app)")
        }
        let access = OutputFile.Access.like(ledger: ledger)
        try OutputFile.write(GoldenLayout.bytes(of: state), to: golden, access: access)
        do {
            try OutputFile.write(
                bundle.drafts.flatMap { $0.recordedLine + [0x0A] }, to: stream, access: access)
        } catch {
            // A golden without its stream would fail the suite.
            unlink(golden)
            throw error
        }
        return [stream, golden]
    }
}
