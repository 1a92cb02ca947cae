import ArgumentParser
import Daybook
import DaybookDomain
import DaybookEvents

/// Which customers count.
struct CustomerFilterOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Count only customers of this country, such as DE; may be repeated.",
            valueName: "code"))
    var country: [String] = []

    @Option(
        help: ArgumentHelp(
            "Count only customers who were first seen in this period, such as 2026-03.",
            valueName: "period"))
    var cohort: String?

    @Option(
        help: ArgumentHelp(
            "Count only customers for whom this version of the catalog is in force.",
            valueName: "version"))
    var catalogVersion: Int64?

    func filter() throws -> MetricFilter {
        var filter = MetricFilter()
        filter.countries = country.map { CountryCode.short($0) ?? $0 }
        filter.cohort = try PeriodText.read(cohort, "--cohort")
        filter.catalogVersion = catalogVersion
        return filter
    }
}
