import Daybook
import DaybookDomain

/// What a person or a script says to a replay, one word and its argument per line.
enum StepWord: Equatable {
    case next(Int)
    case back(Int)
    case position(Int64)
    case time(Int64)
    case until([AnswerCondition])
    case show
    case help
    case quit

    static let words: HumanText = """
        next [n]         n events further            (key: n, space or →)
        back [n]         n events back               (key: b or ←)
        to @42           to the event of a position
        to TIME          to everything that had happened by then
        until CONDITION  to where it holds: allowed:NAME, denied:NAME, used:METER>=N, or a type of events
        until            to the next break           (key: c)
        show             the whole status            (key: s)
        quit                                         (key: q)

        """

    /// - Throws: A failure that says what can be written.
    init?(_ line: String) throws {
        let words = line.split(whereSeparator: \.isWhitespace).map(String.init)
        guard let word = words.first, !word.hasPrefix("#") else { return nil }
        let rest = Array(words.dropFirst())
        switch word {
        case "next", "n": self = .next(try Self.count(rest, line))
        case "back", "b": self = .back(try Self.count(rest, line))
        case "to":
            guard rest.count == 1 else { throw Self.problem(line, "say to @42, or to a time") }
            switch try InstantText.knowledge(rest[0], "to") {
            case .position(let position)?: self = .position(position)
            case .instant(let instant)?: self = .time(instant)
            case nil: throw Self.problem(line, "say to @42, or to a time")
            }
        case "until", "c": self = .until(try rest.map(Self.condition))
        case "show", "s": self = .show
        case "help", "h", "?": self = .help
        case "quit", "q": self = .quit
        default: throw Self.problem(line, "\"\(word)\" is no word of it; write help")
        }
    }

    static func condition(_ text: String) throws -> AnswerCondition {
        do throws(AnswerCondition.Unreadable) {
            return try AnswerCondition(text)
        } catch {
            throw Failure(.badInput, "bad_condition", error.description)
        }
    }

    private static func count(_ words: [String], _ line: String) throws -> Int {
        guard let first = words.first else { return 1 }
        guard words.count == 1, let count = Int(first), count >= 1 else {
            throw problem(line, "\"\(words.joined(separator: " "))\" is no number of events")
        }
        return count
    }

    private static func problem(_ line: String, _ reason: String) -> Failure {
        Failure(.badInput, "bad_step", "\"\(line)\": \(reason)")
    }
}
