public import Daybook
import DaybookDomain
public import DaybookEvents
import DaybookStore

/// What is to be captured.
public struct CaptureRequest: Sendable {
    /// At least one.
    public var subjects: [String]
    /// The environment of all subjects.
    public var environment: Environment
    /// The moment of the answers; what became known later is left out.
    public var moment: Moment
    /// Asked of every subject, besides the status.
    public var questions: [ReproBundle.Question]
    /// Replace ids and texts.
    public var isRedacted: Bool
    /// The build's own name, for readers of the file.
    public var version: String

    /// Creates a request about at least one subject; whether they are known is checked by the capture.
    public init(
        _ subjects: [String], environment: Environment = .production, moment: Moment = .now,
        questions: [ReproBundle.Question] = [], isRedacted: Bool = false, version: String
    ) {
        precondition(!subjects.isEmpty, "A bundle is about at least one customer.")
        self.subjects = subjects
        self.environment = environment
        self.moment = moment
        self.questions = questions
        self.isRedacted = isRedacted
        self.version = version
    }
}

extension Ledger {
    /// Everything that the answers about a few customers rest on, and the answers.
    ///
    /// It is tried before it is given: replayed by itself it gives the ledger's answers, or it is no bundle.
    /// - Throws: `BundleProblem.unknownSubject`, `.cohortsDiffer` or `.differs`; else as `check` does.
    /// - Complexity: O(*n*) in the events of the subjects, their lineages and the catalogs.
    public func capture(_ request: CaptureRequest) async throws -> ReproBundle {
        try await captured(request).bundle
    }

    /// The same with the way back from the names that a redaction gave.
    package func captured(
        _ request: CaptureRequest
    ) async throws -> (bundle: ReproBundle, names: RedactedNames?) {
        let (found, events) = try gathered(request)
        var bundle = found
        var names: RedactedNames?
        if request.isRedacted {
            let redaction = Redaction(
                events, cohorts: try cohorts(found), zones: core.zoneTables, asked: found.answers)
            names = redaction.names
            bundle.isRedacted = true
            bundle.drafts = redaction.drafts
            bundle.answers = found.answers.map { redaction.asked($0) }
        }
        let replay = try await bundle.ledger()
        bundle.answers = try bundle.answers(of: replay)
        let differences = zip(found.answers, bundle.answers).flatMap { told, replayed in
            ReproBundle.differences(
                told.content, names?.restored(replayed.content) ?? replayed.content)
        }
        guard differences.isEmpty else { throw BundleProblem.differs(differences) }
        return (bundle, names)
    }

    /// The bundle as it is in the ledger, and its events in the order in which they were recorded.
    private func gathered(
        _ request: CaptureRequest
    ) throws -> (ReproBundle, [RankedEvent]) {
        try refresh()
        let subjects = request.subjects.reduce(into: [String]()) { kept, subject in
            if !kept.contains(where: { haveSameBytes($0, subject) }) { kept.append(subject) }
        }
        let at = request.moment.at ?? core.clock()
        let asked: Int64 = try core.translating {
            try core.resolve(request.moment.knownAt, now: core.clock()).position
        }
        // A copy, so that no writer waits for a capture.
        let state = core.state.withLock { $0 }
        let cut = min(asked, state.head.position)
        let moment = Moment(at: at, knownAt: .position(cut))
        var answers: [ReproBundle.Answer] = []
        for subject in subjects {
            let status = try answer(to: nil, about: subject, request.environment, moment)
            guard status.content["known"] == true else {
                throw BundleProblem.unknownSubject(subject, request.environment, position: cut)
            }
            answers.append(status)
            for question in request.questions {
                answers.append(
                    try answer(to: question, about: subject, request.environment, moment))
            }
        }
        let events: [RankedEvent] = try core.translating {
            let rows = try concernedRows(subjects, request.environment, state, cut: cut)
            return try ranked(rows, state)
        }
        let projections = Projection.allCases.map {
            JSONObject.Member(name: $0.rawValue, value: .string($0.version))
        }
        let bundle = ReproBundle(
            app: app, environment: request.environment, at: at, position: cut,
            version: request.version, projections: JSONObject(projections), isRedacted: false,
            drafts: events.map(\.draft), answers: answers)
        return (bundle, events)
    }

    private func ranked(
        _ rows: [EventRow], _ state: LedgerState
    ) throws -> [RankedEvent] {
        var ordered = rows.map { OrderedEvent(event: $0.event, key: $0.key) }
        OrderedEvent.sort(&ordered, names: state.names)
        var ranks: [Int64: Int] = [:]
        for (rank, event) in ordered.enumerated() { ranks[event.event.position] = rank }
        return try rows.map { row in
            let recorded = try EventDecoder.recorded(
                row, stream: state.streamName(row.event.stream), names: state.names)
            var draft = try Export(core: core).inlined(recorded).draft
            draft.recordedAt = recorded.recordedAt
            return RankedEvent(draft: draft, rank: ranks[recorded.position] ?? 0)
        }
    }

    /// Of each catalog that is for a share of the customers, whether these are in it: under other names they would be
    /// in another share (MS-64).
    private func cohorts(_ bundle: ReproBundle) throws -> [Int64: Bool] {
        var cohorts: [Int64: Bool] = [:]
        let names = bundle.answers.filter { $0.question == nil }
            .compactMap { $0.content["subject"]?.text }
        for entry in try catalogs().known(at: bundle.position).versions {
            guard case .cohort(let percent) = entry.scope else { continue }
            let isIn = Set(
                names.map {
                    CatalogHistory.bucket($0, document: entry.documentDigest) < percent
                })
            guard let all = isIn.first, isIn.count == 1 else {
                throw BundleProblem.cohortsDiffer(version: entry.version)
            }
            cohorts[entry.version] = all
        }
        return cohorts
    }
}
