import ArgumentParser
import Daybook

/// Of which value to tell who is behind it.
struct ContributionsOptions: ParsableArguments {
    @Option(
        help: .value(
            "period",
            "Tell who is behind the value of this period, such as 2026-03, or of the last one, and with how much."
        ))
    var behind: String?

    @Option(help: .value("name", "With --behind: the currency, feature or meter of the value."))
    var group: String?

    @Option(help: .value("count", "With --behind: the age of the value."))
    var age: Int?

    @Option(
        help: .value("count", "With --behind: so many, those with the largest part. Default: all."))
    var limit: Int?

    var isAsked: Bool { behind != nil }

    mutating func validate() throws {
        try require(
            behind != nil || group == nil && age == nil && limit == nil,
            "--group, --age and --limit are of --behind; write it beside.")
        if let limit, limit < 1 { throw ValidationError("--limit is at least 1.") }
    }

    func request(_ metrics: MetricsRequest) -> ContributionsRequest {
        var request = ContributionsRequest(metrics)
        request.period = behind == "last" ? nil : behind
        request.group = group ?? ""
        request.age = age
        request.limit = limit
        return request.aboutPeriod
    }
}
