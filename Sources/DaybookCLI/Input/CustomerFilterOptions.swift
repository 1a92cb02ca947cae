import ArgumentParser
import Daybook
import DaybookDomain
import DaybookEvents

/// Which customers count.
struct CustomerFilterOptions: ParsableArguments {
    @Option(
        help: .value("code", "Count only customers of this country, such as DE; may be repeated."))
    var country: [String] = []

    @Option(
        help: .value(
            "period", "Count only customers who were first seen in this period, such as 2026-03."))
    var cohort: String?

    @Option(
        help: .value(
            "version", "Count only customers for whom this version of the catalog is in force."))
    var catalogVersion: Int64?

    func filter() throws -> MetricFilter {
        var filter = MetricFilter()
        filter.countries = country.map { CountryCode.short($0) ?? $0 }
        filter.cohort = try PeriodText.read(cohort, "--cohort")
        filter.catalogVersion = catalogVersion
        return filter
    }
}
