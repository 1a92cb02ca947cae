extension CivilDuration {
    /// Reads an ISO 8601 duration of whole numbers: `P21D`, `P1M`, `P2W`, `P1DT12H`, `PT10M`.
    ///
    /// A week is seven days. Signs, fractions, lower case, repeated or misplaced units and numbers
    /// above 1,000,000 are not durations. `P0D` is one of zero length.
    public init?(iso8601 text: String) {
        self.init()
        var rest = Array(text.utf8)[...]
        guard rest.popFirst() == UInt8(ascii: "P"), !rest.isEmpty else { return nil }
        var lastRank = -1
        var isTime = false
        while let first = rest.first {
            if first == UInt8(ascii: "T") {
                guard !isTime, rest.count > 1 else { return nil }
                isTime = true
                rest.removeFirst()
            }
            guard let amount = Self.takeNumber(&rest), let unit = rest.popFirst(),
                let rank = Self.rank(of: unit, isTime: isTime), rank > lastRank
            else { return nil }
            lastRank = rank
            add(amount, rank: rank)
        }
    }

    /// Nothing at all.
    var isZero: Bool { years == 0 && months == 0 && days == 0 && milliseconds == 0 }

    /// Exact milliseconds where a day is 24 hours; `nil` with months or years, whose length varies.
    var exactMilliseconds: Int64? {
        guard years == 0, months == 0 else { return nil }
        return Int64(days) * 86_400_000 + milliseconds
    }

    private static func takeNumber(_ bytes: inout ArraySlice<UInt8>) -> Int? {
        var value = 0
        var count = 0
        while let byte = bytes.first, byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") {
            value = value * 10 + Int(byte - UInt8(ascii: "0"))
            count += 1
            // Bounded before the next step can overflow.
            guard value <= 1_000_000 else { return nil }
            bytes.removeFirst()
        }
        return count == 0 ? nil : value
    }

    /// The place of a unit in the fixed order years, months, weeks, days, hours, minutes, seconds.
    private static func rank(of unit: UInt8, isTime: Bool) -> Int? {
        switch (unit, isTime) {
        case (UInt8(ascii: "Y"), false): 0
        case (UInt8(ascii: "M"), false): 1
        case (UInt8(ascii: "W"), false): 2
        case (UInt8(ascii: "D"), false): 3
        case (UInt8(ascii: "H"), true): 4
        case (UInt8(ascii: "M"), true): 5
        case (UInt8(ascii: "S"), true): 6
        default: nil
        }
    }

    private mutating func add(_ amount: Int, rank: Int) {
        switch rank {
        case 0: years = amount
        case 1: months = amount
        case 2: days = amount * 7
        case 3: days += amount
        case 4: milliseconds += Int64(amount) * 3_600_000
        case 5: milliseconds += Int64(amount) * 60_000
        default: milliseconds += Int64(amount) * 1_000
        }
    }
}
