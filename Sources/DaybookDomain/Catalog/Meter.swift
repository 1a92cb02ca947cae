/// What is counted or measured, with its limits.
@dynamicMemberLookup
public struct Meter: SharedParts {
    /// What a meter does with usage; a published meter keeps its kind (rule 8).
    public enum Kind: String, Sendable, CaseIterable {
        /// Counts uses in a period.
        case counter
        /// Counts what is there now.
        case gauge
        /// Says how many days back one may look.
        case window
        /// Holds the latest reading.
        case reading
    }
    /// Whether a window looks back by 24 hours a day, or to the local midnight that many days ago.
    public enum WindowMode: String, Sendable, CaseIterable {
        case rollingMilliseconds, calendarDays
    }

    /// The parts of a meter, each of which is a member of the meter itself.
    public struct Content: Sendable, Equatable {
        /// Key in the catalog's `meters`.
        public var name: String
        /// Other names under which usage counts on this meter.
        public var aliases: [String] = []
        /// What it does with usage.
        public var kind: Kind
        /// When a counter begins anew; a published meter keeps its period (rule 8).
        public var period: Period = .lifetime
        /// Free limit; `nil` is unlimited. For a window: days.
        public var limit: Int64?
        /// Limits with an entitlement; `nil` is unlimited. The most generous active one counts.
        public var limitsWith: [EntitledLimit] = []
        /// A feature that must be open before anything is counted at all.
        public var requires: String?
        /// A gauge of profiles: while it is over its limit, only a profile that it keeps writable may use this meter
        /// (MS-23).
        public var withinGauge: String?
        /// How a window counts days; of other kinds it decides nothing.
        public var windowMode: WindowMode = .rollingMilliseconds
        /// The kind of profile that this gauge counts; profile events drive it (rule 13).
        public var countsProfiles: String?
        /// What a use beyond the limit gets; `hard` by default.
        public var enforcement: Enforcement = .hard
        /// How long a reservation holds without commit, in milliseconds.
        public var reservationTimeoutMilliseconds: Int64
        /// Leaves `access.denied` behind when a use is refused (rule 21).
        public var recordsDenials: Bool = false
        /// A plan change starts the count anew (E61); computed, see `PlanChanges`.
        public var resetsOnPlanChange: Bool = false
        /// A refund of spent credits leaves a debt (E67).
        public var allowsDebt: Bool = false
        /// What `history` calls one use ("story created").
        public var eventLabel: String?
        /// Cost of one unit in millionths of `costCurrency`; for unit economics only.
        public var unitCostMicros: Int64?
        /// ISO 4217; `nil` where no cost is stated.
        public var costCurrency: String?
        /// Copy keys.
        public var statusText: String?
        /// Heading where the limit is reached.
        public var limitReachedTitle: String?
        /// Shown where the limit is reached; without it the heading is.
        public var limitReachedText: String?
        /// Shown instead of the status text where there is no limit.
        public var unlimitedText: String?
        /// The paywall context that a refusal names (MS-22); `nil` is `usageLimitReached`.
        public var paywallContext: String?
    }

    /// Where the parts lie.
    public var shared: SharedContent<Content>

    /// Makes an unlimited meter that never begins anew, with reservations of ten minutes; nothing is checked.
    public init(name: String, kind: Kind) {
        shared = SharedContent(
            Content(name: name, kind: kind, reservationTimeoutMilliseconds: 600_000))
    }
}
