import ArgumentParser
import Daybook
import DaybookEvents
import DaybookIngest

struct IngestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ingest", abstract: "Take in what the App Store signed.",
        discussion: """
            Every signed text is verified (format, certificates, signature, app, environment), mapped and recorded \
            with its bytes; the same again appends nothing. What is refused changes nothing and is kept with the \
            reason ("daybook dead-letters"); then the exit code is 3.

            A file holds one body: a signed text, a notification's JSON, a page of the history; or one of these a line.

              daybook ingest notification.json --bundle-id com.dozzi.app \\
                --root sandbox.pem --env test
              daybook ingest purchase.jws --as app-store-transaction \\
                --subject ada --bundle-id com.dozzi.app --root sandbox.pem --env test
            """)

    @Argument(help: "The files, or - for the standard input.")
    var files: [String]

    @Option(
        name: .customLong("as"),
        help: "What a body is that is nothing but a signed text.")
    var kind: AppStorePayloadKind = .notification

    @Option(
        help: ArgumentHelp(
            "The customer who posts a transaction of their own.", valueName: "subject"))
    var subject: String?

    @Option(
        help: ArgumentHelp(
            "What they say they bought; a transaction of another product is refused.",
            valueName: "product"))
    var product: String?

    @Flag(help: "Verify and map, and append nothing.")
    var dryRun = false

    @OptionGroup var verifier: VerifierOptions
    @OptionGroup var environment: EnvironmentOption
    @OptionGroup var ledger: LedgerOptions
    @OptionGroup var output: OutputOptions

    mutating func run() async throws {
        let verifier = try verifier.verifier(environment.environment)
        let options = IngestOptions(
            kind: kind, subject: subject, product: product, isDryRun: dryRun)
        let inputs = try files.map { try InputFile($0) }
        var sum = IngestReceipt()
        let work: (Ledger) async throws -> Void = { ledger in
            for input in inputs {
                for body in Self.bodies(try input.all()) {
                    sum.add(try await ledger.ingest(body, by: verifier, options: options))
                }
            }
        }
        if dryRun { try await ledger.asking(work) } else { try await ledger.writing(work) }
        try output.show(sum.json) { sum.text($0, isDryRun: dryRun) }
        if !sum.refused.isEmpty { throw ExitCode.badInput }
    }

    /// A file that is one JSON object over several lines is one body; else every line that is not blank is.
    static func bodies(_ bytes: [UInt8]) -> [[UInt8]] {
        if (try? JSONReader.read(bytes)) != nil { return [bytes] }
        return bytes.split(separator: 0x0A).map(Array.init).filter { line in
            !line.allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
        }
    }
}

extension IngestReceipt {
    mutating func add(_ other: IngestReceipt) {
        texts += other.texts
        appended += other.appended
        duplicates += other.duplicates
        firstPosition = firstPosition ?? other.firstPosition
        lastPosition = other.lastPosition ?? lastPosition
        refused += other.refused
    }

    var json: JSONObject {
        [
            "texts": .integer(Int64(texts)), "appended": .integer(Int64(appended)),
            "duplicates": .integer(Int64(duplicates)),
            "first_position": .orNull(firstPosition), "last_position": .orNull(lastPosition),
            "refused": .array(
                refused.map { .object($0.json) }),
        ]
    }

    func text(_ terminal: Terminal, isDryRun: Bool) -> HumanText {
        let mark = refused.isEmpty ? terminal.tick : terminal.paint("✗", .bad)
        var text: HumanText =
            "\(mark) \(Words.count(Int64(texts), "signed text")), \(Words.count(Int64(appended), "event")) appended"
        if duplicates > 0 { text += ", \(Words.count(Int64(duplicates), "event")) there already" }
        if isDryRun { text += "; a dry run: nothing is written" }
        text += "\n"
        for refusal in refused {
            text += "  refused  \(refusal.sentence)\n"
        }
        return text
    }
}

extension IngestReceipt.RefusedText {
    var json: JSONObject {
        [
            "place": .string(place), "code": .string(refusal.reason.rawValue),
            "reason": .string(refusal.detail), "sha256": .string(sha256),
        ]
    }

    /// `signedTransactions[3]: chain: … · 3f1c…`.
    var sentence: String {
        (place.isEmpty ? "" : "\(place): ") + "\(refusal.description) · \(sha256.prefix(12))"
    }
}
