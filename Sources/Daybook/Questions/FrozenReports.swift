import DaybookDomain
import DaybookEvents
import DaybookStore

/// Reports that are kept as they were computed.
struct FrozenReports {
    let core: LedgerCore
    /// `nil`: as many threads as can run at once.
    var workers: Int?

    /// The report as an event, which brings the answer as its document.
    func draft(
        of freeze: ReportFreeze, progress: @Sendable (Int, Int) throws -> Void
    ) throws -> EventDraft {
        try LedgerError.require(
            (1...128).contains(freeze.name.utf8.count), "bad_name",
            "the name of a report has 1 to 128 bytes, not \(freeze.name.utf8.count)")
        let head = try core.head()
        var request = freeze.request
        if request.moment.knownAt == nil { request.moment.knownAt = .position(head.position) }
        if request.moment.at == nil, freeze.request.moment.knownAt == nil {
            // The millisecond before now is over, so that time changes nothing of it.
            request.moment.at = LedgerClock(wall: core.clock(), last: head.recordedAt).now - 1
        }
        if let at = freeze.request.moment.at, at >= core.clock() {
            throw LedgerError.bad(
                "bad_range", "\(RFC3339.format(at)) is not over yet; a report is of the past")
        }
        let report = try MetricsQuestion(core: core, workers: workers).report(
            request, progress: progress)
        let document = report.json.canonicalBytes
        try LedgerError.require(
            document.count <= EventBounds.documentByteCountMax, "report_too_large",
            "the report has \(document.count) bytes, more than \(EventBounds.documentByteCountMax); freeze fewer metrics, or fewer or longer periods"
        )
        return EventDraft(
            type: .reportFrozen, environment: request.environment, subject: nil,
            occurredAt: report.asOf.at,
            source: EventSource(kind: "ledger", key: Self.key(freeze.name)), trust: .admin,
            data: [
                "name": .string(freeze.name), "position": .integer(report.asOf.position),
                "place": .string("\(try Places(core: core).place(at: report.asOf.position))"),
                "at": .integer(report.asOf.at),
                "definition": .object(request.definition(report)),
                "engine": .string(DaybookVersion.current),
                "document_sha256": .string(Digest.hexadecimal(Digest.sha256(document))),
                "document": .string(String(decoding: document, as: UTF8.self)),
            ], extras: JSONObject(actor: freeze.actor, reason: freeze.reason))
    }

    /// The report that a request for its name made before.
    /// - Throws: `LedgerError.badInput` where that one asked something else.
    func repeated(_ freeze: ReportFreeze) throws -> FrozenReport? {
        let reports = try all(in: freeze.request.environment)
        guard let kept = reports.first(where: { haveSameBytes($0.name, freeze.name) }) else {
            return nil
        }
        var request = freeze.request
        // Without a time of its own the same request asks of a later one.
        request.moment.at = request.moment.at ?? kept.at
        request.moment.knownAt = request.moment.knownAt ?? .position(kept.knownPosition)
        let again = try MetricsQuestion(core: core, workers: workers).report(request)
        var asked = MetricsRequest(request.definition(again))
        asked?.environment = request.environment
        asked?.moment = Moment(at: again.asOf.at, knownAt: .position(again.asOf.position))
        try LedgerError.require(
            asked == kept.request, "name_taken",
            "the report \"\(freeze.name)\" was frozen at position \(kept.position) and answers another question; a frozen report never changes, so take another name"
        )
        return try withDocument(kept)
    }

    private static func key(_ name: String) -> String { "report/\(name)" }

    /// All of an environment, in the order in which they were frozen, without their documents.
    func all(in environment: Environment) throws -> [FrozenReport] {
        return try core.answering {
            let last = core.state.withLock { state in
                // As `EventRouter` calls the stream.
                state.headOfLedger("reports", in: environment)
            }
            guard last > 0 else { return [] }
            return try core.store.stream(endingAt: last)
                .sorted { $0.event.position < $1.event.position }
                .filter { $0.event.type == .reportFrozen }.map { try report($0, environment) }
        }
    }

    /// - Throws: `LedgerError.badInput` for an unknown name, with the nearest one.
    func named(_ name: String, in environment: Environment) throws -> FrozenReport {
        let reports = try all(in: environment)
        if let found = reports.first(where: { haveSameBytes($0.name, name) }) {
            return try withDocument(found)
        }
        let hint = NearestName.hint(name, among: reports.map(\.name))
        throw LedgerError.bad("unknown_name", "no report was frozen as \"\(name)\"\(hint)")
    }

