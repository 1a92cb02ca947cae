import DaybookDomain
import DaybookEvents

/// Of which customers to tell how far they got.
public struct FunnelStepRequest: Sendable, Equatable {
    /// The funnel that the step is of, with range, filter and rules.
    public var funnel: FunnelRequest
    /// The name of a step.
    public var step: String
    /// Only those who did not take the next step; of the last step all.
    public var isStopped = false
    /// How many are told, in the order of their ids; `nil`: all.
    public var limit: Int?

    /// Asks for all customers who took the step; the name is checked when the question is answered.
    public init(_ funnel: FunnelRequest, step: String) {
        self.funnel = funnel
        self.step = step
    }
}

/// The customers who took a step of a funnel.
public struct FunnelCustomers: Sendable, Equatable {
    /// One customer who took the step.
    public struct Row: Sendable, Equatable {
        /// The customer's id.
        public var name: String
        /// How often: of a funnel of profiles or sessions perhaps more than once.
        public var count: Int
        /// How often the next step followed; 0 of the last step.
        public var nextCount: Int
    }

    /// The step with its numbers over all units of the funnel, also where only those who stopped are told.
    public var step: FunnelReport.Step
    /// Whether only customers of whom not every unit took the next step are told.
    public var isStopped: Bool
    /// In the order of their ids' bytes.
    public var rows: [Row]
    /// How many there are, also those that are not told.
    public var count: Int
    /// The cut that the rows were made from.
    public var asOf: AsOf

    /// What one worker found, as far as it is told.
    static func found(limit: Int?) -> LimitedRows<Row> {
        LimitedRows(limit: limit) { precedesInBytes($0.name, $1.name) }
    }
}
