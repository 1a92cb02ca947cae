public import DaybookDomain
public import DaybookEvents

extension Ledger {
    /// The most resets that one question tells.
    public static let resetsMax = 1_000

    /// When a customer's counter began anew, and when it will as far as is known.
    /// - Parameters:
    ///   - meter: Its name, an alias of it, or the feature that it counts.
    ///   - from: Then or later; `nil`: from the start of the period that contains the asked time on.
    ///   - until: Only before; `nil`: without an end.
    ///   - limit: At most so many, 1 to `resetsMax`.
    /// - Returns: Ascending; whether further ones follow in the range; and the cut.
    /// - Throws: `LedgerError.badInput` for a name that the catalog does not have, and for a meter that counts nothing.
    public func resets(
        of subject: String, meter name: String, environment: Environment = .production,
        from: Int64? = nil, until: Int64? = nil, limit: Int = 20, moment: Moment = .now
    ) throws -> (resets: [MeterReset], isMore: Bool, asOf: AsOf) {
        let (question, asOf) = try customerCase(subject, environment, moment)
        guard let check = Check(question) else { throw try noCatalog(asOf) }
        guard let meter = check.catalog.meter(counting: name) else {
            let nearest = NearestName.of(name, among: check.catalog.meters.map(\.name))
            let hint = nearest.map { "; did you mean \($0)?" } ?? ""
            throw Self.badReset("unknown_name", "the catalog has no meter \(name)\(hint)")
        }
        guard meter.kind == .counter else {
            throw Self.badReset(
                "wrong_kind",
                "\(meter.name) is a \(meter.kind.rawValue), which never begins anew")
        }
        let start = from ?? check.usage.period(of: meter, at: question.at).start
        let end = until ?? Int64.max
        guard start < end else { return ([], false, asOf) }
        let (resets, isMore) = ResetCalendar(question, check).resets(
            of: meter, in: start..<end, limit: min(max(1, limit), Self.resetsMax))
        return (resets, isMore, asOf)
    }

    private static func badReset(_ code: String, _ reason: String) -> LedgerError {
        .badInput([InputProblem(line: nil, column: nil, code: code, reason: reason)])
    }
}
