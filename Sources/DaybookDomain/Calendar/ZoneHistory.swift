/// The time zones of one customer, in the order in which they came into force.
///
/// A change rules from the next period on: it never moves the end of the period in which it falls
/// (rule 14).
public struct ZoneHistory: Sendable, Equatable {
    /// The zone before the first change.
    public let initial: ZoneTable

    /// The later zones, ascending by the instant from which each is known.
    public let changes: [Change]

    /// A move to another time zone.
    public struct Change: Sendable, Equatable {
        /// The instant of the move, in milliseconds since 1970 UTC.
        public let fromInstant: Int64

        /// The zone after the move.
        public let zone: ZoneTable

        /// Makes a move to a zone at an instant.
        public init(fromInstant: Int64, zone: ZoneTable) {
            self.fromInstant = fromInstant
            self.zone = zone
        }
    }

    /// Makes the history of a customer's zones.
    ///
    /// - Parameters:
    ///   - initial: The first zone known; it also rules all time before.
    ///   - changes: In any order; of several at one instant the last given rules.
    /// - Complexity: O(*n*) when the changes are sorted already, O(*n* log *n*) otherwise.
    public init(initial: ZoneTable, changes: [Change] = []) {
        self.initial = initial
        let isSorted = zip(changes, changes.dropFirst()).allSatisfy {
            $0.fromInstant <= $1.fromInstant
        }
        guard !isSorted else {
            self.changes = changes
            return
        }
        self.changes = changes.enumerated().sorted {
            ($0.element.fromInstant, $0.offset) < ($1.element.fromInstant, $1.offset)
        }.map(\.element)
    }

    /// Tells the zone that the customer was last known to be in.
    ///
    /// - Parameter instant: Milliseconds since 1970 UTC; a change counts from its own instant on.
    /// - Complexity: O(log *n*) in the number of changes.
    public func zone(at instant: Int64) -> ZoneTable {
        zone(afterChanges: changeCount(through: instant))
    }

    /// Counts the changes up to and including an instant.
    func changeCount(through instant: Int64) -> Int {
        changes.isEmpty ? 0 : changes.sortedPrefixCount { $0.fromInstant <= instant }
    }

    /// Tells the zone after the first so many changes.
    func zone(afterChanges count: Int) -> ZoneTable {
        count == 0 ? initial : changes[count - 1].zone
    }
}
