import DaybookDomain
public import DaybookEvents

/// One line that cannot be taken as it is.
public struct LineProblem: Error, Sendable, Equatable {
    /// 1-based.
    public var line: Int
    /// 1-based, in bytes; 1 where the whole line is meant.
    public var column: Int
    /// A stable word for scripts: `bad_json`, or the code of what is wrong with the event.
    public var code: String
    /// What is wrong and what is expected, in one sentence.
    public var reason: String
    /// The path of the member that is wrong, such as `source.key`; `nil` where the whole line is meant.
    public var member: String?
    /// The line's bytes, so that nothing is lost; of a line longer than any event the beginning.
    public var bytes: [UInt8]

    /// Creates a problem; nothing is checked.
    public init(
        line: Int, column: Int, code: String, reason: String, member: String? = nil, bytes: [UInt8]
    ) {
        self.line = line
        self.column = column
        self.code = code
        self.reason = reason
        self.member = member
        self.bytes = bytes
    }

    /// A line whose JSON is fine and whose event is not; the column is that of the member, where the line has it.
    public init(line: Int, bytes: [UInt8], _ problem: EventProblem) {
        self.init(
            line: line, column: MemberPlace.column(of: problem.member, in: bytes),
            code: problem.code.rawValue, reason: "\(problem.member): \(problem.reason)",
            member: problem.member, bytes: bytes)
    }

    /// Reads JSON, perhaps of several lines.
    /// - Parameters:
    ///   - firstLine: The line of the first byte in a larger file.
    ///   - kept: The bytes that belong to a problem.
    /// - Throws: `bad_json` at the byte that is wrong.
    static func json(
        _ bytes: [UInt8], firstLine: Int = 1, kept: [UInt8]
    ) throws(LineProblem) -> JSONValue {
        do throws(JSONError) {
            return try JSONReader.read(bytes, firstLine: firstLine)
        } catch {
            throw LineProblem(
                line: error.line, column: error.column, code: "bad_json", reason: error.reason,
                bytes: kept)
        }
    }
}

/// An event with the line that it came from; of an order with items there are several with one line.
public struct ReadEvent: Sendable {
    /// 1-based.
    public var line: Int
    /// In canonical form (`EventValidator`).
    public var draft: EventDraft
    /// The line as it came, without its newline.
    public var bytes: [UInt8]
}

/// Reads newline-delimited JSON: one event a line, blank lines skipped, line numbers kept.
///
/// A purchase, a refund or a revocation whose data has `items` becomes one event for each item (`OrderItems`). A line
/// that has a `position` was exported by a ledger and stays as it was recorded.
///
/// Bytes come in pieces that may end anywhere. A byte order mark at the very beginning, which some editors write, is
/// skipped. A line longer than any event may be is reported and not kept, so that no input can fill the memory.
public struct NDJSONReader: LineReader {
    /// What a piece of the input came to, in the order of the lines.
    public typealias Found = (events: [ReadEvent], problems: [LineProblem])

    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// Refuse a line of another app.
    private let app: String?
    private let defaultTrust: Trust
    /// Whether the lines are reports, rather than what a ledger wrote.
    private let isReported: Bool
    /// The key of a line that has none, by its number; `nil`: it stays without.
    private let key: (@Sendable (Int) -> String)?
    private var line = 0
    /// The beginning of a line whose end has not come yet.
    private var pending = PendingLine()

    /// A reader at the beginning of an input of reports.
    /// - Parameters:
    ///   - app: A line that names another one is refused; `nil`: none is.
    ///   - defaultTrust: The trust of lines that name none.
    public init(app: String?, defaultTrust: Trust = .imported) {
        self.init(app: app, defaultTrust: defaultTrust, isReported: true)
    }

