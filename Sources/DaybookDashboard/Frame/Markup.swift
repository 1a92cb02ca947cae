import Mustache

/// Text of other people in HTML: nothing in it is taken for markup.
///
/// By Unicode scalars, not by characters as they are seen: a quotation mark with a combining accent is one character
/// for Swift, and still ends an attribute for a browser.
package enum Markup {
    package static func escaped(_ text: String) -> String {
        guard text.utf8.contains(where: isSpecial) else { return text }
        var escaped = ""
        escaped.reserveCapacity(text.utf8.count + 16)
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            case "`": escaped += "&#96;"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    private static func isSpecial(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "&"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\""),
            UInt8(ascii: "'"), UInt8(ascii: "`"):
            true
        default: false
        }
    }
}

/// The way in which our templates escape, by scalars; the library's own goes by characters.
struct MarkupContent: MustacheContentType {
    static let name = "MARKUP"

    func escapeText(_ text: String) -> String { Markup.escaped(text) }
}
