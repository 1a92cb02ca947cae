import DaybookDomain
import DaybookEvents
import DaybookIngest
import DaybookStore

/// Records the facts of a restore, with the customer's claim.
///
/// A claim is dated by the ledger's clock, so it comes after the owner of the lineage was named and never takes it from
/// that owner, however old the transaction is that is handed over: then it is the evidence of a refused restore.
struct RestoreFacts {
    let request: RestoreRequest
    let store: any EventStore
    let catalogCache: CatalogCache
    private(set) var duplicates = 0
    private(set) var refused: [IngestReceipt.RefusedText] = []

    /// Takes in everything that was handed over about a lineage.
    /// - Returns: Whether anything of it was taken, or there before.
    mutating func take(
        _ lineage: String, _ group: inout GroupDecision, _ state: inout LedgerState
    ) throws -> Bool {
        // What needs a known lineage comes after what makes it known.
        let all = request.statements.filter {
            haveSameBytes($0.lineage, lineage) && !$0.isConsumable
        }
        let statements = all.filter { !$0.needsKnownLineage } + all.filter(\.needsKnownLineage)
        let before = refused.count
        try take(statements, &group, &state)
        return refused.count - before < statements.count
    }

    /// Takes in some statements, each for itself: one that cannot be taken leaves the others alone.
    mutating func take(
        _ statements: [RestoreStatement], _ group: inout GroupDecision, _ state: inout LedgerState
    ) throws {
        for statement in statements {
            if statement.needsKnownLineage, let lineage = statement.lineage,
                state.stream(named: lineage, .lineage, in: request.environment)
                    .map({ group.head(of: $0, state).version > 0 }) != true
            {
                refuse(statement, PayloadRefusal(unknownLineage: lineage))
                continue
            }
            let step = ReportStep(
                reports: PreparedReports(statement.facts), options: ReportOptions(), store: store,
                catalogCache: catalogCache)
            defer { group.index(state) }
            switch try step.run(&group, &state) {
            case .success(let receipt): duplicates += receipt.duplicates
            case .failure(.badInput(let problems)):
                refuse(statement, PayloadRefusal(problems))
            case .failure(let error): throw error
            }
        }
    }

    private mutating func refuse(_ statement: RestoreStatement, _ refusal: PayloadRefusal) {
        refused.append(
            .init(place: statement.place, refusal: refusal, sha256: statement.sha256))
    }
}

extension PayloadRefusal {
    /// What was signed is no event that the ledger may hold.
    init(_ problems: [InputProblem]) {
        let isConflict = problems.contains { $0.code == EventProblem.Code.keyConflict.rawValue }
        self.init(
            isConflict ? .conflict : .format,
            problems.map(\.description).joined(separator: "; "))
    }
}