    /// - Parameters:
    ///   - isReported: `false`: every line is an event as a ledger has it, also without a `position`.
    ///   - key: The key of a line that has none, by its number; `nil`: it stays without.
    package init(
        app: String?, defaultTrust: Trust = .imported, isReported: Bool,
        key: (@Sendable (Int) -> String)? = nil
    ) {
        self.key = key
        self.app = app
        self.defaultTrust = defaultTrust
        self.isReported = isReported
    }

    /// Reads the next bytes of the input; the lines that end in them are done.
    /// - Complexity: O(*n*) in the bytes given, whatever came before.
    public mutating func take(_ piece: [UInt8]) -> Found { read(split(piece)) }

    /// The last line, where the input does not end with a newline.
    public mutating func finish() -> Found { read(lastLine()) }

    package mutating func split(_ piece: [UInt8]) -> [InputLine] {
        var lines: [InputLine] = []
        var start = 0
        while let end = ByteWords.firstIndex(of: 0x0A, in: piece, from: start) {
            pending.keep(piece[start..<end])
            endLine(&lines)
            start = end + 1
        }
        pending.keep(piece[start...])
        return lines
    }

    package mutating func lastLine() -> [InputLine] {
        var lines: [InputLine] = []
        if !pending.isEmpty { endLine(&lines) }
        return lines
    }

    private func read(_ lines: [InputLine]) -> Found {
        var found: Found = ([], [])
        for line in lines {
            switch read(line) {
            case .success(let events): found.events += events
            case .failure(let problem): found.problems.append(problem)
            }
        }
        return found
    }

    /// Reads whole lines, the last one with or without its newline.
    public mutating func read(_ bytes: [UInt8]) -> Found {
        var found = take(bytes)
        let last = finish()
        found.events += last.events
        found.problems += last.problems
        return found
    }

    /// The bytes without the mark that some editors put before UTF-8.
    public static func withoutByteOrderMark(_ bytes: [UInt8]) -> [UInt8] {
        bytes.starts(with: byteOrderMark) ? Array(bytes.dropFirst(byteOrderMark.count)) : bytes
    }

    private mutating func endLine(_ lines: inout [InputLine]) {
        line += 1
        if let ended = pending.end(line: line) { lines.append(ended) }
    }

    package func events(of ended: InputLine) throws(LineProblem) -> [ReadEvent] {
        if let problem = ended.problemOfLength { throw problem }
        let (line, bytes) = (ended.number, ended.bytes)
        // How long an event may be its type says, once it is read.
        let json = try LineProblem.json(bytes, firstLine: line, kept: bytes)
        do throws(EventProblem) {
            return try drafts(json, line).map { ReadEvent(line: line, draft: $0, bytes: bytes) }
        } catch {
            throw LineProblem(line: line, bytes: bytes, error)
        }
    }

    private func drafts(
        _ json: JSONValue, _ line: Int
    ) throws(EventProblem) -> [EventDraft] {
        do throws(EventProblem) {
            return try canonical(json, line)
        } catch {
            // Nearly all lines have their times in numbers, so texts are looked for only where a number is missed.
            guard error.code == .wrongType, let numbers = try TimeTexts.inNumbers(json) else {
                throw error
            }
            return try canonical(numbers, line)
        }
    }

    private func canonical(
        _ json: JSONValue, _ line: Int
    ) throws(EventProblem) -> [EventDraft] {
        var draft = try EventJSON.draft(from: json, app: app, defaultTrust: defaultTrust)
        if let key, draft.source.key == nil { draft.source.key = key(line) }
        if isReported, json.object?["position"] == nil {
            if let events = try OrderItems.events(of: draft) { return events }
            // A patch is checked only with its target, so a time that is a text is not refused here but converted at
            // once.
            if draft.type == .correctionAmended, let patch = draft.data["patch"]?.object {
                draft.data["patch"] = .object(try PatchTimes.inMilliseconds(patch))
            }
        }
        try EventValidator.bringIntoForm(
            &draft, Vocabulary.schema(named: draft.type, version: draft.version))
        return [draft]
    }
}
