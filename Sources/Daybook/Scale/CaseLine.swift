import DaybookEvents
import DaybookIngest

/// One event of a case, as an export writes it and a fold reads it.
///
/// ```
/// {"case":{"context":"5d41402abc4b2a76","events":12,"key":"production/customer/ada","position":34,
///          "sha256":"9f86d081884c7d65"},"event":{…}}
/// ```
/// Canonical JSON, ended by LF. `context` is the mark of the context that it was written with, `events` how many events
/// the case has, `position` the event's place in its ledger, `unknown` (where it is true) that its type was unknown
/// when it was recorded and stays so, and `sha256` the first 64 bits of the digest of all other bytes of the line: an
/// event is not judged again, so that it must be the one that was written.
struct CaseLine: Sendable {
    var context: String
    var key: String
    var eventCount: Int64
    var position: Int64
    /// Of a type, or a version of one, that the build did not know that recorded it (decision 0011).
    var isUnknown: Bool
    /// As it was recorded, with its recorded time.
    var event: EventDraft

    private static let start = Array("{\"case\":".utf8)
    /// Inside of a text no quote stands by itself, so that it is there once.
    private static let middle = Array(",\"event\":".utf8)

    // MARK: Writing

    /// With LF.
    var bytes: [UInt8] {
        let event = event.recordedLine
        var head = head
        let digest = Self.digest(head[...], [], event[...])
        head.insert(
            contentsOf: Self.digestStart + digest.utf8 + [0x22],
            at: head.count - (isUnknown ? Self.unknownEnd.count : 1))
        return Self.start + head + Self.middle + event + [0x7D, 0x0A]
    }

    /// Without the digest.
    private var head: [UInt8] {
        var head: JSONObject = [
            "context": .string(context), "events": .integer(eventCount), "key": .string(key),
            "position": .integer(position),
        ]
        if isUnknown { head["unknown"] = true }
        return head.canonicalBytes
    }

    /// Of the head before and after the digest's place, and of the event.
    private static func digest(
        _ before: ArraySlice<UInt8>, _ after: ArraySlice<UInt8>, _ event: ArraySlice<UInt8>
    ) -> String {
        Digest.hexadecimal(Digest.sha256Prefix(Array(before) + after + event))
    }

    /// A text cannot hold these bytes: a quote inside of it has a backslash before it.
    private static let digestStart = Array(",\"sha256\":\"".utf8)
    private static let unknownEnd = Array(",\"unknown\":true}".utf8)
    /// Hexadecimal digits.
    private static let digestCount = 16
}

extension CaseLine {
    /// - Parameter mark: Of the context.
    /// - Throws: `LedgerError.badInput` with the line.
    init(reading line: InputLine, app: String, mark: String) throws {
        if let problem = line.problemOfLength {
            throw LedgerError.badInput([InputProblem(problem)])
        }
        let bytes = line.bytes
        try FoldContext.require(
            bytes.starts(with: Self.start), line.number, "no_case",
            "this is no event with its case; \"daybook export --partitions\" writes them")
        guard bytes.last == 0x7D,
            let middle = bytes.place(of: Self.middle, after: Self.start.count),
            let head = (try? JSONReader.read(Array(bytes[Self.start.count..<middle])))?.object,
            let context = head["context"]?.text, let key = head["key"]?.text,
            let eventCount = head["events"]?.integer, let position = head["position"]?.integer,
            let digest = head["sha256"]?.text, digest.utf8.count == Self.digestCount,
            let place = bytes.place(of: Self.digestStart, after: Self.start.count),
            eventCount > 0, position > 0
        else { throw Self.damaged(line.number) }
        try FoldContext.require(
            context == mark, line.number, "other_context",
            "the line was written with another context; use the one beside it")
        let event = bytes[(middle + Self.middle.count)..<(bytes.count - 1)]
        // All bytes of the head as they stand, but those of the digest itself.
        let end = place + Self.digestStart.count + Self.digestCount + 1
        guard end < middle,
            Self.digest(bytes[Self.start.count..<place], bytes[end..<middle], event) == digest,
            let json = try? JSONReader.read(Array(event))
        else { throw Self.damaged(line.number) }
        self.init(
            context: context, key: key, eventCount: eventCount, position: position,
            isUnknown: head["unknown"] == true,
            event: try FoldContext.recorded(json, app: app, line: line.number))
    }

    private static func damaged(_ line: Int) -> LedgerError {
        FoldContext.bad(
            line, "damaged_line",
            "the line was cut off or changed; \"daybook export --partitions\" writes it again")
    }
}

extension [UInt8] {
    /// Where some bytes stand first, at or after a place; `nil`: nowhere.
    fileprivate func place(of text: [UInt8], after start: Int) -> Int? {
        var place = start
        while place + text.count < count {
            if self[place] == text[0], self[place...].starts(with: text) { return place }
            place += 1
        }
        return nil
    }
}
