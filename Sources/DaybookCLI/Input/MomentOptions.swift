import ArgumentParser
import Daybook
import DaybookDomain

/// Valid time and knowledge time of a question.
struct MomentOptions: ParsableArguments {
    @Option(
        help: .value(
            "time",
            "Answer as of this time: milliseconds since 1970, or RFC 3339 with offset. Default: now."
        ))
    var at: String?

    @Option(help: .value("time", "Only what had been recorded by then: a time, or @position."))
    var knownAt: String?

    /// - Throws: Bad input when a time cannot be read.
    func moment() throws -> Moment {
        Moment(
            at: try InstantText.read(at, "--at"),
            knownAt: try InstantText.knowledge(knownAt, "--known-at"))
    }
}

extension InstantText {
    /// `--from` and `--until`; `nil`: without that end.
    /// - Throws: A mistake of usage where nothing lies between.
    static func span(from: String?, until: String?) throws -> (from: Int64?, until: Int64?) {
        let (from, until) = (
            try read(from, "--from"), try read(until, "--until")
        )
        if let from, let until, until <= from {
            throw Failure(
                .usage, "usage",
                "--until \(RFC3339.format(until)) is not after --from \(RFC3339.format(from)): nothing lies between"
            )
        }
        return (from, until)
    }
}
