import DaybookDomain
import DaybookEvents
import DaybookIngest
import DaybookStore

/// Folds complete cases, whose events come one after the other, to a part of what a ledger would answer about all.
///
/// Memory is bounded by the largest case and by `batchCount` events, whatever comes.
public struct CaseFold: Sendable {
    /// Events that are folded together: enough that a context costs little beside them.
    static let batchCount = 16_384

    private let ledgers: ContextLedger
    private let request: MetricsRequest?
    private var reader: NDJSONReader
    /// Of the context, as each line has it.
    private let mark: String
    private var part: FoldedPart
    /// Whole cases that wait to be folded.
    private var waiting: [(position: Int64, draft: EventDraft)] = []
    /// The case whose lines are coming.
    private var open: OpenCase?

    private struct OpenCase: Sendable {
        let key: String
        let eventCount: Int64
        let line: Int
        var events: [(position: Int64, draft: EventDraft)] = []
    }

    /// - Parameters:
    ///   - request: Which metrics to compute, `nil`: none. Its moment is the context's, whatever it says.
    ///   - zones: Tables that the ledger of the context may share.
    /// - Throws: `LedgerError.badInput` for a question that cannot be asked.
    public init(
        _ context: FoldContext, metrics request: MetricsRequest? = nil,
        zones: ZoneTables = ZoneTables()
    ) async throws {
        ledgers = ContextLedger(context: context, zones: zones)
        reader = NDJSONReader(
            app: context.app, isReported: false, aside: CasePlace.member)
        mark = context.mark
        part = FoldedPart(context: context.digest)
        guard var request else {
            self.request = nil
            return
        }
        request.moment = Moment(at: context.at)
        self.request = request
        // Without a case: a question that cannot be asked is refused before anything is read.
        let (ledger, _) = try await ledgers.ledger()
        let report = try MetricsQuestion(core: ledger.core, workers: 1).report(request)
        part.metrics = FoldedPart.Metrics(
            definition: request.definition(report), environment: request.environment,
            subjectCount: 0, sums: MetricSums())
    }

    /// How many events were read.
    public var eventCount: Int64 {
        part.eventCount + Int64(waiting.count) + Int64(open?.events.count ?? 0)
    }

    /// Takes the next bytes of the input, which may end anywhere.
    /// - Throws: `LedgerError.badInput` with the line of what is no event of a case, or of an incomplete case.
    public mutating func take(_ piece: [UInt8]) async throws { try await take(reader.take(piece)) }

    /// Ends the input.
    /// - Returns: What all cases came to.
    /// - Throws: As `take`.
    public mutating func finish() async throws -> FoldedPart {
        try await take(reader.finish())
        try close()
        try await fold()
        return part
    }

    private mutating func take(_ found: NDJSONReader.Found) async throws {
        if let problem = found.problems.first {
            throw LedgerError.badInput([InputProblem(problem)])
        }
        for event in found.events {
            try take(event)
            if waiting.count >= Self.batchCount { try await fold() }
        }
    }

    private mutating func take(_ event: ReadEvent) throws {
        guard let place = CasePlace(event.aside) else {
            throw FoldContext.bad(
                event.line, "no_case",
                "the line has no \"\(CasePlace.member)\" with a key, the number of its events and a position; \"daybook export --partitions\" writes it"
            )
        }
        guard place.context == mark else {
            throw FoldContext.bad(
                event.line, "other_context",
                "the line was written with another context; use the one beside it")
        }
        guard place.position <= ledgers.context.position else {
            throw FoldContext.bad(
                event.line, "after_context",
                "position \(place.position) is after \(ledgers.context.position), where the context ends; use the context that was written with the lines"
            )
        }
        if open.map({ !haveSameBytes($0.key, place.key) }) ?? true {
            try close()
            open = OpenCase(key: place.key, eventCount: place.eventCount, line: event.line)
        }
        guard place.eventCount == open?.eventCount else {
            throw FoldContext.bad(
                event.line, "damaged_case",
                "\(place.key) has \(place.eventCount) events here and \(open?.eventCount ?? 0) before"
            )
        }
        open?.events.append((place.position, event.draft))
    }

    /// Ends a case, of which all events must be there, each once.
    private mutating func close() throws {
        guard let ended = open else { return }
        open = nil
        let positions = Set(ended.events.map(\.position))
        guard positions.count == ended.events.count else {
            throw FoldContext.bad(
                ended.line, "repeated_event", "\(ended.key) has an event more than once")
        }
        guard positions.count == ended.eventCount else {
            throw FoldContext.bad(
                ended.line, "incomplete_case",
                "\(ended.key) has \(positions.count) of \(ended.eventCount) events; those of one case follow one another"
            )
        }
        part.caseCount += 1
        part.cases.add(case: ended.key, eventCount: ended.eventCount)
        waiting += ended.events
    }

    /// Folds what waits.
    private mutating func fold() async throws {
        guard !waiting.isEmpty else { return }
        let events = waiting
        waiting = []
        let (ledger, _) = try await ledgers.ledger(holding: events)
        part.eventCount += Int64(events.count)
        let state = ledger.core.state.withLock { $0 }
        for sum in try AggregatePass(state, workers: 1).run(
            AggregateSum(), { $0.add($1, $2, state) })
        {
            part.digest.add(sum.digest)
            part.aggregateCount += Int64(sum.aggregateCount)
        }
        guard let request else { return }
        let (report, answer) = try MetricsQuestion(core: ledger.core, workers: 1).answer(request)
        part.metrics?.subjectCount += report.subjectCount
        part.metrics?.sums.add(answer.sums)
    }
}

/// What the line of an event says of its case.
struct CasePlace {
    /// The line's own member, which no event has.
    static let member = "fold_case"

    var key: String
    var eventCount: Int64
    /// In the ledger that it is from.
    var position: Int64
    /// The mark of the context that it was written with.
    var context: String

    init(key: String, eventCount: Int64, position: Int64, context: String) {
        self.key = key
        self.eventCount = eventCount
        self.position = position
        self.context = context
    }

    init?(_ json: JSONValue?) {
        guard let object = json?.object, let key = object["key"]?.text,
            let eventCount = object["events"]?.integer, let position = object["position"]?.integer,
            let context = object["context"]?.text, eventCount > 0, position > 0
        else { return nil }
        self.init(key: key, eventCount: eventCount, position: position, context: context)
    }

    var json: JSONValue {
        [
            "context": .string(context), "events": .integer(eventCount), "key": .string(key),
            "position": .integer(position),
        ]
    }
}
