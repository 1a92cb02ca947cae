import DaybookDomain
public import DaybookEvents

/// What to freeze, and under which name.
public struct ReportFreeze: Sendable, Equatable {
    /// 1 to 128 bytes, once in an environment.
    public var name: String
    /// Without a time of its own it is asked as of now; without a state of knowledge by everything that is recorded.
    public var request: MetricsRequest
    /// Who freezes it, for the record.
    public var actor: String?
    /// Why, for the record.
    public var reason: String?

    /// Creates a request; the name is checked when the report is frozen.
    public init(
        _ name: String, _ request: MetricsRequest, actor: String? = nil, reason: String? = nil
    ) {
        self.name = name
        self.request = request
        self.actor = actor
        self.reason = reason
    }
}

/// Metrics as they were known when they were frozen: a question, the state of the ledger that it was asked of, and the
/// answer's bytes.
public struct FrozenReport: Sendable, Equatable {
    /// The name under which it was frozen, once in an environment.
    public var name: String
    /// Of the event that keeps it.
    public var position: Int64
    /// When it was frozen, milliseconds since 1970 UTC.
    public var recordedAt: Int64
    /// The environment whose customers it is about.
    public var environment: Environment
    /// The last position that it knows.
    public var knownPosition: Int64
    /// The time of the question, milliseconds since 1970 UTC.
    public var at: Int64
    /// The question, with its time and what it knows; `nil` where this build does not know one of its rules.
    public var request: MetricsRequest?
    /// The text of the place of that position.
    public var place: String
    /// The version of Daybook that computed it.
    public var engine: String
    /// Of the document, in hexadecimal digits.
    public var digest: String
    /// Who froze it; `nil`: the event names none.
    public var actor: String?
    /// Why it was frozen; `nil`: the event says nothing.
    public var reason: String?
    /// Whether a correction took the event back; the report is still there.
    public var isVoid: Bool
    /// The answer as it was computed: canonical JSON, the members of `daybook metrics --json`. Empty where reports are
    /// listed.
    public var document: [UInt8] = []

    /// Reads the answer for showing it; not of one that was listed.
    /// - Returns: `nil` where this build does not know its form. Metrics that it does not know are left out.
    public var report: MetricsReport? {
        guard let request, let object = (try? JSONReader.read(document))?.object else {
            return nil
        }
        return MetricsReport(object, request)
    }
}

extension FrozenReport {
    /// - Returns: `nil` where the event has not what a report has.
    init?(_ event: RecordedEvent, isVoid: Bool) {
        let data = event.draft.data
        guard let name = data["name"]?.text, let known = data["position"]?.integer,
            let at = data["at"]?.integer, EventBounds.times.contains(at),
            let digest = data["document_sha256"]?.text
        else { return nil }
        var request = (data["definition"]?.object).flatMap(MetricsRequest.init)
        request?.environment = event.draft.environment
        request?.moment = Moment(at: at, knownAt: .position(known))
        self.init(
            name: name, position: event.position, recordedAt: event.recordedAt,
            environment: event.draft.environment, knownPosition: known, at: at, request: request,
            place: data["place"]?.text ?? "", engine: data["engine"]?.text ?? "", digest: digest,
            actor: event.draft.extras["actor"]?.text, reason: event.draft.extras["reason"]?.text,
            isVoid: isVoid)
    }
}

extension MetricsRequest {
    /// The question as an event keeps it: with the periods and the zone that it was answered for. Its time and what was
    /// known are kept beside it.
    func definition(_ report: MetricsReport) -> JSONObject {
        var definition = counting
        definition["metrics"] = .array(report.series.map { .string($0.metric.name) })
        definition["from"] = .orNull(report.periods.first?.range.lowerBound)
        definition["until"] = .orNull(report.periods.last?.range.upperBound)
        definition["tz"] = .string(report.zone)
        if let currency = rules.currency { definition["currency"] = .string(currency) }
        return definition
    }

