public import ArgumentParser
public import Daybook
public import DaybookDomain
public import DaybookEvents

/// People type the names that events use.
extension Environment: ExpressibleByArgument {
    /// Reads a name such as `production`; `nil` for any other text.
    public init?(argument: String) { self.init(name: argument) }

    /// The names of all environments, as help texts list them.
    public static var allValueStrings: [String] { allCases.map(\.name) }

    // Without this the help would list the numbers that stand in ledger files.
    /// Empty: help texts list the names alone.
    public static var allValueDescriptions: [String: String] { [:] }
}

extension TableRequest.Format: ExpressibleByArgument {}

extension ExportTable.Names: ExpressibleByArgument {}

extension FunnelBreakdown: ExpressibleByArgument {}

extension FunnelRules.Unit: ExpressibleByArgument {}

extension FunnelRules.Entry: ExpressibleByArgument {}

extension FunnelRules.Touch: ExpressibleByArgument {}

extension Funnel.Order: ExpressibleByArgument {}

extension MetricBuckets.Resolution: ExpressibleByArgument {}

extension MetricRules.Refunds: ExpressibleByArgument {}

extension MetricRules.MonthlyPrice: ExpressibleByArgument {}

extension ExportNames: ExpressibleByArgument {}

extension ReplaySource: ExpressibleByArgument {}

extension MetricRules.Retention: ExpressibleByArgument {}
extension MetricRules.Attribution: ExpressibleByArgument {}

extension MetricRules.AgeUnit: ExpressibleByArgument {}
