import ArgumentParser
import Daybook
import DaybookDomain

/// Over which time metrics are computed, and by which rules.
struct MetricRulesOptions: ParsableArguments {
    @Option(
        help: .value(
            "period",
            "One period of the calendar, such as 2026, 2026-Q1, 2026-03, 2026-W10 or 2026-03-05, in the place of --from and --until."
        ))
    var period: String?

    @Option(
        help: .value(
            "time", "Periods from the one that contains this time. Default: twelve periods."))
    var from: String?

    @Option(help: .value("time", "Periods that begin before this time."))
    var until: String?

    @Option(help: "How long a period is. Default: that of --period, else month.")
    var by: MetricBuckets.Resolution?

    @Option(help: .value("zone", "The zone at whose midnight days begin. Default: the catalog's."))
    var tz: String?

    @Option(help: "When a refund counts.")
    var refunds = MetricRules.Refunds.atRefundDate

    @Option(help: "How the price of a period becomes one of a month.")
    var monthlyPrice = MetricRules.MonthlyPrice.revenuecat

    @Option(help: .value("percent", "What the store keeps, in percent, for proceeds. Default: 30."))
    var commission: String?

    @Option(
        help: .value(
            "code",
            "The currency in which money is shown, such as EUR, by the rates of rate.recorded. Default: each its own."
        ))
    var currency: String?

    @Option(help: "When one who came back has come back.")
    var retention = MetricRules.Retention.calendar

    @Option(help: "Which payment after a trial converts it.")
    var attribution = MetricRules.Attribution.strict

    @Option(help: "What ages of cohorts are counted in. Default: as the periods are long.")
    var every: MetricRules.AgeUnit?

    @Option(help: .value("count", "The highest age of cohorts, 0 to 400. Default: 12."))
    var ages = 12

    @Option(
        help: .value(
            "id", "Count only what was paid for this product of the store; may be repeated."))
    var product: [String] = []

    @OptionGroup var customers: CustomerFilterOptions
    @OptionGroup var environment: EnvironmentOption

    /// - Parameter exposure: `nil`: every customer counts.
    func request(
        _ metrics: [String], _ exposure: ExposureOptions? = nil
    ) throws -> MetricsRequest {
        var request = MetricsRequest(metrics)
        (request.from, request.until) = try InstantText.span(from: from, until: until)
        request.period = try PeriodText.read(period, "--period")
        request.resolution = by
        request.zone = tz
        request.environment = environment.environment
        request.rules.refunds = refunds
        request.rules.monthlyPrice = monthlyPrice
        request.rules.filter = try filter(exposure)
        request.rules.retention = retention
        request.rules.attribution = attribution
        request.rules.ageUnit = every
        request.rules.ageMax = ages
        request.rules.currency = currency
        if let share = try PercentText.read(commission, "--commission") {
            request.rules.commissionMilli = share
        }
        return request
    }

    private func filter(_ exposure: ExposureOptions?) throws -> MetricFilter {
        var filter = try customers.filter()
        filter.products = product
        filter.experiment = exposure?.experiment
        filter.variant = exposure?.variant
        return filter
    }
}

/// A question about metrics with its moment.
struct MetricsOptions: ParsableArguments {
    @OptionGroup var rules: MetricRulesOptions
    @OptionGroup var moment: MomentOptions

    /// - Parameter exposure: `nil`: every customer counts.
    func request(
        _ metrics: [String], _ exposure: ExposureOptions? = nil
    ) throws -> MetricsRequest {
        var request = try rules.request(metrics, exposure)
        request.moment = try moment.moment()
        return request
    }
}

/// Which customers count by what they were shown.
struct ExposureOptions: ParsableArguments {
    @Option(
        help: .value(
            "name", "Count only customers who saw this experiment, and only from then on."))
    var experiment: String?

    @Option(help: .value("name", "Of --experiment only those who saw this variant first."))
    var variant: String?

    mutating func validate() throws {
        try require(
            variant == nil || experiment != nil,
            "--variant is one of an experiment; name it with --experiment.")
    }
}
