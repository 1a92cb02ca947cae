public import DaybookEvents

/// One line that cannot be taken as it is.
public struct LineProblem: Error, Sendable, Equatable {
    /// 1-based.
    public var line: Int
    /// 1-based, in bytes; 1 where the whole line is meant.
    public var column: Int
    public var code: String
    public var reason: String
    /// The line's bytes, so that nothing is lost.
    public var bytes: [UInt8]

    public init(line: Int, column: Int, code: String, reason: String, bytes: [UInt8]) {
        self.line = line
        self.column = column
        self.code = code
        self.reason = reason
        self.bytes = bytes
    }
}

/// An event with the line that it came from.
public struct ReadEvent: Sendable {
    public var line: Int
    public var draft: EventDraft
}

/// Reads newline-delimited JSON: one event a line, blank lines skipped, line numbers kept.
public struct NDJSONReader {
    /// Refuse a line of another app.
    private let app: String?
    private let defaultTrust: Trust
    private var line = 0

    public init(app: String?, defaultTrust: Trust = .imported) {
        self.app = app
        self.defaultTrust = defaultTrust
    }

    /// Reads some whole lines.
    /// - Parameter bytes: Lines, the last one with or without its newline.
    /// - Returns: What could be read and what could not, each in order.
    public mutating func read(
        _ bytes: [UInt8]
    ) -> (events: [ReadEvent], problems: [LineProblem]) {
        var events: [ReadEvent] = []
        var problems: [LineProblem] = []
        var start = 0
        while start < bytes.count {
            let end = bytes[start...].firstIndex(of: 0x0A) ?? bytes.count
            line += 1
            let slice = bytes[start..<end]
            start = end + 1
            if slice.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) { continue }
            switch read(line: slice) {
            case .success(let draft): events.append(ReadEvent(line: line, draft: draft))
            case .failure(let problem): problems.append(problem)
            }
        }
        return (events, problems)
    }

    private func read(line slice: ArraySlice<UInt8>) -> Result<EventDraft, LineProblem> {
        // No event of this length is taken; how long a shorter one may be its type says, once it is read.
        guard slice.count <= EventBounds.lineByteCountMax else {
            return .failure(
                problem(
                    slice, 1, "too_large",
                    "the line has \(slice.count) bytes, more than \(EventBounds.lineByteCountMax)"))
        }
        let bytes = Array(slice)
        let json: JSONValue
        do throws(JSONError) {
            json = try JSONReader.read(bytes, firstLine: line)
        } catch {
            return .failure(problem(slice, error.column, "bad_json", error.reason))
        }
        do throws(EventProblem) {
            let named = EventAliases.canonical(json)
            var draft = try EventJSON.draft(from: named, app: app, defaultTrust: defaultTrust)
            draft = try EventValidator.canonical(draft)
            return .success(draft)
        } catch {
            return .failure(
                problem(
                    slice, Self.column(of: error.member, in: bytes), error.code.rawValue,
                    "\(error.member): \(error.reason)"))
        }
    }

    private func problem(
        _ slice: ArraySlice<UInt8>, _ column: Int, _ code: String, _ reason: String
    ) -> LineProblem {
        LineProblem(line: line, column: column, code: code, reason: reason, bytes: Array(slice))
    }

    /// Where a member's name stands in the line; 1 when it is not there (a missing one).
    private static func column(of member: String, in bytes: [UInt8]) -> Int {
        let name = member.split(separator: ".").last.map(String.init) ?? member
        let pattern = Array("\"\(name)\"".utf8)
        guard bytes.count >= pattern.count else { return 1 }
        for start in 0...(bytes.count - pattern.count)
        where bytes[start] == pattern[0]
            && bytes[start..<start + pattern.count].elementsEqual(pattern)
        {
            return start + 1
        }
        return 1
    }
}
