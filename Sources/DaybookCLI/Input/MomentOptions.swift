import ArgumentParser
import Daybook
import DaybookDomain

/// Valid time and knowledge time of a question.
struct MomentOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "Answer as of this time: milliseconds since 1970, or RFC 3339 with offset. Default: now.",
            valueName: "time"))
    var at: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Only what had been recorded by then: a time, or @position.", valueName: "time"))
    var knownAt: String?

    /// - Throws: Bad input when a time cannot be read.
    func moment() throws -> Moment {
        Moment(
            at: try InstantText.read(at, option: "--at"),
            knownAt: try InstantText.knowledge(knownAt, option: "--known-at"))
    }
}

/// Reads the times that people type.
enum InstantText {
    /// 1970-01-01 to 9999-12-31, the times that an event may have (rule 30).
    private static let range: ClosedRange<Int64> = 0...253_402_300_799_999

    static func read(_ text: String?, option: String) throws -> Int64? {
        guard let text else { return nil }
        let instant: Int64
        if let number = Int64(text) {
            instant = number
        } else if let parsed = RFC3339.parse(text) {
            instant = parsed
        } else {
            throw problem(text, option)
        }
        guard range.contains(instant) else {
            throw Failure(
                .badInput, "time_out_of_bounds",
                "\(option): \(text) is outside 1970-01-01T00:00:00Z to 9999-12-31T23:59:59.999Z")
        }
        return instant
    }

    /// `--from` and `--until`; `nil`: without that end.
    /// - Throws: A mistake of usage where nothing lies between.
    static func span(from: String?, until: String?) throws -> (from: Int64?, until: Int64?) {
        let (from, until) = (
            try read(from, option: "--from"), try read(until, option: "--until")
        )
        if let from, let until, until <= from {
            throw Failure(
                .usage, "usage",
                "--until \(RFC3339.format(until)) is not after --from \(RFC3339.format(from)): nothing lies between"
            )
        }
        return (from, until)
    }

    static func knowledge(_ text: String?, option: String) throws -> Moment.Knowledge? {
        guard let text else { return nil }
        guard text.hasPrefix("@") else {
            return try read(text, option: option).map { .instant($0) }
        }
        guard let position = Int64(text.dropFirst()), position >= 0 else {
            throw Failure(
                .badInput, "bad_position", "\(option): \(text) is no position; write @1042")
        }
        return .position(position)
    }

    private static func problem(_ text: String, _ option: String) -> Failure {
        if RFC3339.parse(text + "Z") != nil {
            return Failure(
                .badInput, "missing_offset",
                "\(option): \(text) has no offset, so it names no moment; write \(text)Z for UTC, or \(text)+01:00"
            )
        }
        let coarse = text.replacing(/(\.\d{3})\d+/) { $0.output.1 }
        if coarse != text, RFC3339.parse(coarse) != nil {
            return Failure(
                .badInput, "bad_time",
                "\(option): \(text) is finer than a millisecond; write three digits at most")
        }
        if RFC3339.parse(text + "T00:00:00Z") != nil {
            return Failure(
                .badInput, "bad_time",
                "\(option): \(text) is a day; write the moment, such as \(text)T00:00:00Z")
        }
        return Failure(
            .badInput, "bad_time",
            "\(option): \(text) is no time; write milliseconds since 1970 or 2026-03-01T00:00:00Z")
    }
}
