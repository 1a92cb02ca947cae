extension Meter {
    /// When a counter begins anew: after every length, counted from an anchor.
    public struct Period: Sendable, Hashable {
        /// What the lengths are counted from.
        public enum Anchor: Sendable, Hashable {
            /// The calendar of the customer's zone.
            case calendar
            /// When the customer was first seen.
            case firstSeen
            /// The day from which the customer's subscription is billed; without one as `firstSeen`.
            case billing
            /// A stated time, in milliseconds since 1970 UTC. The first period is a short one: it begins when the
            /// customer was first seen.
            case instant(Int64)
        }

        /// `nil`: it never begins anew.
        public var length: PeriodLength?

        /// What the lengths are counted from; without a length it decides nothing.
        public var anchor: Anchor

        /// Makes a period; that exact time has no place in the calendar is checked by the catalog's reader.
        public init(_ length: PeriodLength?, from anchor: Anchor) {
            self.length = length
            self.anchor = anchor
        }

        /// One period for ever: the counter never begins anew.
        public static let lifetime = Period(nil, from: .calendar)
        /// Months of the calendar in the customer's zone.
        public static let calendarMonth = Period(.month, from: .calendar)
        /// Months counted from when the customer was first seen.
        public static let anniversary = Period(.month, from: .firstSeen)

        /// As a catalog says it.
        public var text: String {
            guard let length else { return "lifetime" }
            if self == .calendarMonth { return "calendarMonth" }
            if self == .anniversary { return "anniversary" }
            return "\(length.iso8601) from \(anchorText)"
        }

        private var anchorText: String {
            switch anchor {
            case .calendar: "calendar"
            case .firstSeen: "firstSeen"
            case .billing: "billing"
            case .instant(let instant): RFC3339.format(instant)
            }
        }
    }
}
