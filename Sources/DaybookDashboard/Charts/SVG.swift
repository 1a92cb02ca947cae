/// Writes a drawing (SVG 2): elements with classes for the style sheet, and texts that are escaped.
///
/// No style attributes: the pages' policy lets none take effect.
struct SVG {
    private(set) var text = ""

    /// - Parameters:
    ///   - size: Of the drawing's own coordinates; on the page it is as wide as there is room.
    ///   - title: What it shows, for those who do not see it.
    init(width: Double, height: Double, title: String, kind: String = "chart") {
        text =
            "<svg class=\"\(kind)\" viewBox=\"0 0 \(Self.number(width)) \(Self.number(height))\" role=\"img\""
        text += " aria-label=\"\(Markup.escaped(title))\" preserveAspectRatio=\"xMidYMid meet\">"
    }

    var finished: String { text + "</svg>" }

    /// - Parameter title: Is shown when the pointer rests there.
    mutating func add(
        _ element: String, _ kind: String, _ numbers: [(String, Double)],
        data: [(String, String)] = [], title: String? = nil
    ) {
        text += "<\(element) class=\"\(kind)\""
        for (name, number) in numbers { text += " \(name)=\"\(Self.number(number))\"" }
        for (name, value) in data { text += " \(name)=\"\(Markup.escaped(value))\"" }
        if let title {
            text += "><title>\(Markup.escaped(title))</title></\(element)>"
        } else {
            text += "/>"
        }
    }

    enum Anchor: String { case start, middle, end }

    mutating func label(
        _ words: String, _ x: Double, _ y: Double, _ kind: String = "label",
        anchor: Anchor = .start
    ) {
        text += "<text class=\"\(kind)\" x=\"\(Self.number(x))\" y=\"\(Self.number(y))\""
        text += " text-anchor=\"\(anchor.rawValue)\">\(Markup.escaped(words))</text>"
    }

    mutating func line(
        _ kind: String, _ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double,
        title: String? = nil
    ) {
        add("line", kind, [("x1", x1), ("y1", y1), ("x2", x2), ("y2", y2)], title: title)
    }

    mutating func rectangle(
        _ kind: String, _ x: Double, _ y: Double, _ width: Double, _ height: Double,
        data: [(String, String)] = [], title: String? = nil
    ) {
        add(
            "rect", kind,
            [("x", x), ("y", y), ("width", max(0, width)), ("height", max(0, height))],
            data: data, title: title)
    }

    mutating func polyline(_ kind: String, _ points: [(Double, Double)]) {
        let list = points.map { "\(Self.number($0.0)),\(Self.number($0.1))" }
        add("polyline", kind, [], data: [("points", list.joined(separator: " "))])
    }

    /// With one decimal, which is finer than a screen shows.
    static func number(_ number: Double) -> String {
        let tenths = Int((number * 10).rounded())
        let rest = abs(tenths % 10)
        let sign = tenths < 0 ? "-" : ""
        return rest == 0 ? "\(tenths / 10)" : "\(sign)\(abs(tenths) / 10).\(rest)"
    }
}
