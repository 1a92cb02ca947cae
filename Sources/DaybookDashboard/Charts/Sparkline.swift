/// The course of a few values: a line without axes; gaps where there is no value.
enum Sparkline {
    static func svg(_ values: [Int64?], title: String) -> String {
        let known = values.compactMap(\.self)
        guard known.count > 1, let least = known.min(), let most = known.max() else { return "" }
        var svg = SVG(width: 120, height: 28, title: title, kind: "spark")
        let span = max(1, Double(most) - Double(least))
        let step = 112 / Double(max(1, values.count - 1))
        var run: [(Double, Double)] = []
        func place(_ index: Int, _ value: Int64) -> (Double, Double) {
            (4 + step * Double(index), 24 - (Double(value) - Double(least)) / span * 20)
        }
        for (index, value) in values.enumerated() {
            guard let value else {
                if run.count > 1 { svg.polyline("line", run) }
                run = []
                continue
            }
            run.append(place(index, value))
        }
        if run.count > 1 { svg.polyline("line", run) }
        if let last = values.lastIndex(where: { $0 != nil }), let value = values[last] {
            let (x, y) = place(last, value)
            svg.add("circle", "dot", [("cx", x), ("cy", y), ("r", 2.5)])
        }
        return svg.finished
    }
}
