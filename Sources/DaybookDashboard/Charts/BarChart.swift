/// Columns by period, stacked by group: what is above zero upwards, what is below downwards.
struct BarChart {
    struct Group {
        var name: String
        /// By column; `nil`: no value.
        var values: [Int64?]
    }

    var title: String
    var columns: [String]
    var groups: [Group]
    /// Columns that are not over yet, which are drawn lighter.
    var open: Set<Int> = []
    /// How a sum is written above its column.
    var written: (Int64) -> String

    private static let width = 720.0
    private static let height = 240.0
    private static let left = 12.0
    private static let base = 24.0

    func svg() -> String {
        var svg = SVG(width: Self.width, height: Self.height, title: title)
        let ups = columns.indices.map { column in sum(column) { max(0, $0) } }
        let downs = columns.indices.map { column in sum(column) { max(0, -$0) } }
        let (up, down) = (ups.max() ?? 0, downs.max() ?? 0)
        let room = Self.height - Self.base - 20
        let unit = room / max(1, up + down)
        let zero = 20 + up * unit
        let step = (Self.width - 2 * Self.left) / Double(max(1, columns.count))
        svg.line("axis", Self.left, zero, Self.width - Self.left, zero)
        for (column, name) in columns.enumerated() {
            let x = Self.left + step * Double(column) + step * 0.15
            var (top, bottom) = (zero, zero)
            for (index, group) in groups.enumerated() {
                guard let value = group.values[column], value != 0 else { continue }
                let height = abs(Double(value)) * unit
                if value > 0 { top -= height }
                svg.rectangle(
                    "bar g\(index % 6)\(open.contains(column) ? " open" : "")", x,
                    value > 0 ? top : bottom, step * 0.7, max(0.5, height - 0.5),
                    title: "\(group.name.isEmpty ? title : group.name), \(name): \(written(value))")
                if value < 0 { bottom += height }
            }
            let isShown = columns.count <= 14 || column % (columns.count / 12 + 1) == 0
            if isShown {
                svg.label(name, x + step * 0.35, Self.height - 6, anchor: .middle)
            }
            if columns.count <= 14, groups.count == 1, let value = groups[0].values[column] {
                svg.label(
                    written(value), x + step * 0.35, value < 0 ? bottom + 12 : top - 5, "label ink",
                    anchor: .middle)
            }
        }
        return svg.finished
    }

    private func sum(_ column: Int, _ part: (Double) -> Double) -> Double {
        groups.reduce(0) { $0 + part(Double($1.values[column] ?? 0)) }
    }
}
