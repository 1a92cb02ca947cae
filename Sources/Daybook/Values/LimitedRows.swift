/// The first of many rows in an order, and how many there were.
struct LimitedRows<Row: Sendable>: Sendable {
    private let limit: Int?
    private let precedes: @Sendable (Row, Row) -> Bool
    private(set) var count = 0
    private var rows: [Row] = []

    /// - Parameter limit: How many are kept; `nil`: all.
    init(limit: Int?, by precedes: @escaping @Sendable (Row, Row) -> Bool) {
        self.limit = limit.map { max(0, $0) }
        self.precedes = precedes
    }

    var sorted: [Row] {
        let all = rows.sorted(by: precedes)
        return limit.map { Array(all.prefix($0)) } ?? all
    }

    mutating func add(_ row: Row) {
        count += 1
        rows.append(row)
        // Twice as many as are told are kept, so that sorting them is rare.
        if let limit, rows.count / 2 - 500 > limit { rows = sorted }
    }

    mutating func add(_ other: LimitedRows) {
        count += other.count
        rows += other.rows
    }
}
