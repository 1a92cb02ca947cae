public import Daybook
public import DaybookDomain

/// Since which event a condition holds, or holds no more.
public struct Bisection: Sendable {
    /// How the search ended.
    public enum Outcome: Sendable {
        /// It did not hold before this event was known, and does with it.
        case turned(by: HistoryEntry)
        /// It held at every position that was looked at.
        case always
        /// It does not hold at the last position.
        case never
    }

    /// The condition that was searched for.
    public var condition: AnswerCondition
    /// Whether it was asked since when the condition holds; else since when it fails.
    public var holds: Bool
    /// The event with which it turned, if it did.
    public var outcome: Outcome
    /// Valid time of all answers, milliseconds since 1970 UTC.
    public var at: Int64
    /// The positions between which was searched: not yet at the first, so at the last.
    public var from: Int64
    /// The last position of the search, itself included.
    public var through: Int64
    /// How often the customer, or all customers, were folded.
    public var folds: Int
    /// The customers of whom it holds with that event, by the names that are shown; at most 20.
    public var subjects: [String]
    /// How many more there are.
    public var subjectsOmitted = 0
}

/// Searches a turn among positions, where each look is a fold.
struct BisectionSearch {
    private(set) var folds = 0

    /// What came of it.
    enum Turn: Equatable {
        case at(Int64)
        case always
        case never
    }

    /// - Returns: A position at which it holds and before which it does not. Where it turned more than once, it is one
    ///   of the turns; where it holds at the first position, the search goes back from the last one in steps that
    ///   double, until it does not.
    /// - Complexity: At most log2 of the range and two folds where it does not hold at the first position; twice that
    ///   where it does.
    mutating func turn(
        _ first: Int64, _ last: Int64, _ holds: (Int64) throws -> Bool
    ) throws -> Turn {
        guard try look(last, holds) else { return .never }
        guard first < last else { return .always }
        var low = first
        var high = last
        if try look(first, holds) {
            var step: Int64 = 1
            while true {
                let place = max(first, last - step)
                if place == first { return .always }
                if try !look(place, holds) {
                    low = place
                    break
                }
                high = place
                step *= 2
            }
        }
        return .at(try firstHolding(after: low, by: high) { try look($0, holds) })
    }

    private mutating func look(
        _ position: Int64, _ holds: (Int64) throws -> Bool
    ) throws -> Bool {
        folds += 1
        return try holds(position)
    }
}
