import ArgumentParser
import Daybook
import DaybookEvents
import DaybookIngest
import Foundation

struct DeadLettersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dead-letters", abstract: "What could not be read or verified.",
        discussion: """
            Kept with its exact bytes and the reason. A letter is resolved when the same bytes are taken in later: \
            posted again, tried again, or, of a renewal that came too early, by itself with its transaction. What \
            nobody will take in is dismissed with a reason; nothing is deleted.

              daybook dead-letters list
              daybook dead-letters show 3f1c
              daybook dead-letters retry --bundle-id com.dozzi.app \\
                --root sandbox.pem --env test
              daybook dead-letters dismiss 3f1c --reason "another app's"

            Each subcommand takes --json.
            """,
        subcommands: [List.self, Show.self, Retry.self, Dismiss.self], defaultSubcommand: List.self)

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "The letters that wait.",
            discussion: """
                  daybook dead-letters list
                  daybook dead-letters list --all --json
                """)

        @Flag(help: "Also those that were taken in or dismissed since.")
        var all = false

        @OptionGroup var ledger: LedgerOptions
        @OptionGroup var output: OutputOptions

        mutating func run() async throws {
            let letters = try await ledger.asking { try $0.deadLetters() }
                .filter { all || $0.isWaiting }
            try output.show(["letters": .array(letters.map { .object($0.json) })]) { terminal in
                guard !letters.isEmpty else { return "\(terminal.tick) no dead letters\n" }
                var table = Table()
                for letter in letters {
                    table.add(
                        .init(String(letter.sha256.prefix(12))),
                        .init(Words.time(letter.recordedAt)),
                        .init(letter.environment.name), .init(letter.kind.argument),
                        .init(letter.standing), .init(letter.dismissal?.reason ?? letter.detail))
                }
                return table.text(terminal)
            }
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "A letter's exact bytes, on the standard output.",
            discussion: """
                The body as it was posted, with the text that was refused in it. With --json: what is known of the \
                letter, where in the body the text stands, and the bytes in base64.

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
                return (letter, try ledger.rawBody(sha256: letter.bodySHA256) ?? [])
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
                What RevenueCat sent is tried without --bundle-id and --root.

                  daybook dead-letters retry --bundle-id com.dozzi.app \\
                    --root sandbox.pem --env test
                """)

        @Argument(help: "The beginning of a SHA-256. Default: all that wait.")
        var sha256: String?

        @Option(
            name: .customLong("as"),
            help: ArgumentHelp(
                "What the text is, where it was posted as something else.", valueName: "kind"))
        var kind: BodyKind?

        @OptionGroup var verifier: VerifierOptions
        @OptionGroup var environment: EnvironmentOption
        @OptionGroup var ledger: LedgerOptions
        @OptionGroup var output: OutputOptions

        mutating func run() async throws {
            let environment = environment.environment
            let (chosen, options) = (sha256, verifier)
            let signedKind = try signedKind()
            var sum = IngestReceipt()
            try await ledger.writing { ledger in
                let letters =
                    try chosen.map { [try DeadLettersCommand.find($0, ledger, environment)] }
                    ?? ledger.deadLetters(environment: environment).filter(\.isWaiting)
                // What nobody signs needs neither roots nor a bundle identifier.
                let isSigned = letters.contains(where: \.kind.isSigned)
                let verifier = isSigned ? try options.verifier(environment) : nil
                for letter in letters {
                    sum.add(try await ledger.retry(letter, by: verifier, as: signedKind))
                }
            }
            try output.show(sum.json) { sum.text($0, "text", isDryRun: false) }
            if let failure = sum.failure("text", isDryRun: false) { throw failure }
        }

        private func signedKind() throws -> AppStorePayloadKind? {
            guard let kind else { return nil }
            guard sha256 != nil, case .appStore(let signed) = kind else {
                throw Failure(
                    .usage, "no_kind",
                    "--as says what one letter of the App Store is; name the letter, and a kind that Apple signs"
                )
            }
            return signed
        }
    }

    struct Dismiss: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Put a letter away that nobody will take in.",
            discussion: """
                It stays, with its bytes and the reason (list --all), and can still be tried.

                  daybook dead-letters dismiss 3f1c --reason "another app's" --actor kim
                """)

        @Argument(help: "The beginning of its SHA-256.")
        var sha256: String

        @Option(help: ArgumentHelp("Why; it stays in the history.", valueName: "text"))
        var reason: String

        @Option(help: ArgumentHelp("Who decided it.", valueName: "name"))
        var actor: String?

        @OptionGroup var ledger: LedgerOptions
        @OptionGroup var output: OutputOptions

        mutating func run() async throws {
            let (prefix, reason, actor) = (sha256, reason, actor)
            var letter: DeadLetter?
            try await ledger.writing { ledger in
                let found = try DeadLettersCommand.find(prefix, ledger)
                try await ledger.dismiss(found, reason: reason, actor: actor)
                letter = try DeadLettersCommand.find(found.sha256, ledger, found.environment)
            }
            guard let letter else { return }
            try output.show(letter.json) { terminal in
                "\(terminal.tick) \(letter.sha256.prefix(12)) is dismissed\n"
            }
        }
    }

    /// One payload that was refused in two environments is two letters with the same digest.
    /// - Parameter environment: Whose letter is preferred; `nil`: one that waits.
    static func find(
        _ prefix: String, _ ledger: Ledger, _ environment: Environment? = nil
    ) throws -> DeadLetter {
        let found = try ledger.deadLetters().filter { $0.sha256.hasPrefix(prefix.lowercased()) }
        guard let first = found.first else {
            throw Failure(
                .no, "unknown_letter", "no letter's SHA-256 begins with \(prefix)")
        }
        guard found.allSatisfy({ $0.sha256 == first.sha256 }) else {
            throw Failure(
                .no, "unknown_letter",
                "\(found.count) letters begin with \(prefix); write more of it")
        }
        return found.first { $0.environment == environment } ?? found.first(where: \.isWaiting)
            ?? first
    }
}

extension DeadLetter {
    var json: JSONObject {
        [
            "sha256": .string(sha256), "position": .integer(position),
            "recorded_at": .integer(recordedAt), "environment": .string(environment.name),
            "code": .string(code), "reason": .string(detail), "kind": .string(kind.argument),
            "subject": .orNull(subject), "body_sha256": .string(bodySHA256),
            "place": .string(place), "waits_for": .orNull(waitsFor),
            "standing": .string(standing), "resolved_at": .orNull(resolvedAt),
            "dismissed_at": .orNull(dismissal?.recordedAt),
            "dismissed_by": .orNull(dismissal?.actor),
            "dismissal_reason": .orNull(dismissal?.reason),
        ]
    }

    /// `resolved`, `dismissed`, or the class of what waits.
    fileprivate var standing: String {
        resolvedAt != nil ? "resolved" : dismissal != nil ? "dismissed" : code
    }
}
