public import DaybookDomain
import DaybookEvents

/// A whole life of one subscription, as the notifications that the App Store sends of it.
///
/// Every notification is signed at its own time of that life, so what takes a year passes in an hour. The same
/// description gives the same notifications.
public struct SandboxLife: Sendable, Equatable {
    /// What happens next. Mid-period steps come after a quarter of what is left of the period.
    public enum Step: String, Sendable, CaseIterable {
        /// It begins with a free trial; first step.
        case trial
        /// It begins paid; first step, or after an expiry.
        case purchase
        /// The first paid period, at the end of the trial.
        case conversion
        /// The next period, at the end of the one before.
        case renewal
        /// The charge fails at the end of the period; access goes on.
        case grace
        /// The charge fails at the end of the period, or the grace is over; access ends.
        case retry
        /// The charge goes through: in grace the period counts from its own day, after it from then on.
        case recovery
        /// The customer switches renewal off.
        case cancel
        /// And on again.
        case uncancel
        /// The period's price is given back, all of it.
        case refund
        /// The refund is taken back.
        case reversal
        /// It ends: after `cancel` with the period, after a failed charge when the store stops trying.
        case expiry
    }

    /// A plan with every step of docs/app-store.md that one customer can live through.
    public static let wholePlan: [Step] = [
        .trial, .conversion, .grace, .recovery, .renewal, .cancel, .uncancel, .refund, .reversal,
        .cancel, .expiry,
    ]

    /// The app's bundle identifier.
    public var bundleID: String
    /// The subscription's product id.
    public var productID: String
    /// The steps in the order in which they happen.
    public var plan = SandboxLife.wholePlan
    /// How fast time passes.
    public var speed = SandboxSpeed.minutes5
    /// How long a paid period is, in calendar time before `speed` shortens it.
    public var period = CivilDuration(months: 1)
    /// How long the trial is, likewise.
    public var trial = CivilDuration(days: 7)
    /// When the first step happens, milliseconds since 1970 UTC.
    public var start: Int64
    /// The first transaction and the lineage; the next ones count up. The start unless given, so that two lives are two
    /// lineages.
    public var transactionID: Int64?
    /// The app's own id of its customer, a UUID; `nil`: the payloads carry none.
    public var appAccountToken: String?
    /// The subscription group; `nil`: the payloads name none.
    public var groupID: String?
    /// Thousandths of the currency, of every paid period.
    public var price: Int64?
    /// ISO 4217.
    public var currency: String?

    /// A life with the whole plan: a month at a time, at Apple's default speed, without a price.
    public init(bundleID: String, productID: String, start: Int64) {
        self.bundleID = bundleID
        self.productID = productID
        self.start = start
    }

    /// What happens at one step.
    public struct Moment: Sendable, Equatable {
        /// The step that happens.
        public var step: Step
        /// When it happens, and when it is signed.
        public var at: Int64
        /// What the App Store sends of it, ready to be signed.
        public var notification: SandboxNotification
        /// The end of the period then, or of the grace; exclusive.
        public var until: Int64
    }

    /// A step that cannot follow those before it.
    public struct PlanProblem: Error, Sendable, Equatable, CustomStringConvertible {
        /// 1-based.
        public var number: Int
        /// The step that cannot happen.
        public var step: Step
        /// Why it cannot happen there, and where it helps what to do before.
        public var reason: String

        /// For messages: `step 3, renewal: no period is running`.
        public var description: String { "step \(number), \(step.rawValue): \(reason)" }
    }

    /// The life, in the order of its plan.
    /// - Throws: `PlanProblem` for the first step that cannot happen.
    public func moments() throws(PlanProblem) -> [Moment] {
        var course = SandboxCourse(self)
        return try plan.enumerated().map { (index, step) throws(PlanProblem) in
            if let reason = course.obstacle(to: step) {
                throw PlanProblem(number: index + 1, step: step, reason: reason)
            }
            return course.take(step)
        }
    }

    /// The same life, begun so early that its last step is not after an instant.
    public func ending(by instant: Int64) throws(PlanProblem) -> SandboxLife {
        var life = self
        life.start = instant
        // Calendar months differ in length, so the first guess may be some days wrong.
        for _ in 0..<8 {
            guard let last = try life.moments().last?.at, last > instant else { break }
            life.start -= last - instant
        }
        return life
    }
}
