import DaybookDomain
import DaybookEvents
import DaybookIngest
import DaybookStore

/// Takes in what a customer's device handed over, and decides who owns each lineage (E51): one command, one commit.
struct RestoreStep {
    let request: RestoreRequest
    let store: any EventStore
    let zones: ZoneTables
    let catalogCache: CatalogCache

    func run(
        _ group: inout GroupDecision, _ state: inout LedgerState
    ) throws -> Result<RestoreReceipt, LedgerError> {
        do {
            // Wholly or not at all: what was added is dropped with the copy.
            var work = group
            let receipt = try restore(&work, &state)
            group = work
            return .success(receipt)
        } catch let problem as EventProblem {
            return .failure(.bad(problem))
        } catch let rejection as Rejection {
            return .failure(.rejected(rejection, decision: nil))
        }
    }

    private func restore(
        _ group: inout GroupDecision, _ state: inout LedgerState
    ) throws -> RestoreReceipt {
        try CustomerName.check(request.subject)
        let policy = try policy(group, state)
        let first = group.nextPosition
        var receipt = RestoreReceipt()
        receipt.at = group.now
        var facts = RestoreFacts(request: request, store: store, catalogCache: catalogCache)
        var moves = RestoreMoves(request: request, zones: zones, policy: policy)
        for statement in request.statements {
            if statement.isConsumable {
                try facts.take([statement], &group, &state)
                let name = statement.lineage ?? ""
                if receipt.lineages.contains(where: { haveSameBytes($0.name, name) }) { continue }
                receipt.lineages.append(
                    .init(name: name, product: statement.product, outcome: .consumable))
            } else if let lineage = statement.lineage {
                if receipt.lineages.contains(where: { haveSameBytes($0.name, lineage) }) {
                    continue
                }
                let before = try moves.belonging(of: lineage, group, state).owner
                guard try facts.take(lineage, &group, &state) else { continue }
                receipt.lineages.append(try moves.decide(lineage, before: before, &group, &state))
            } else {
                try facts.take([statement], &group, &state)
            }
        }
        try moves.share(&receipt, &group, &state)
        let later = moves.later ?? state
        let answers = try moves.finish(&receipt, group, later)
        receipt.duplicates = facts.duplicates
        receipt.refused = facts.refused
        receipt.appended = Int(group.nextPosition - first)
        if receipt.appended > 0 {
            (receipt.firstPosition, receipt.lastPosition) = (first, group.nextPosition - 1)
        }
        let change = OwnershipChange(
            group: group, state: state, zones: zones, environment: request.environment,
            at: receipt.at)
        let owners = receipt.lineages.flatMap { [$0.ownerBefore, $0.ownerAfter].compactMap { $0 } }
        receipt.customers = try change.changes(
            of: [request.subject] + owners, from: first, through: Int64.max, later: moves.later,
            known: answers)
        return receipt
    }

    /// What the catalog in force for the customer says about lineages of another customer.
    private func policy(
        _ group: GroupDecision, _ state: LedgerState
    ) throws -> Policies.Transfer {
        let context = try zones.customerCase(
            request.subject, request.environment, group, state, at: group.now)
        guard let policies = context.catalog(at: group.now)?.catalog.policies else {
            throw Rejection.noCatalog
        }
        if policies.refusesUnknownSubjects, !context.isKnown {
            throw Rejection.unknownSubject(request.subject)
        }
        return policies.transfer
    }
}
