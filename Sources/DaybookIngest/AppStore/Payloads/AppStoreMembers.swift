import DaybookEvents

/// Members as Apple sends them: milliseconds with a fraction, ids as text or number.
extension JSONObject {
    /// An id, which is text even where it was sent as a number.
    func identifier(_ name: String) -> String? {
        switch self[name] {
        case .string(let text): text
        case .integer(let number): String(number)
        // More digits than 64 bits hold are still an id.
        case .number(let text) where text.utf8.allSatisfy({ (0x30...0x39).contains($0) }): text
        default: nil
        }
    }

    /// A number, also where it was sent as text; `nil` where it has a fraction or does not fit.
    func wholeNumber(_ name: String) -> Int64? {
        switch self[name] {
        case .integer(let number): number
        case .number(let text): Decimal(text).flatMap { $0.isWhole ? $0.truncated : nil }
        case .string(let text):
            // Only the canonical spelling: no sign in front, no zeros.
            Int64(text).flatMap { String($0) == text ? $0 : nil }
        default: nil
        }
    }

    /// Milliseconds since 1970 UTC. A fraction is cut off towards zero; years before 1970 are negative.
    func milliseconds(_ name: String) -> Int64? {
        switch self[name] {
        case .integer(let number): number
        case .number(let text): Decimal(text)?.truncated
        default: nil
        }
    }

    func flag(_ name: String) -> Bool? { self[name]?.bool }

    func text(_ name: String) -> String? { self[name]?.text }

    func object(_ name: String) -> JSONObject? { self[name]?.object }

    /// A list in which everything is text.
    func texts(_ name: String) -> [String]? {
        guard let values = self[name]?.array else { return nil }
        let texts = values.compactMap(\.text)
        return texts.count == values.count ? texts : nil
    }

    func word<Known: RawRepresentable>(_ name: String) -> AppStoreWord<Known>?
    where Known.RawValue == String {
        text(name).map(AppStoreWord.init(raw:))
    }

    func word<Known: RawRepresentable>(_ name: String) -> AppStoreWord<Known>?
    where Known.RawValue == Int64 {
        wholeNumber(name).map(AppStoreWord.init(raw:))
    }

    /// Without the members that are `null`, which say nothing.
    var withoutNulls: JSONObject { JSONObject(members.filter { $0.value != .null }) }
}

extension EventBounds {
    /// The time, unless it is one that no event of ours may have: Xcode sends the year 1.
    static func timeOrNil(_ time: Int64) -> Int64? {
        times.contains(time) ? time : nil
    }
}

/// A number of JSON (RFC 8259 §6) in exact arithmetic, as far as 64 bits go.
private struct Decimal {
    /// The number without its fraction.
    let truncated: Int64
    let isWhole: Bool

    /// - Returns: `nil` where the whole part does not fit into 64 bits.
    init?(_ text: String) {
        var text = text[...]
        let isNegative = text.hasPrefix("-")
        if isNegative { text.removeFirst() }
        let parts = text.split(omittingEmptySubsequences: false) { $0 == "e" || $0 == "E" }
        guard parts.count <= 2, let mantissa = parts.first else { return nil }
        let halves = mantissa.split(separator: ".", omittingEmptySubsequences: false)
        var digits = Array(halves.joined().utf8)
        // Beyond these there is nothing but zero or overflow, and no memory is spent on writing it out.
        guard let exponent = parts.count == 2 ? Int(parts[1]) : 0, (-400...400).contains(exponent)
        else { return nil }
        var wholeCount = (halves.first?.utf8.count ?? 0) + exponent
        if wholeCount < 0 {
            digits.insert(contentsOf: repeatElement(0x30, count: -wholeCount), at: 0)
            wholeCount = 0
        }
        while digits.count < wholeCount { digits.append(0x30) }
        let whole = String(decoding: digits[..<wholeCount], as: UTF8.self)
        guard let value = Int64((isNegative ? "-" : "") + (whole.isEmpty ? "0" : whole)) else {
            return nil
        }
        truncated = value
        isWhole = digits[wholeCount...].allSatisfy { $0 == 0x30 }
    }
}
