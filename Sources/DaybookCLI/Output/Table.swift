/// Rows of aligned cells; what stands in them is foreign text.
struct Table {
    struct Cell: ExpressibleByStringInterpolation {
        var text: String
        var style: Terminal.Style
        var isRight = false

        init(_ text: String, _ style: Terminal.Style = .plain, isRight: Bool = false) {
            self.text = HumanText.escaped(text)
            self.style = style
            self.isRight = isRight
        }

        init(stringLiteral value: String) { self.init(value) }
    }

    private var rows: [[Cell]] = []

    mutating func add(label: String, _ text: String) { add(Cell(label, .dim), Cell(text)) }
    mutating func add(_ cells: Cell...) { add(cells) }

    mutating func add(_ cells: [Cell]) { rows.append(cells) }

    var isEmpty: Bool { rows.isEmpty }

    /// The lines, each indented and without spaces at its end.
    func text(_ terminal: Terminal, indent: Int = 2) -> HumanText {
        let columnCount = rows.map(\.count).max() ?? 0
        let widths = (0..<columnCount).map { column in
            rows.compactMap { column < $0.count ? $0[column].text.count : nil }.max() ?? 0
        }
        return rows.reduce(into: "") { $0 += line($1, widths, terminal, indent) + "\n" }
    }

    private func line(
        _ row: [Cell], _ widths: [Int], _ terminal: Terminal, _ indent: Int
    ) -> HumanText {
        var line = HumanText(String(repeating: " ", count: indent))
        let last = row.lastIndex { !$0.text.isEmpty } ?? -1
        // A column that is empty in all rows takes no space.
        for (column, cell) in row.enumerated() where column <= last && widths[column] > 0 {
            let space = HumanText(
                String(repeating: " ", count: widths[column] - cell.text.count))
            let painted = terminal.paint(cell.text, cell.style)
            line += cell.isRight ? space + painted : painted
            guard column < last else { break }
            line += (cell.isRight ? "" : space) + "  "
        }
        return line
    }
}

extension Table {
    /// A row for each element.
    init<Element>(_ elements: some Sequence<Element>, cells: (Element) -> [Cell]) {
        rows = elements.map(cells)
    }
}
