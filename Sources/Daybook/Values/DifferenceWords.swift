package import DaybookEvents

/// What is different, in words.
extension JSONDifference {
    /// A whole source or list does not fit into a line; `--json` has all of it.
    private static func excerpt(_ text: String) -> String {
        text.count > 48 ? String(text.prefix(47)) + "…" : text
    }

    /// A value at a path: times as RFC 3339, lists and objects as JSON.
    package static func word(_ value: JSONValue?, _ path: String) -> String {
        switch value {
        case nil, .null?: "–"
        case .bool(let flag)?: flag ? "yes" : "no"
        case .integer(let number)?:
            ["_at", ".start", ".end", ".visible_from"].contains { path.hasSuffix($0) }
                ? Words.time(number) : String(number)
        case .string(let text)?: text
        case let value?: excerpt(String(decoding: value.canonicalBytes, as: UTF8.self))
        }
    }
}