    private func report(_ row: EventRow, _ environment: Environment) throws -> FrozenReport {
        let event = try core.recorded(row)
        let key = EventKey(environment, row.event.source, row.event.key)
        let isVoid = core.state.withLock { $0.corrections.isVoid(key, cut: Int64.max) }
        guard let report = FrozenReport(event, isVoid: isVoid) else {
            throw StoreError(
                .damaged,
                "the report at position \(event.position) has not what a report has"
            )
        }
        return report
    }

    private func withDocument(_ report: FrozenReport) throws -> FrozenReport {
        var kept = report
        kept.document = try core.document(
            report.digest, of: "the document of the report \"\(report.name)\"")
        return kept
    }

    // MARK: Comparing

    /// - Parameter knownAt: `nil`: everything that is recorded.
    func comparison(
        of name: String, in environment: Environment, knownAt: Moment.Knowledge?,
        progress: @Sendable (Int, Int) throws -> Void
    ) throws -> ReportComparison {
        let frozen = try named(name, in: environment)
        var known = frozen.request
        // One that another version computed is compared in what this one knows, too.
        known?.metrics.removeAll { Metric.named($0) == nil }
        guard let report = frozen.report, var request = known, !request.metrics.isEmpty else {
            throw LedgerError.bad(
                "unknown_form", "the report \"\(name)\" has a form that this version does not know")
        }
        try core.readKeys()
        let (old, then) = try MetricsQuestion(core: core, workers: workers).answer(
            request, progress: progress)
        let end = try core.head().position
        request.moment.knownAt = knownAt ?? .position(end)
        let (new, now) = try MetricsQuestion(core: core, workers: workers).answer(
            request, progress: progress)
        try LedgerError.require(
            new.asOf.position >= old.asOf.position, "bad_range",
            "the report knows the events up to position \(old.asOf.position); compare it with what was known later"
        )
        // A zone's own changes may come with another table of the machine between two looks.
        try LedgerError.require(
            then.buckets == now.buckets, "bad_range",
            "the periods of the report are not what they were; ask again")
        let causes = try core.translating {
            try ReportCauses(
                core: core, state: try core.knownState(at: new.asOf.position), request: request,
                at: frozen.at, old: old.asOf.position, new: new.asOf.position, answer: now
            ).contributions(progress: progress)
        }
        var rest = now.sums - then.sums
        for cause in causes { rest = rest - cause.difference }
        return ReportComparison(
            report: frozen, isOfThisHistory: try isOfThisHistory(frozen), current: new,
            differences: Self.differences(frozen: report, recomputed: old, current: new),
            contributions: causes.compactMap { cause in
                let changes = now.changes(cause.difference)
                return changes.isEmpty
                    ? nil
                    : .init(
                        subject: cause.subject, cause: cause.cause, positions: cause.positions,
                        changes: changes)
            }, unexplained: now.changes(rest))
    }

    private func isOfThisHistory(_ report: FrozenReport) throws -> Bool {
        guard let place = Place(report.place) else { return false }
        do {
            try Places(core: core).confirm(place)
            return true
        } catch LedgerError.historyReplaced, LedgerError.placeAhead {
            return false
        }
    }

    private struct ValueName: Hashable {
        let metric: String
        let group: ExactText
        let period: String
        let age: Int?
    }

    private static func differences(
        frozen: MetricsReport, recomputed: MetricsReport, current: MetricsReport
    ) -> [ReportComparison.Difference] {
        var order: [ValueName] = []
        func values(_ report: MetricsReport) -> [ValueName: MetricSeries.Value] {
            var values: [ValueName: MetricSeries.Value] = [:]
            for series in report.series {
                for var value in series.values {
                    let place = ValueName(
                        metric: series.metric.name, group: ExactText(value.group),
                        period: report.periods[value.bucket].name, age: value.age)
                    // Periods are compared by name: a form may list fewer of them. That time may change a value is none
                    // of its numbers.
                    value.bucket = 0
                    value.isComplete = true
                    values[place] = value
                    order.append(place)
                }
            }
            return values
        }
        let (now, then, kept) = (values(current), values(recomputed), values(frozen))
        var seen: Set<ValueName> = []
        return order.filter { seen.insert($0).inserted }.compactMap { place in
            guard let metric = Metric.named(place.metric),
                !(now[place] == kept[place] && then[place] == kept[place])
            else { return nil }
            return .init(
                metric: metric, period: place.period, group: place.group.text, age: place.age,
                frozen: kept[place], recomputed: then[place], current: now[place])
        }
    }
}

extension LedgerCore {
    /// A document that an event names by its digest.
    /// - Parameter name: What it is called where it is missing.
    func document(_ digest: String, of name: String) throws -> [UInt8] {
        if let document = try translating({ try store.document(sha256: digest) }) {
            return document
        }
        throw LedgerError.store(
            StoreError(.damaged, "\(name) is not in the ledger; run daybook verify"))
    }
}
