import DaybookDomain
import DaybookEvents

/// What all cases of a ledger share when they are folded elsewhere: catalogs, corrections, rates, the zones' offsets,
/// the time of the questions, and how much there is to be folded.
///
/// ```
/// {"context":{"app":"dozzi","at":…,"cases":40,"cases_digest":"…","daybook":"0.1.0","events":412,"format":1,
///             "lines":3,"place":"…","position":420,"zones":{"Europe/Amsterdam":"…"}},"sha256":"…"}
/// {"data":{…}, … ,"position":1,"recorded_at":…}    so many lines: the ledger's own events, as an export has them
/// ```
/// Canonical JSON, every line ended by LF. `at` is the time of the questions, milliseconds since 1970 UTC; `position`
/// and `place` the end of what is known; `cases` and `events` what a whole fold sees besides; `zones` a number for the
/// offsets of each zone, because another release of the time zone database may answer otherwise. It is whole when
/// `sha256` is the digest of the canonical bytes of `context`, LF and everything behind the first line.
public struct FoldContext: Sendable, Equatable {
    /// What this build writes and reads.
    public static let format: Int64 = 1

    /// The app of the ledger.
    public var app: String
    /// Milliseconds since 1970 UTC.
    public var at: Int64
    /// The last position that is known.
    public var position: Int64
    /// The text of the place of that position.
    public var place: String
    /// How many cases there are, and how many events they have together.
    public var caseCount: Int64
    /// Events of all cases together; the ledger's own do not count.
    public var eventCount: Int64
    /// Which cases these are.
    var cases: StateDigest
    /// The digest of each zone's offsets, in hexadecimal digits.
    public var zones: [String: String] = [:]
    /// The ledger's own events, by position.
    var events: [ContextEvent] = []

    /// Hexadecimal SHA-256 of what the file says: names it.
    public var digest: String { Self.digest(header.canonicalBytes, lines) }

    /// What each line says of the context that it was written with.
    var mark: String { String(digest.prefix(16)) }

    // MARK: Bytes

    /// The whole file.
    public var bytes: [UInt8] {
        let lines = lines
        let first: JSONObject = [
            "context": .object(header),
            "sha256": .string(Self.digest(header.canonicalBytes, lines)),
        ]
        return first.canonicalBytes + [0x0A] + lines
    }

    private var header: JSONObject {
        [
            "app": .string(app), "at": .integer(at), "cases": .integer(caseCount),
            "cases_digest": .string(cases.description), "daybook": .string(DaybookVersion.current),
            "events": .integer(eventCount), "format": .integer(Self.format),
            "lines": .count(events.count), "place": .string(place), "position": .integer(position),
            "zones": .members(of: zones) { ($0.key, .string($0.value)) },
        ]
    }

    private var lines: [UInt8] { events.flatMap { $0.line + [0x0A] } }

    private static func digest(_ header: [UInt8], _ lines: [UInt8]) -> String {
        Digest.hexadecimal(Digest.sha256(header + [0x0A] + lines))
    }

    /// - Parameter mark: Of the zone, where it was counted on before.
    /// - Throws: `LedgerError.badInput` where this machine has other offsets.
    static func confirm(_ zone: String, _ mark: String, _ tables: ZoneTables, line: Int?) throws {
        try require(
            tables.mark(of: zone) == mark, line, "zone_differs",
            "\(ShownText.escaped(zone)) has other offsets on this machine than elsewhere; use the same release of the time zone database on all"
        )
    }

    /// A recorded event, of which the envelope alone is judged.
    /// - Throws: `LedgerError.badInput` with what is missing or wrong.
    static func recorded(_ json: JSONValue, app: String, line: Int) throws -> EventDraft {
        do throws(EventProblem) {
            let draft = try EventJSON.draft(from: json, app: app)
            try EventProblem.require(
                draft.occurredAt != nil && draft.recordedAt != nil && draft.source.key != nil,
                .missingField, "event", "it was never recorded")
            return draft
        } catch {
            throw bad(line, "bad_event", "\(error.member): \(error.reason)")
        }
    }

    /// Refuses an input in whose line a condition does not hold.
    static func require(
        _ holds: Bool, _ line: Int?, _ code: String, _ reason: @autoclosure () -> String
    ) throws(LedgerError) {
        if !holds { throw bad(line, code, reason()) }
    }

