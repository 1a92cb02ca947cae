import DaybookDomain
import DaybookEvents
import DaybookIngest
import DaybookStore

/// Records the facts of a restore, with the customer's claim wherever that moves nothing.
///
/// Why not always: the first naming in canonical order owns a line (rule 7), and a transaction that is handed over
/// today may be older than everything that is known of its line. With the customer's name on it, it would take the
/// line from its owner, for all time and without a transfer. Such a fact is recorded without the name.
struct RestoreFacts {
    let request: RestoreRequest
    let store: any EventStore
    private let shelf: CatalogShelf
    private(set) var duplicates = 0
    private(set) var refused: [IngestReceipt.RefusedText] = []

    init(request: RestoreRequest, store: any EventStore, shelf: CatalogShelf) {
        self.request = request
        self.shelf = shelf
        self.store = store
    }

    /// Takes in everything that was handed over about a line.
    /// - Returns: Whether anything of it was taken, or there before.
    mutating func take(
        _ line: String, _ group: inout GroupDecision, _ state: inout LedgerState
    ) throws -> Bool {
        // What needs a known line comes after what makes it known.
        let all = request.statements.filter { haveSameBytes($0.line, line) && !$0.isConsumable }
        let statements = all.filter { !$0.needsKnownLine } + all.filter(\.needsKnownLine)
        let newest = statements.max { occurredAt($0) < occurredAt($1) }?.sha256
        let choices: [(RestoreStatement) -> Bool] = [
            { _ in true }, { $0.sha256 == newest }, { _ in false },
        ]
        var (plain, plainGroup) = (self, group)
        try plain.take(statements, claims: choices[2], &plainGroup, &state)
        let plainly = try belonging(line, plainGroup, state)
        for claims in choices {
            var (trial, trialGroup) = (self, group)
            try trial.take(statements, claims: claims, &trialGroup, &state)
            let found = try belonging(line, trialGroup, state)
            guard plainly.owner == 0 || found == plainly else { continue }
            let isTaken = trial.refused.count - refused.count < statements.count
            (self, group) = (trial, trialGroup)
            return isTaken
        }
        return false
    }

    private func occurredAt(_ statement: RestoreStatement) -> Int64 {
        statement.claimed.compactMap(\.draft.occurredAt).max() ?? Int64.min
    }

    private func belonging(
        _ line: String, _ group: GroupDecision, _ state: LedgerState
    ) throws -> CaseBuilder.Belonging {
        guard let stream = stream(line, state) else { return CaseBuilder.Belonging() }
        return try group.belonging(of: stream, state, at: group.now)
    }

    private func stream(_ line: String, _ state: LedgerState) -> UInt32? {
        state.names.id(of: line).flatMap { state.streamID(request.environment, .line, $0) }
    }

    /// Takes in some statements, each for itself: one that cannot be taken leaves the others alone.
    mutating func take(
        _ statements: [RestoreStatement], claims: (RestoreStatement) -> Bool,
        _ group: inout GroupDecision, _ state: inout LedgerState
    ) throws {
        for statement in statements {
            if statement.needsKnownLine, let line = statement.line,
                stream(line, state).map({ group.head(of: $0, state).version > 0 }) != true
            {
                refuse(statement, AppStoreRefusal(unknownLine: line))
                continue
            }
            let isThere = try isThere(statement.claimed, group, state)
            let reports = isThere || claims(statement) ? statement.claimed : statement.plain
            let step = ReportStep(
                reports: PreparedReports(reports, store.header.secret), options: ReportOptions(),
                store: store, shelf: shelf)
            defer { group.index(state) }
            switch try step.run(&group, &state) {
            case .success(let receipt): duplicates += receipt.duplicates
            case .failure(.badInput(let problems)):
                refuse(statement, AppStoreRefusal(problems))
            case .failure(let error): throw error
            }
        }
    }

    private func isThere(
        _ reports: [CheckedReport], _ group: GroupDecision, _ state: LedgerState
    ) throws -> Bool {
        guard let draft = reports.first?.draft, let source = state.names.id(of: draft.source.kind)
        else { return false }
        let key = EventKey(draft.environment, source, Reference(draft.source.key ?? ""))
        return try group.position(of: key, state) != nil
    }

    private mutating func refuse(_ statement: RestoreStatement, _ refusal: AppStoreRefusal) {
        refused.append(
            .init(place: statement.place, refusal: refusal, sha256: statement.sha256))
    }
}

extension AppStoreRefusal {
    /// What was signed is no event that the ledger may hold.
    init(_ problems: [InputProblem]) {
        self.init(.format, problems.map(\.description).joined(separator: "; "))
    }
}
