package import DaybookEvents

/// Sums on their way from one machine to another.
extension MetricSums {
    /// One row for each number, in an order of their own: metric, bucket, age, part, divisor, group, value, count.
    package var json: JSONValue {
        let rows = cells.sorted { Self.precedes($0.key, $1.key) }.map { cell, sum -> JSONValue in
            .array([
                .integer(Int64(cell.metric)), .integer(Int64(cell.bucket)),
                .integer(Int64(cell.age)), .integer(Int64(cell.part)),
                .string(String(cell.divisor)), .string(cell.group), .string(String(sum.value)),
                .integer(Int64(sum.count)),
            ])
        }
        return .array(rows)
    }

    /// - Returns: `nil` for what `json` does not write.
    package init?(_ json: JSONValue) {
        self.init()
        for row in json.array ?? [] {
            guard let parts = row.array, parts.count == 8, let metric = parts[0].integer,
                let bucket = parts[1].integer, let age = parts[2].integer,
                let part = parts[3].integer.flatMap(UInt8.init(exactly:)),
                Part(rawValue: part) != nil, let divisor = parts[4].text.flatMap({ Int128($0) }),
                let group = parts[5].text, let value = parts[6].text.flatMap({ Int128($0) }),
                let count = parts[7].integer, divisor > 0
            else { return nil }
            let sum = Sum(value: value, count: Int(count))
            let cell = Cell(
                metric: Int(metric), bucket: Int(bucket), age: Int(age), part: part,
                divisor: divisor, group: group)
            guard sum.isPlausible, insert(sum, at: cell) else { return nil }
        }
        guard json.array != nil else { return nil }
    }

    private static func precedes(_ left: Cell, _ right: Cell) -> Bool {
        let one = (left.metric, left.bucket, left.age, left.part, left.divisor)
        let other = (right.metric, right.bucket, right.age, right.part, right.divisor)
        return one == other ? precedesInBytes(left.group, right.group) : one < other
    }
}
