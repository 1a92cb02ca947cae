import ArgumentParser
import Daybook
import DaybookAudit

struct BeliefsCommand: CustomerCommand {
    static let configuration = CommandConfiguration(
        commandName: "beliefs",
        abstract: "Tell what a customer could do at every time, as known at every time.",
        discussion: """
            Every answer with the time that it is about and the time for which it was believed, and the events that \
            changed it. First the times at which people were told something else than is known now. With --known-at \
            and --at as of then.

              daybook beliefs ada stories
              daybook beliefs ada unlimitedStories --from 2026-03-01T00:00:00Z
              daybook beliefs ada stories --known-at @3 --json
            """)

    @OptionGroup var customer: CustomerArgument

    @Argument(help: "A feature or a meter of the catalog, an alias of one, or an entitlement.")
    var name: String

    @Option(help: .value("profile", "The profile that is looked at."))
    var profile: String?

    @Option(
        help: .value(
            "time",
            "Answers about this time and later. Default: from the customer's first event on, or the last of many changes."
        ))
    var from: String?

    @Option(
        help: .value(
            "time", "Answers about earlier times than this one. Default: 30 days after now."))
    var until: String?

    @Option(
        help: .value(
            "count",
            "How many of the newest events are told apart by when they became known, 1 to 10000. Default: 256, of thousands fewer."
        ))
    var events: Int?

    @OptionGroup var ask: AskOptions

    mutating func validate() throws {
        if let events, !(1...BeliefRequest.eventCountMax).contains(events) {
            throw ValidationError(
                "--events \(events) is not from 1 to \(BeliefRequest.eventCountMax).")
        }
    }

    mutating func run() async throws {
        var request = BeliefRequest(name)
        request.profile = profile
        (request.from, request.until) = try InstantText.span(from: from, until: until)
        request.eventCount = events
        let moment = try ask.moment.moment()
        let plane = try await ask.ledger.asking { [request] ledger in
            try ledger.beliefs(
                request, of: subject, environment: ask.environment, moment: moment)
        }
        try Failure.require(
            plane.isKnown, .badInput, "unknown_subject",
            "nothing is known of \(subject) in \(ask.environment.name) at position \(plane.asOf.position); check the name, --env and --known-at"
        )
        try ask.output.show(plane.json) { BeliefsText(plane: plane).text($0) }
    }
}
