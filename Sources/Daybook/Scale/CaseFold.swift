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
    private let questions: FoldQuestions
    private var reader: NDJSONReader
    /// Of the context, as each line has it.
    private let mark: String
    private var part: FoldedPart
    /// Whole cases that wait to be folded.
    private var waiting: [CaseLine] = []
    /// The case whose lines are coming.
    private var open: OpenCase?

    private struct OpenCase: Sendable {
        let key: String
        let eventCount: Int64
        let line: Int
        var events: [CaseLine] = []
    }

    /// - Parameters:
    ///   - context: The one that was written with the lines; those of another one are refused.
    ///   - questions: What to compute besides the digest, all at the context's moment.
    ///   - zones: Tables that the ledger of the context may share.
    /// - Throws: `LedgerError.badInput` for a question that cannot be asked.
    public init(
        _ context: FoldContext, _ questions: FoldQuestions = FoldQuestions(),
        zones: ZoneTables = ZoneTables()
    ) throws {
        ledgers = ContextLedger(context: context, zones: zones)
        reader = NDJSONReader(app: context.app, isReported: false)
        mark = context.mark
        part = FoldedPart(context: context.digest)
        var questions = questions
        questions.metrics?.moment = Moment(at: context.at)
        for index in questions.funnels.indices {
            questions.funnels[index].moment = Moment(at: context.at)
        }
        self.questions = questions
        guard questions.metrics != nil || !questions.funnels.isEmpty else { return }
        // Without a case: a question that cannot be asked is refused before anything is read.
        let (ledger, _) = try ledgers.ledger()
        if let request = questions.metrics {
            let report = try MetricsQuestion(core: ledger.core, workers: 1).report(request)
            var definition = request.definition(report)
            definition[FoldedPart.zoneMark] = .string(zones.mark(of: report.zone))
            part.metrics = FoldedPart.Metrics(
                definition: definition, environment: request.environment, subjectCount: 0,
                sums: MetricSums())
        }
        part.funnels = try questions.funnels.map {
            FoldedPart.Funnel(
                definition: $0.definition,
                sums: try FunnelQuestion(core: ledger.core, workers: 1).answer($0).sums)
        }
    }

    /// How many events were read.
    public var eventCount: Int64 {
        part.eventCount + Int64(waiting.count) + Int64(open?.events.count ?? 0)
    }

    /// Takes the next bytes of the input, which may end anywhere.
    /// - Throws: `LedgerError.badInput` with the line of what is no event of a case, or of an incomplete case.
    public mutating func take(_ piece: [UInt8]) throws { try take(reader.split(piece)) }

    /// Ends the input.
    /// - Returns: What all cases came to.
    /// - Throws: As `take`.
    public mutating func finish() throws -> FoldedPart {
        try take(reader.lastLine())
        try close()
        try fold()
        return part
    }

    private mutating func take(_ lines: [InputLine]) throws {
        for line in lines {
            try take(
                try CaseLine(reading: line, app: ledgers.context.app, mark: mark), line.number)
            if waiting.count >= Self.batchCount { try fold() }
        }
    }

    private mutating func take(_ line: CaseLine, _ number: Int) throws {
        try FoldContext.require(
            line.position <= ledgers.context.position, number, "after_context",
            "position \(line.position) is after \(ledgers.context.position), where the context ends; use the context that was written with the lines"
        )
        try FoldContext.require(
            line.eventCount <= ledgers.context.eventCount
                && EventRouter.stream(of: line.event).kind != .ledger, number, "damaged_case",
            "\(ShownText.escaped(line.key)) has more events than the ledger, or one of the ledger's own"
        )
        if open.map({ !haveSameBytes($0.key, line.key) }) ?? true {
            try close()
            open = OpenCase(key: line.key, eventCount: line.eventCount, line: number)
        }
        try FoldContext.require(
            line.eventCount == open?.eventCount, number, "damaged_case",
            "\(ShownText.escaped(line.key)) has \(line.eventCount) events here and \(open?.eventCount ?? 0) before"
        )
        open?.events.append(line)
    }

    /// Ends a case, of which all events must be there, each once.
    private mutating func close() throws {
        guard let ended = open else { return }
        open = nil
        let positions = Set(ended.events.map(\.position))
        try FoldContext.require(
            positions.count == ended.events.count, ended.line, "repeated_event",
            "\(ShownText.escaped(ended.key)) has an event more than once")
        try FoldContext.require(
            positions.count == ended.eventCount, ended.line, "incomplete_case",
            "\(ShownText.escaped(ended.key)) has \(positions.count) of \(ended.eventCount) events; those of one case follow one another"
        )
        part.caseCount += 1
        part.cases.add(case: ended.key, eventCount: ended.eventCount)
        waiting += ended.events
    }

    /// Folds what waits.
    private mutating func fold() throws {
        guard !waiting.isEmpty else { return }
        let events = waiting
        waiting = []
        let (ledger, _) = try ledgers.ledger(holding: events)
        part.eventCount += Int64(events.count)
        let sums = try BucketSums.folding(ledger.core.state.withLock { $0 }, workers: 1)
        part.buckets.add(sums)
        part.digest.add(sums.aggregates.digest)
        part.aggregateCount += Int64(sums.aggregates.aggregateCount)
        if let request = questions.metrics {
            let (report, answer) = try MetricsQuestion(core: ledger.core, workers: 1)
                .answer(request)
            part.metrics?.subjectCount += report.subjectCount
            part.metrics?.sums.add(answer.sums)
        }
        for (index, request) in questions.funnels.enumerated() {
            part.funnels[index].sums.add(
                try FunnelQuestion(core: ledger.core, workers: 1).answer(request).sums)
        }
    }
}

/// What folds compute besides the digest and the counts.
public struct FoldQuestions: Sendable, Equatable {
    /// `nil`: no metrics.
    public var metrics: MetricsRequest?
    /// The funnels to compute; their moments are set to the context's.
    public var funnels: [FunnelRequest] = []

    /// Neither metrics nor funnels: the digest and the counts alone.
    public init() {}
}
