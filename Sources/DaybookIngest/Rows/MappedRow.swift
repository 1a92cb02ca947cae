import DaybookDomain
import DaybookEvents

/// A row with the names of its columns.
struct MappedRow {
    let fields: [RowField]
    let columns: [String: Int]
    /// From 1 on.
    let number: Int
    let converter: FieldConverter

    private func field(_ name: String) -> RowField? { columns[name].map { fields[$0] } }

    func fits(_ event: MappedEvent) -> Bool {
        event.conditions.allSatisfy { condition in
            let text = field(condition.column)?.text ?? ""
            return condition.values.contains { haveSameBytes($0, text) }
        }
    }

    /// The event as a line of JSON would have it.
    func json(of event: MappedEvent, source: String) throws(EventProblem) -> JSONValue {
        var object: JSONObject = [
            "type": .string(event.type.rawValue), "source": ["kind": .string(source)], "data": [:],
        ]
        for member in event.members {
            guard let text = text(of: member) else { continue }
            object.set(try converter.value(of: text, member), at: member.path)
        }
        return .object(object)
    }

    /// - Returns: `nil` where a column that it is made of is empty: then the event has no such member.
    private func text(of member: MappedMember) -> String? {
        var text = ""
        for piece in member.pieces {
            switch piece {
            case .text(let part): text += part
            case .row: text += String(number)
            case .column(let name):
                let part = field(name)?.text ?? ""
                if part.isEmpty, member.values?[""] == nil { return nil }
                text += part
            }
        }
        return text
    }

    /// Where the field stands of which a member was made; 1 where it is of none.
    func column(of name: String, in event: MappedEvent) -> Int {
        let member = event.members.first { member in
            haveSameBytes(member.name, name) || haveSameBytes("source.\(name)", member.name)
        }
        return member?.column.flatMap { field($0)?.column } ?? 1
    }
}

/// Makes values of texts.
struct FieldConverter {
    /// Times without an offset are in it.
    let zone: ZoneTable

    func value(of text: String, _ member: MappedMember) throws(EventProblem) -> JSONValue {
        var text = text
        if let values = member.values {
            guard let value = values[text] ?? member.otherwise else {
                throw EventProblem(
                    .wrongType, member.name,
                    "the map has no value for \"\(text.prefix(40))\"; add it, or say `otherwise`")
            }
            text = value
        }
        switch member.kind {
        case .text, .currency, .document, .any, .word: return .string(text)
        case .integer, .amount, .money: return .integer(try number(text, member))
        case .bool: return .bool(try flag(text, member))
        case .time: return .integer(try time(text, member))
        }
    }

    private func number(
        _ text: String, _ member: MappedMember
    ) throws(EventProblem) -> Int64 {
        guard let scaled = DecimalText(text)?.scaled(places: member.decimalPlaces) else {
            throw wrong(text, member, "is no number")
        }
        guard scaled.isExact else {
            let remedy =
                member.decimalPlaces > 0
                ? " of what the map's `times` counts in"
                : "; the map may multiply it: `times: 1000`"
            throw wrong(text, member, "is no whole number\(remedy)")
        }
        return scaled.value
    }

    private func flag(_ text: String, _ member: MappedMember) throws(EventProblem) -> Bool {
        switch text {
        case "true", "True", "TRUE", "1", "yes": true
        case "false", "False", "FALSE", "0", "no": false
        default:
            throw wrong(
                text, member,
                "is neither true nor false; the map can say what it stands for: `values`")
        }
    }

    private func time(_ text: String, _ member: MappedMember) throws(EventProblem) -> Int64 {
        let instant: Int64?
        var wanted: String
        switch member.format ?? .rfc3339 {
        case .rfc3339:
            wanted = "RFC 3339 with its offset; the map says other formats: `format`"
            instant = RFC3339.parse(text)
        case .unix:
            wanted = "seconds since 1970"
            instant = DecimalText(text)?.scaled(places: 3)?.value
        case .unixMilliseconds:
            wanted = "milliseconds since 1970"
            instant = DecimalText(text)?.scaled(places: 0).flatMap { $0.isExact ? $0.value : nil }
        case .pattern(let pattern):
            wanted = pattern
            instant = TimePattern.civil(text, pattern).map(zone.instant(of:))
        }
        if let instant { return instant }
        throw wrong(text, member, "is no time written as \(wanted)")
    }

    private func wrong(_ text: String, _ member: MappedMember, _ reason: String) -> EventProblem {
        EventProblem(.wrongType, member.name, "\"\(text.prefix(40))\" \(reason)")
    }
}

/// Reads a wall time by a pattern such as `yyyy-MM-dd HH:mm:ss`.
enum TimePattern {
    /// - Returns: `nil` where the text is not as the pattern says, or is no time that there is.
    static func civil(_ text: String, _ pattern: String) -> CivilDateTime? {
        let text = Array(text.utf8)
        var parts: [String: Int] = [:]
        var place = 0
        for piece in MappedMember.TimeFormat.pieces(of: pattern) {
            let piece = Array(piece.utf8)
            guard place + piece.count <= text.count else { return nil }
            let found = text[place..<place + piece.count]
            place += piece.count
            let word = String(decoding: piece, as: UTF8.self)
            guard MappedMember.TimeFormat.parts.contains(word) else {
                guard found.elementsEqual(piece) else { return nil }
                continue
            }
            var number = 0
            for byte in found {
                guard byte &- 0x30 < 10 else { return nil }
                number = number * 10 + Int(byte - 0x30)
            }
            parts[word] = number
        }
        guard place == text.count else { return nil }
        return CivilDateTime(
            year: parts["yyyy"] ?? 0, month: parts["MM"] ?? 0, day: parts["dd"] ?? 0,
            hour: parts["HH"] ?? 0, minute: parts["mm"] ?? 0, second: parts["ss"] ?? 0,
            millisecond: parts["SSS"] ?? 0)
    }
}