    static func bad(_ line: Int?, _ code: String, _ reason: String) -> LedgerError {
        .badInput([InputProblem(line: line, column: nil, code: code, reason: reason)])
    }
}

extension FoldContext {
    /// Reads a whole file.
    /// - Parameters:
    ///   - bytes: All bytes of the file, the first line being its header.
    ///   - tables: Where this machine has its offsets from.
    /// - Throws: `LedgerError.badInput` for what is no context, is cut off or changed, was written by another version
    ///   of Daybook, or counts on other offsets of a zone than this machine's.
    public init(reading bytes: [UInt8], zones tables: ZoneTables) throws {
        guard let end = bytes.firstIndex(of: 0x0A),
            let first = (try? JSONReader.read(Array(bytes[..<end])))?.object,
            let header = first["context"]?.object
        else {
            throw Self.bad(1, "no_context", "this is no context; \"daybook context\" writes one")
        }
        let version = header["daybook"]?.text ?? ""
        try Self.require(
            header["format"]?.integer == Self.format && version == DaybookVersion.current, 1,
            "other_version",
            "the context is of Daybook \(ShownText.escaped(version)), this is \(DaybookVersion.current); folds of two versions do not add up"
        )
        let rest = Array(bytes[(end + 1)...])
        try Self.require(
            first["sha256"]?.text == Self.digest(header.canonicalBytes, rest), 1,
            "damaged_context", "the context was cut off or changed")
        guard let app = header["app"]?.text, let at = header["at"]?.integer,
            let position = header["position"]?.integer, let place = header["place"]?.text,
            let caseCount = header["cases"]?.integer, let eventCount = header["events"]?.integer,
            let zones = header["zones"]?.object,
            let cases = header["cases_digest"]?.text.flatMap(StateDigest.init)
        else { throw Self.bad(1, "damaged_context", "the first line lacks a member") }
        self.init(
            app: app, at: at, position: position, place: place, caseCount: caseCount,
            eventCount: eventCount, cases: cases)
        for zone in zones.members { self.zones[zone.name] = zone.value.text ?? "" }
        for (index, line) in rest.split(separator: 0x0A).enumerated() {
            events.append(try ContextEvent(Array(line), number: index + 2, app: app))
        }
        for (name, mark) in self.zones.sorted(by: { precedesInBytes($0.key, $1.key) }) {
            try Self.confirm(name, mark, tables, line: 1)
        }
    }
}

/// An event of the ledger's own, which is part of every fold.
struct ContextEvent: Sendable, Equatable {
    /// As an export has it.
    let line: [UInt8]
    let position: Int64
    let draft: EventDraft
    /// The event that a correction is about; `nil`: it is no correction, and concerns all cases.
    let target: WhatIsCorrected?

    struct WhatIsCorrected: Hashable {
        var environment: Environment
        var source: String
        var key: String

        /// - Returns: `nil` for an event without a key.
        init?(namedBy draft: EventDraft) {
            guard let key = draft.source.key else { return nil }
            environment = draft.environment
            source = draft.source.kind
            self.key = key
        }
    }

    init(_ line: [UInt8], number: Int, app: String) throws {
        self.line = line
        guard let json = try? JSONReader.read(line),
            let position = json.object?["position"]?.integer
        else {
            throw FoldContext.bad(number, "damaged_context", "the line is no recorded event")
        }
        self.position = position
        draft = try FoldContext.recorded(json, app: app, line: number)
        target = draft.type.isOf(.correction) ? WhatIsCorrected(draft) : nil
    }
}

extension ContextEvent.WhatIsCorrected {
    /// - Returns: `nil` for a correction that does not say what it is about in the usual way.
    fileprivate init?(_ draft: EventDraft) {
        guard let target = draft.data["target"]?.object, let source = target["source"]?.text,
            let key = target["key"]?.text
        else { return nil }
        environment = draft.environment
        self.source = source
        self.key = key
    }
}

extension ZoneTables {
    /// A number for the offsets of a zone in 16 hexadecimal digits; empty for a zone that is not known here.
    func mark(of name: String) -> String {
        table(named: name).map { Digest.hexadecimal($0.digest) } ?? ""
    }
}