    /// - Returns: `nil` where a rule or a length of periods is not known to this build.
    init?(_ definition: JSONObject) {
        guard let names = definition["metrics"]?.array?.compactMap(\.text), !names.isEmpty,
            let from = definition["from"]?.integer, let until = definition["until"]?.integer,
            let zone = definition["tz"]?.text,
            let commission = definition["commission_milli"]?.integer,
            (0...100_000).contains(commission),
            let by = definition["by"]?.text.flatMap(MetricBuckets.Resolution.init(rawValue:)),
            let refunds = definition["refunds"]?.text.flatMap(MetricRules.Refunds.init(rawValue:)),
            let price = definition["monthly_price"]?.text
                .flatMap(MetricRules.MonthlyPrice.init(rawValue:)),
            let retention = definition["retention"]?.text
                .flatMap(MetricRules.Retention.init(rawValue:))
        else { return nil }
        self.init(names)
        self.from = from
        self.until = until
        resolution = by
        self.zone = zone
        rules.refunds = refunds
        rules.monthlyPrice = price
        if let object = definition["filter"]?.object {
            guard let filter = MetricFilter(object) else { return nil }
            rules.filter = filter
        }
        rules.retention = retention
        if let name = definition["attribution"]?.text {
            guard let attribution = MetricRules.Attribution(rawValue: name) else { return nil }
            rules.attribution = attribution
        }
        if let every = definition["every"]?.text {
            guard let unit = MetricRules.AgeUnit(rawValue: every) else { return nil }
            rules.ageUnit = unit
        }
        if let ages = definition["ages"]?.integer {
            guard (0...Int64(MetricRules.ageCountMax)).contains(ages) else { return nil }
            rules.ageMax = Int(ages)
        }
        rules.commissionMilli = commission
        rules.currency = definition["currency"]?.text
    }
}

extension MetricsReport {
    /// Reads what `json` writes.
    fileprivate init?(_ object: JSONObject, _ request: MetricsRequest) {
        guard let list = object["metrics"]?.array, let zone = object["tz"]?.text,
            let asOf = object["as_of"]?.object, let at = asOf["at"]?.integer,
            let position = asOf["position"]?.integer
        else { return nil }
        var periods: [Period] = []
        var places: [String: Int] = [:]
        var series: [MetricSeries] = []
        for entry in list.compactMap(\.object) {
            guard let metric = entry["name"]?.text.flatMap(Metric.named) else { continue }
            let values = (entry["values"]?.array ?? []).compactMap(\.object).compactMap { value in
                MetricSeries.Value(value, metric) { name, range in
                    if let place = places[name] { return place }
                    places[name] = periods.count
                    periods.append(Period(name: name, range: range))
                    return periods.count - 1
                }
            }
            series.append(MetricSeries(metric: metric, values: values))
        }
        self.init(
            request: request, series: series, periods: periods, zone: zone,
            asOf: AsOf(
                at: at, knownAt: asOf["known_at"]?.integer, position: position,
                catalog: asOf["catalog"]?.integer, isOpen: asOf["open"] == .bool(true)),
            subjectCount: Int(clamping: object["subjects"]?.integer ?? 0))
    }
}

extension MetricSeries.Value {
    /// - Parameter place: Gives a period its place.
    fileprivate init?(
        _ object: JSONObject, _ metric: Metric, _ place: (String, Range<Int64>) -> Int
    ) {
        guard let period = object["period"]?.text, let from = object["from"]?.integer,
            let until = object["until"]?.integer, from < until,
            let numerator = object["numerator"]?.integer,
            let denominator = object["denominator"]?.integer
        else { return nil }
        self.init(
            bucket: place(period, from..<until), range: from..<until,
            group: metric.groups.flatMap { object[$0]?.text } ?? "",
            age: object["age"]?.integer.map { Int(clamping: $0) }, numerator: numerator,
            denominator: denominator, isComplete: object["complete"] == .bool(true),
            micros: object["value_micros"]?.integer)
    }
}
