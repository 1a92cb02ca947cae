public import Daybook
import DaybookDomain
import DaybookEvents

/// The plane of two clocks (decision 0034).
extension Ledger {
    private static let day: Int64 = 86_400_000

    /// What was so about one name of a customer at every time, as known at every time.
    /// - Parameters:
    ///   - request: The name, and which part of the plane.
    ///   - subject: The customer, by any of their ids.
    ///   - environment: The environment in which the subject is a customer.
    ///   - moment: The last that is known; its time ends what people were told.
    /// - Throws: `LedgerError.badInput` for a name that no known catalog has, for an empty range, and for one in which
    ///   the answer changes more than 4,096 times or that takes too many looks; and as `check` does.
    /// - Complexity: For each of the newest events that have a row one fold of the customer's events, and an answer for
    ///   each time that those name; a use or a screen changes nothing before its own time, so only what comes after is
    ///   computed.
    public func beliefs(
        _ request: BeliefRequest, of subject: String,
        environment: Environment = .production, moment: Moment = .now
    ) throws -> BeliefPlane {
        let (context, asOf) = try core.customerCase(subject, environment, moment)
        return try core.translating {
            // A copy, so that no writer waits for it.
            let state = core.state.withLock { $0.remembering() }
            let kind = try kind(of: request.name, state, cut: asOf.position)
            let asked = CheckQuestion(request.name, profile: request.profile)
            let question = PlaneQuestion(
                environment, subject, asked, kind, state, core.zoneTables,
                cut: asOf.position)
            // Commits know of catalogs by themselves.
            let listed = try concernedRows([subject], environment, state, cut: asOf.position)
                .filter { ![.catalogPublished, .catalogRolledBack].contains($0.event.type) }
            let last = PlaneRow(question, cut: asOf.position)
            // As they were told, and as they are corrected.
            question.note(
                listed.map(\.event)
                    + (try last.corrected(streams: Set(listed.map(\.event.stream)))))
            let eventCount =
                request.eventCount ?? BeliefRequest.eventCountDefault(ofEvents: listed.count)
            // Where no beginning is asked for, of the last times at which something happened twice as many as of rows.
            let valid = try range(
                request, asOf, listed.map(\.event.occurredAt), timeCountMax: 2 * eventCount)
            var search = PlaneSearch(core: core, question: question, valid: valid)
            do {
                try search.run(
                    listed, eventCount, last, cut: asOf.position, until: asOf.at)
            } catch is PlaneTooLarge {
                throw LedgerError.bad(
                    "too_many_changes",
                    "the answer changes too often in this range to be told; ask for a shorter one, or for fewer events"
                )
            }
            return BeliefPlane(
                subject: subject, name: request.name, kind: kind, profile: request.profile,
                isKnown: context.isKnown, asOf: asOf, valid: valid, rows: search.rows,
                rectangles: search.rectangles,
                differences: search.differences(), passedCount: search.passedCount)
        }
    }

    /// By the catalogs that are known, the newest first.
    private func kind(
        of name: String, _ state: LedgerState, cut: Int64
    ) throws -> BeliefPlane.Kind {
        let catalogs = state.catalogs.known(at: cut).versions.reversed().map(\.catalog)
        guard let newest = catalogs.first else {
            throw LedgerError.bad(
                "no_catalog_known",
                "no catalog was known at position \(cut), so there were no rules yet")
        }
        for catalog in catalogs {
            if catalog.meter(named: name) != nil { return .meter }
            if catalog.feature(named: name) != nil { return .feature }
            if catalog.entitlements.contains(where: { haveSameBytes($0.name, name) }) {
                return .entitlement
            }
        }
        let names =
            newest.features.map(\.name) + newest.meters.map(\.name)
            + newest.entitlements.map(\.name)
        throw LedgerError.bad(
            "unknown_name",
            "no catalog has a feature, meter or entitlement \"\(name)\"\(NearestName.hint(name, among: names))"
        )
    }

    private func range(
        _ request: BeliefRequest, _ asOf: AsOf, _ times: [Int64], timeCountMax: Int
    ) throws -> Range<Int64> {
        let until =
            request.until
            ?? min(asOf.at, EventBounds.timeMax).addingSaturated(
                30 * Self.day)
        let first = Set(times).filter { $0 < until }.sorted().suffix(timeCountMax).first
        let from = request.from ?? max(first ?? until - 30 * Self.day, 0)
        try LedgerError.require(
            from < until, "bad_range",
            "the range ends at \(RFC3339.format(until)), before it begins at \(RFC3339.format(from))"
        )
        return from..<until
    }
}
