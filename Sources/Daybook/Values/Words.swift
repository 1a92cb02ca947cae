import DaybookDomain

/// Numbers and words as people read them.
package enum Words {
    package static func spaced(_ word: String) -> String {
        String(word.map { $0 == "_" || $0 == "." ? " " : $0 })
    }

    /// `Five apps`; digits above nine.
    package static func spelled(_ count: Int) -> String {
        let words = ["No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine"]
        return "\(count < words.count ? words[count] : String(count)) app\(count == 1 ? "" : "s")"
    }

    /// UTC, RFC 3339; open ends have no date.
    package static func time(_ instant: Int64?) -> String {
        guard let instant, instant > Int64.min, instant < Int64.max else { return "" }
        return RFC3339.format(instant)
    }

    package static func count(
        _ number: some BinaryInteger, _ singular: String, _ plural: String? = nil
    ) -> String {
        "\(grouped(number)) \(number == 1 ? singular : plural ?? singular + "s")"
    }

    /// 1234567 as 1,234,567.
    package static func grouped(_ number: some BinaryInteger) -> String {
        var groups: [Substring] = []
        var digits = Substring(String(number.magnitude))
        while digits.count > 3 {
            groups.insert(digits.suffix(3), at: 0)
            digits = digits.dropLast(3)
        }
        groups.insert(digits, at: 0)
        return (number < 0 ? "-" : "") + groups.joined(separator: ",")
    }

    /// Thousandths as a decimal: 2990 as 2.99.
    package static func money(milli: Int64, _ currency: String) -> String {
        let magnitude = milli.magnitude
        let thousandths = String(1_000 + magnitude % 1_000).dropFirst()
        let fraction = thousandths.hasSuffix("0") ? thousandths.dropLast() : thousandths
        return "\(milli < 0 ? "-" : "")\(magnitude / 1_000).\(fraction) \(currency)"
    }

    /// A span in its largest two units: 3 d 4 h.
    package static func duration(_ milliseconds: Int64?) -> String {
        guard let milliseconds else { return "" }
        let units: [(name: String, length: Int64)] = [
            ("d", 86_400_000), ("h", 3_600_000), ("min", 60_000), ("s", 1_000), ("ms", 1),
        ]
        guard let first = units.firstIndex(where: { milliseconds >= $0.length }) else {
            return "0 s"
        }
        let whole = milliseconds / units[first].length
        var text = "\(whole) \(units[first].name)"
        if first + 1 < units.count, units[first].name != "s" {
            let rest = milliseconds % units[first].length / units[first + 1].length
            if rest > 0 { text += " \(rest) \(units[first + 1].name)" }
        }
        return text
    }

    /// A share in percent with one decimal, in integers: 12.5 %.
    package static func share(_ part: Int, of whole: Int) -> String {
        guard let permille = FunnelReport.permille(part, of: whole) else { return "" }
        return "\(permille / 10).\(permille % 10) %"
    }
}
