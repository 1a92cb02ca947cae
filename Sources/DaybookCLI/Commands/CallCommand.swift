import ArgumentParser
import Daybook

struct CallCommand: CustomerCommand {
    static let configuration = CommandConfiguration(
        commandName: "call", abstract: "Do what a request in the app's own form asks for.",
        discussion: """
            The catalog describes such requests (calls): what is done, and in which words the app is answered. The \
            server takes the same at /v1/APP/calls/NAME. A use that a rule refuses is answered in the app's words; \
            then the exit code is 1.

              daybook call ada getSubscriptionStatus
              daybook call ada trackStoryCreation --idempotency-key tap-1
            """)

    @OptionGroup var customer: CustomerArgument

    @Argument(help: "The call, as the catalog names it.")
    var name: String

    @Option(
        help: .value(
            "json",
            "What the app sends: a JSON object, or - for the standard input. Default: an empty one."
        ))
    var data = "{}"

    @Option(help: .value("key", "The same key again records nothing more."))
    var idempotencyKey: String?

    @OptionGroup var verifier: VerifierOptions
    @OptionGroup var common: CommonOptions

    mutating func run() async throws {
        let text = data == "-" ? String(decoding: try InputFile("-").all(), as: UTF8.self) : data
        let body = try JSONText.object(text, option: "--data")
        let request = AppCallRequest(
            name, subject: subject, environment: common.environment, body: body,
            key: idempotencyKey)
        let believed = verifier.namesApp ? try verifier.verifier(common.environment) : nil
        try await common.ledger.writing { ledger in
            let reply = try await ledger.call(request, by: believed)
            // The app's answer is JSON, for people too.
            try Terminal.output.write(reply.json)
            if reply.isRefused { throw ExitCode.no }
        }
    }
}
