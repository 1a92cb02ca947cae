import ArgumentParser
import Daybook
import DaybookEvents
import DaybookIngest
import Foundation

struct DeadLettersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dead-letters", abstract: "Payloads that could not be read or verified.",
        discussion: """
            A dead letter is a refused payload, kept with its exact bytes and the reason. It is resolved when the same \
            bytes are taken in later: posted again, retried, or, for a renewal that came too early, automatically with \
            its transaction. One that will never be taken in is dismissed with a reason; nothing is deleted.

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
            commandName: "list",
            abstract: "List the dead letters that wait.",
            discussion: """
                  daybook dead-letters list
                  daybook dead-letters list --all --json
                """)

        @Flag(help: "Also those that were taken in or dismissed since.")
        var all = false

        @OptionGroup var basic: BasicOptions

        mutating func run() async throws {
            let deadLetters = try await basic.ledger.asking { try $0.deadLetters() }
                .filter { all || $0.isWaiting }
            try basic.output.show(deadLetters.json) { terminal in
                guard !deadLetters.isEmpty else { return "\(terminal.tick) no dead letters\n" }
                return Table(deadLetters) { deadLetter in
                    [
                        .init(String(deadLetter.sha256.prefix(12))),
                        .init(Words.time(deadLetter.recordedAt)),
                        .init(deadLetter.environment.name), .init(deadLetter.kind.name),
                        .init(deadLetter.standing),
                        .init(deadLetter.dismissal?.reason ?? deadLetter.detail),
                    ]
                }.text(terminal)
            }
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show",
            abstract: "Write the exact bytes of a dead letter to the standard output.",
            discussion: """
                The payload as it was posted, including the part that was refused. With --json: what is known of the \
                dead letter, the place of the refused part in the payload, and the bytes in base64.

                  daybook dead-letters show 3f1c
                  daybook dead-letters show 3f1c --json
                """)

        @Argument(help: "The beginning of its SHA-256.")
        var sha256: String

        @OptionGroup var basic: BasicOptions

        mutating func run() async throws {
            let (deadLetter, bytes) = try await basic.ledger.asking { ledger in
                let deadLetter = try DeadLettersCommand.find(sha256, ledger)
                return (deadLetter, try ledger.rawPayload(sha256: deadLetter.payloadSHA256) ?? [])
            }
            guard basic.output.json else { return try Terminal.output.write(bytes: bytes) }
            try Terminal.output.write(
                deadLetter.json.adding(["body_base64": .string(Data(bytes).base64EncodedString())]))
        }
    }

    struct Retry: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "retry",
            abstract: "Try waiting dead letters again, as if they came now.",
            discussion: """
                What RevenueCat sent is tried without --bundle-id and --root.

                  daybook dead-letters retry --bundle-id com.dozzi.app \\
                    --root sandbox.pem --env test
                """)

        @Argument(help: "The beginning of a SHA-256. Default: all that wait.")
        var sha256: String?

        @Option(
            name: .customLong("as"),
            help: .value(
                "kind", "Kind of the signed payload, where it was posted as another kind."))
        var kind: PayloadKind?

        @OptionGroup var verifier: VerifierOptions
        @OptionGroup var common: CommonOptions

        mutating func run() async throws {
            let environment = common.environment
            let signedKind = try signedKind()
            var sum = IngestReceipt()
            let json = try await common.ledger.writing { ledger in
                let deadLetters =
                    try sha256.map { [try DeadLettersCommand.find($0, ledger, environment)] }
                    ?? ledger.deadLetters(environment: environment).filter(\.isWaiting)
                // What is not signed needs neither roots nor a bundle identifier.
                let isSigned = deadLetters.contains(where: \.kind.isSigned)
                let verifier = isSigned ? try verifier.verifier(environment) : nil
                for deadLetter in deadLetters {
                    sum.add(try await ledger.retry(deadLetter, by: verifier, as: signedKind))
                }
                return ledger.json(of: sum)
            }
            try common.output.show(json) { sum.text($0, "payload", isDryRun: false) }
            if let failure = sum.failure("payload", isDryRun: false) { throw failure }
        }

        private func signedKind() throws -> AppStorePayloadKind? {
            guard let kind else { return nil }
            guard sha256 != nil, case .appStore(let signed) = kind else {
                throw Failure(
                    .usage, "no_kind",
                    "--as gives the kind of one dead letter of the App Store; name the dead letter, and a kind that Apple signs"
                )
            }
            return signed
        }
    }

    struct Dismiss: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "dismiss",
            abstract: "Dismiss a dead letter that will never be taken in.",
            discussion: """
                It stays, with its bytes and the reason (list --all), and can still be tried.

                  daybook dead-letters dismiss 3f1c --reason "another app's" --actor kim
                """)

        @Argument(help: "The beginning of its SHA-256.")
        var sha256: String

        @Option(help: .value("text", "Reason; it stays in the history."))
        var reason: String

        @Option(help: .value("name", "Name of the operator, for the audit."))
        var actor: String?

        @OptionGroup var basic: BasicOptions

        mutating func run() async throws {
            let deadLetter = try await basic.ledger.writing { ledger in
                let found = try DeadLettersCommand.find(sha256, ledger)
                try await ledger.dismiss(found, reason: reason, actor: actor)
                return try DeadLettersCommand.find(found.sha256, ledger, found.environment)
            }
            try basic.output.show(deadLetter.json) { terminal in
                "\(terminal.tick) \(deadLetter.sha256.prefix(12)) is dismissed\n"
            }
        }
    }

    /// One payload that was refused in two environments is two dead letters with the same digest.
    /// - Parameter environment: The environment of the preferred dead letter; `nil`: one that waits.
    static func find(
        _ prefix: String, _ ledger: Ledger, _ environment: Environment? = nil
    ) throws -> DeadLetter {
        let found = try ledger.deadLetters().filter { $0.sha256.hasPrefix(prefix.lowercased()) }
        guard let first = found.first else {
            throw Failure(
                .no, "unknown_dead_letter", "no dead letter's SHA-256 begins with \(prefix)")
        }
        try Failure.require(
            found.allSatisfy({ $0.sha256 == first.sha256 }), .no, "unknown_dead_letter",
            "\(found.count) dead letters begin with \(prefix); write more digits")
        return found.first { $0.environment == environment } ?? found.first(where: \.isWaiting)
            ?? first
    }
}
