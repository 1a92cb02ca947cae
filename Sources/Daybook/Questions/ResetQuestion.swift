import DaybookDomain
import DaybookEvents

/// When the periods of a meter begin.
struct ResetQuestion {
    let core: LedgerCore

    /// The most resets that one question tells.
    public static let resetsMax = 1_000

    /// When a customer's counter began anew, and when it will as far as is known.
    func resets(
        of subject: String, meter name: String, environment: Environment = .production,
        from: Int64? = nil, until: Int64? = nil, limit: Int = 20, moment: Moment = .now
    ) throws -> (resets: [MeterReset], isMore: Bool, asOf: AsOf) {
        let (question, asOf) = try core.customerCase(subject, environment, moment)
        guard let check = Check(question) else {
            throw try CustomerAnswers(core: core).noCatalog(asOf)
        }
        guard let meter = check.catalog.meter(counting: name) else {
            let nearest = NearestName.of(name, among: check.catalog.meters.map(\.name))
            let hint = nearest.map { "; did you mean \($0)?" } ?? ""
            throw LedgerError.bad("unknown_name", "the catalog has no meter \(name)\(hint)")
        }
        try LedgerError.require(
            meter.kind == .counter, "wrong_kind",
            "\(meter.name) is a \(meter.kind.rawValue), which never begins anew")
        let start = from ?? check.usage.period(of: meter, at: question.at).start
        let end = until ?? Int64.max
        guard start < end else { return ([], false, asOf) }
        let (resets, isMore) = ResetCalendar(question, check).resets(
            of: meter, in: start..<end, limit: min(max(1, limit), Self.resetsMax))
        return (resets, isMore, asOf)
    }

}
