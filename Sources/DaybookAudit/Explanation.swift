public import Daybook
public import DaybookDomain

/// Why an answer is what it is: the events that led there, what would have turned it, and what was believed before.
public struct Explanation: Sendable {
    /// One moment at which the answer changed, or anything that it is made of.
    public struct Step: Sendable {
        /// Valid time, milliseconds since 1970 UTC.
        public var at: Int64
        /// `nil`: nothing happened, time passed.
        public var event: HistoryEntry?
        /// Where time did it, the event that had set the moment; `nil`: the calendar or a catalog did.
        public var cause: HistoryEntry?
        /// Whether the answer was yes from then on; `false` also where no catalog was in force, or none with the name.
        public var allowed: Bool
        /// Why it was answered so.
        public var reason: DecisionReason
        /// What changed of the answer and of what it is made of.
        public var changes: [AnswerChange]
        /// Whether it turned the answer, or its reason.
        public var isTurn: Bool
    }

    /// What was answered about the asked time, as known from a commit on.
    public struct Belief: Sendable {
        /// The last position of the commit, and its recorded time.
        public var position: Int64
        /// When the commit was recorded, milliseconds since 1970 UTC; of the first belief the asked time.
        public var recordedAt: Int64
        /// Whether the question was answered with yes; `false` also where no rules were known, or no such name.
        public var allowed: Bool
        /// Why it was answered so.
        public var reason: DecisionReason
        /// What the commit changed about the answer before.
        public var changes: [AnswerChange]
        /// The customer's event of the commit with which the answer came about; `nil`: a catalog brought it, or it is
        /// the first belief.
        public var event: HistoryEntry?
    }

    /// The customer, by the id that was asked about.
    public var subject: String
    /// Whether any event within the cut names the customer.
    public var isKnown: Bool
    /// The answer that is explained.
    public var decision: Decision
    /// The cut that it was made from.
    public var asOf: AsOf
    /// In order of time; those that changed nothing about the answer are left out.
    public var steps: [Step]
    /// How many events of the customer changed nothing about the answer.
    public var silentCount: Int
    /// Time brought more changes between two events than are told: after 1,000 of them only the last one is.
    public var isSkipping = false
    /// The step that made the answer what it is; `nil`: it was so from the beginning.
    public var deciding: Step? { steps.last { $0.isTurn } }
    /// What would give the other answer.
    public var alternatives: [Alternative]
    /// How many older events that changed the answer were not tried to be left out.
    public var untriedCount = 0
    /// What was known at the asked time first, then every later commit that changed the answer about it.
    public var beliefs: [Belief]
    /// How many of the later commits, the older ones, were passed over without a look.
    public var passedCommitCount = 0
}
