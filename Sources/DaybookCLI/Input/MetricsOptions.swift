import ArgumentParser
import Daybook
import DaybookDomain

/// Over which time metrics are computed, and by which rules.
struct MetricsOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Periods from the one that contains this time. Default: twelve periods.",
            valueName: "time"))
    var from: String?

    @Option(help: ArgumentHelp("Periods that begin before this time.", valueName: "time"))
    var until: String?

    @Option(help: "How long a period is.")
    var by = MetricBuckets.Resolution.month

    @Option(
        help: ArgumentHelp(
            "The zone at whose midnight days begin. Default: the catalog's.", valueName: "zone"))
    var tz: String?

    @Option(help: "When a refund counts.")
    var refunds = MetricRules.Refunds.atRefundDate

    @Option(help: "How the price of a period becomes one of a month.")
    var monthlyPrice = MetricRules.MonthlyPrice.revenuecat

    @Option(
        help: ArgumentHelp(
            "What the store keeps, in percent, for proceeds. Default: 30.", valueName: "percent"))
    var commission: String?

    @OptionGroup var moment: MomentOptions
    @OptionGroup var environment: EnvironmentOption

    func request(_ metrics: [String]) throws -> MetricsRequest {
        let range = try InstantText.span(from: from, until: until)
        var request = MetricsRequest(metrics)
        request.from = range.from
        request.until = range.until
        request.resolution = by
        request.zone = tz
        request.environment = environment.environment
        request.rules.refunds = refunds
        request.rules.monthlyPrice = monthlyPrice
        request.moment = try moment.moment()
        if let share = try PercentText.read(commission, "--commission") {
            request.rules.commissionMilli = share
        }
        return request
    }
}
