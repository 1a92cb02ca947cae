import ArgumentParser
import Daybook
import DaybookEvents
import DaybookIngest
import Foundation

struct DeadLettersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dead-letters", abstract: "What could not be read or verified.",
        discussion: """
            Kept with its exact bytes and the reason. A letter is resolved when a later try took it in.

              daybook dead-letters list
              daybook dead-letters show 3f1c
              daybook dead-letters retry --bundle-id com.dozzi.app \\
                --root sandbox.pem --env test

            Each subcommand takes --json.
            """,
        subcommands: [List.self, Show.self, Retry.self], defaultSubcommand: List.self)

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "The letters that wait.",
            discussion: """
                  daybook dead-letters list
                  daybook dead-letters list --all --json
                """)

        @Flag(help: "Also those that were taken in since.")
        var all = false

        @OptionGroup var ledger: LedgerOptions
        @OptionGroup var output: OutputOptions

        mutating func run() async throws {
            let letters = try await ledger.asking { try $0.deadLetters() }
                .filter { all || $0.resolvedAt == nil }
            try output.show(["letters": .array(letters.map { .object($0.json) })]) { terminal in
                guard !letters.isEmpty else { return "\(terminal.tick) no dead letters\n" }
                var table = Table()
                for letter in letters {
                    table.add(
                        .init(String(letter.sha256.prefix(12))),
                        .init(Words.time(letter.recordedAt)),
                        .init(letter.resolvedAt == nil ? letter.code : "resolved"),
                        .init(letter.detail))
                }
                return table.text(terminal)
            }
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "A letter's exact bytes, on the standard output.",
            discussion: """
                With --json: what is known of it, and the bytes in base64.

                  daybook dead-letters show 3f1c
                  daybook dead-letters show 3f1c --json
                """)

        @Argument(help: "The beginning of its SHA-256.")
        var sha256: String

        @OptionGroup var ledger: LedgerOptions
        @OptionGroup var output: OutputOptions

        mutating func run() async throws {
            let (letter, bytes) = try await ledger.asking { ledger in
                let letter = try DeadLettersCommand.find(sha256, ledger)
                return (letter, try ledger.rawBody(sha256: letter.sha256) ?? [])
            }
            guard output.json else { return try Terminal.output.write(bytes: bytes) }
            var answer = letter.json
            answer["body_base64"] = .string(Data(bytes).base64EncodedString())
            try Terminal.output.write(answer)
        }
    }

    struct Retry: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Try waiting letters again, as if they came now.",
            discussion: """
                  daybook dead-letters retry --bundle-id com.dozzi.app \\
                    --root sandbox.pem --env test
                """)

        @Argument(help: "The beginning of a SHA-256. Default: all that wait.")
        var sha256: String?

        @OptionGroup var verifier: VerifierOptions
        @OptionGroup var environment: EnvironmentOption
        @OptionGroup var ledger: LedgerOptions
        @OptionGroup var output: OutputOptions

        mutating func run() async throws {
            let verifier = try verifier.verifier(environment.environment)
            let environment = environment.environment
            let chosen = sha256
            var sum = IngestReceipt()
            try await ledger.writing { ledger in
                let letters =
                    try chosen.map { [try DeadLettersCommand.find($0, ledger)] }
                    ?? ledger.deadLetters(environment: environment).filter { $0.resolvedAt == nil }
                for letter in letters {
                    sum.add(try await ledger.retry(letter, by: verifier))
                }
            }
            try output.show(sum.json) { sum.text($0, isDryRun: false) }
            if !sum.refused.isEmpty { throw ExitCode.badInput }
        }
    }

    static func find(_ prefix: String, _ ledger: Ledger) throws -> DeadLetter {
        let found = try ledger.deadLetters().filter { $0.sha256.hasPrefix(prefix.lowercased()) }
        guard let letter = found.first, found.count == 1 else {
            throw Failure(
                .no, "unknown_letter",
                found.isEmpty
                    ? "no letter's SHA-256 begins with \(prefix)"
                    : "\(found.count) letters begin with \(prefix); write more of it")
        }
        return letter
    }
}

extension DeadLetter {
    var json: JSONObject {
        [
            "sha256": .string(sha256), "position": .integer(position),
            "recorded_at": .integer(recordedAt), "environment": .string(environment.name),
            "code": .string(code), "reason": .string(detail), "kind": .string(kind.argument),
            "subject": .orNull(subject), "resolved_at": .orNull(resolvedAt),
        ]
    }
}
