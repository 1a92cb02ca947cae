/// A table in Markdown, aligned so that it also reads well in a terminal.
struct Table {
    let header: [String]
    let rows: [[String]]

    var text: String {
        let all = [header] + rows
        let widths = header.indices.map { column in all.map { $0[column].count }.max() ?? 0 }
        let rule = widths.enumerated().map { index, width in
            let dashes = String(repeating: "-", count: max(2, width - 1))
            return index == 0 ? dashes + "-" : dashes + ":"
        }
        let lines = [header, rule] + rows
        let body = lines.map { cells in
            "| "
                + cells.enumerated().map { index, cell in
                    let padding = String(repeating: " ", count: max(0, widths[index] - cell.count))
                    return index == 0 ? cell + padding : padding + cell
                }.joined(separator: " | ") + " |"
        }
        return body.joined(separator: "\n")
    }
}

/// Numbers as people read them.
enum Figure {
    /// Three significant digits at most, thousands apart.
    static func count(_ value: Double) -> String {
        guard value.isFinite else { return "" }
        var unit = 1.0
        while value / unit >= 1_000 { unit *= 10 }
        let digits = String(Int64((value / unit).rounded() * unit))
        var text = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { text.append(",") }
            text.append(digit)
        }
        return text
    }

    static func decimal(_ value: Double, _ places: Int = 2) -> String {
        guard value.isFinite else { return "" }
        var scale = 1.0
        for _ in 0..<places { scale *= 10 }
        let scaled = Int64((value * scale).rounded())
        let (whole, rest) = scaled.quotientAndRemainder(dividingBy: Int64(scale))
        let digits = String(rest)
        guard places > 0 else { return String(whole) }
        return "\(whole)." + String(repeating: "0", count: places - digits.count) + digits
    }

    static func range(_ values: [Double]) -> String {
        guard let low = values.min(), let high = values.max() else { return "" }
        return "\(count(low)) to \(count(high))"
    }
}
