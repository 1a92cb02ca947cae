package import DaybookEvents

/// What a funnel counted of some customers: sums that add up in any order and any grouping.
package struct FunnelSums: Sendable, Equatable {
    /// Of all units, or of one group of them.
    struct Tally: Sendable, Equatable {
        var entered = 0
        /// By step.
        var counts: [Int]
        /// By step: milliseconds since the step before, with how often. Medians are exact, so each one is kept.
        var durations: [[Int64: Int]]

        init(stepCount: Int) {
            counts = Array(repeating: 0, count: stepCount)
            durations = Array(repeating: [:], count: stepCount)
        }

        /// - Parameter before: The step that was taken before; `nil`: with this one the unit entered.
        mutating func add(_ taken: FunnelTaken, after before: FunnelTaken?) {
            counts[taken.step] += 1
            if let before {
                durations[taken.step][taken.at - before.at, default: 0] += 1
            } else {
                entered += 1
            }
        }

        /// - Parameter path: In the order in which the steps were taken.
        mutating func add(_ path: [FunnelTaken]) {
            for index in path.indices { add(path[index], after: index > 0 ? path[index - 1] : nil) }
        }

        mutating func add(_ other: Tally) {
            entered += other.entered
            for step in counts.indices {
                counts[step] += other.counts[step]
                durations[step].merge(other.durations[step], uniquingKeysWith: +)
            }
        }
    }

    var totals: Tally
    /// By what units are told apart by; empty without a breakdown.
    var groups: [String: Tally] = [:]

    init(stepCount: Int) { totals = Tally(stepCount: stepCount) }

    package var stepCount: Int { totals.counts.count }

    /// Whether no count is beyond what there can be: parts that anyone may have written must not overflow.
    package var isPlausible: Bool {
        ([totals] + groups.values).allSatisfy { tally in
            ([tally.entered] + tally.counts).allSatisfy {
                Tally.countRange.contains(Int64($0))
            }
        }
    }

    mutating func add(_ path: [FunnelTaken], in group: String) {
        let none = Tally(stepCount: stepCount)
        groups[group, default: none].add(path)
    }

    mutating func add(_ taken: FunnelTaken, after before: FunnelTaken?, in group: String) {
        let none = Tally(stepCount: stepCount)
        groups[group, default: none].add(taken, after: before)
    }

    /// - Precondition: Both are of funnels with as many steps.
    package mutating func add(_ other: FunnelSums) {
        precondition(stepCount == other.stepCount, "The sums are of different funnels.")
        totals.add(other.totals)
        let none = Tally(stepCount: stepCount)
        for (name, tally) in other.groups { groups[name, default: none].add(tally) }
    }
}

// MARK: - JSON

/// Sums on their way from one machine to another.
extension FunnelSums {
    /// `{"groups":[[name,tally],…],"totals":tally}`, where a tally is `{"counts":[…],"durations":[[ms,count,…],…],
    /// "entered":…}` with a place for each step; groups and durations ascend.
    package var json: JSONObject {
        [
            "groups": .array(
                groups.sorted { precedesInBytes($0.key, $1.key) }.map { name, tally in
                    .array([.string(name), .object(tally.json)])
                }), "totals": .object(totals.json),
        ]
    }

    /// - Returns: `nil` for what `json` does not write.
    package init?(_ json: JSONObject) {
        guard let totals = json["totals"]?.object.flatMap(Tally.init),
            let groups = json["groups"]?.array
        else { return nil }
        self.init(stepCount: totals.counts.count)
        self.totals = totals
        for group in groups {
            guard let pair = group.array, pair.count == 2, let name = pair[0].text,
                let tally = pair[1].object.flatMap(Tally.init), tally.counts.count == stepCount,
                self.groups.updateValue(tally, forKey: name) == nil
            else { return nil }
        }
    }
}

extension FunnelSums.Tally {
    /// More than there can be units; thousands of parts still add up.
    fileprivate static let countRange: ClosedRange<Int64> = 0...1 << 50

    fileprivate var json: JSONObject {
        [
            "counts": .array(counts.map { .integer(Int64($0)) }),
            "durations": .array(
                durations.map { own in
                    .array(
                        own.sorted { $0.key < $1.key }
                            .flatMap { [.integer($0.key), .integer(Int64($0.value))] })
                }), "entered": .integer(Int64(entered)),
        ]
    }

    fileprivate init?(_ json: JSONObject) {
        guard let counts = json["counts"]?.array, let lists = json["durations"]?.array,
            lists.count == counts.count, !counts.isEmpty,
            let entered = Self.count(json["entered"])
        else { return nil }
        self.init(stepCount: counts.count)
        self.entered = entered
        for (step, (value, list)) in zip(counts, lists).enumerated() {
            guard let count = Self.count(value), let numbers = list.array,
                numbers.count.isMultiple(of: 2)
            else { return nil }
            self.counts[step] = count
            var rest = count
            for place in stride(from: 0, to: numbers.count, by: 2) {
                guard let duration = numbers[place].integer, duration >= 0,
                    let often = Self.count(numbers[place + 1]), (1...max(1, rest)).contains(often),
                    rest > 0, durations[step].updateValue(often, forKey: duration) == nil
                else { return nil }
                rest -= often
            }
        }
    }

    private static func count(_ json: JSONValue?) -> Int? {
        json?.integer.flatMap { countRange.contains($0) ? Int($0) : nil }
    }
}
