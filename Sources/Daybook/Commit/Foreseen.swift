import DaybookDomain
import DaybookEvents

/// A command that was decided beside others of its commit, on whatever thread, upon what was known before any of them.
/// Other commits may have come between; `stands` finds out whether they matter.
///
/// Why: what one customer may do hardly ever depends on what another one does at the same time, and deciding is most of
/// what the one writer does.
final class Foreseen: Sendable {
    let decided: CommandStep.Decided
    /// Of each event of the verdict; those of which the stream's version is another one when they are added are encoded
    /// anew.
    let events: [EncodedEvent]
    private let customer: StreamName
    /// Where the customer's stream ended.
    private let head: Int64
    /// The last position that is in no customer's stream (`LedgerState.sharedHead`).
    private let sharedHead: Int64

    private init(
        _ decided: CommandStep.Decided, _ events: [EncodedEvent], of customer: StreamName,
        head: Int64, sharedHead: Int64
    ) {
        self.decided = decided
        self.events = events
        self.customer = customer
        self.head = head
        self.sharedHead = sharedHead
    }

    /// Customers who take more memory are decided in their turns: all of a wave are held together.
    private static let heldByteCountMax = 256 << 10

    /// No initializer: it would be given copies of the group and the state.
    /// - Parameter builder: Of cases at the time of the group's decisions.
    /// - Returns: `nil`: the command is decided in its turn, also where it will fail.
    static func foreseeing(
        _ step: CommandStep, _ group: GroupDecision, _ state: LedgerState, _ builder: CaseBuilder
    ) -> Foreseen? {
        let command = step.command
        guard command.problem == nil, command.request.clientAt == nil,
            isAlone(command.request.subject, command.request.environment, state)
        else { return nil }
        let customer = StreamName(
            command.request.environment, .customer, command.request.subject)
        let stream = state.stream(named: customer.name, .customer, in: customer.environment)
        // What cannot be read is told when it is read again, in the command's turn.
        guard group.isUntouched(stream),
            let gathered = try? builder.build(customer.environment, customer.name),
            gathered.folded.heldByteCount <= heldByteCountMax,
            case .success(let decided)? = try? step.verdict(nil, group, state, gathered: gathered)
        else { return nil }
        var version = stream.map { group.head(of: $0, state).version } ?? 0
        var events: [EncodedEvent] = []
        events.reserveCapacity(decided.verdict.events.count)
        for draft in decided.verdict.events {
            guard let canonical = try? EventValidator.canonical(draft) else { return nil }
            let name = EventRouter.stream(of: canonical)
            guard name == customer else { return nil }
            version += 1
            events.append(step.encoded(canonical, in: name, version, group.digest))
        }
        return Foreseen(
            decided, events, of: customer, head: head(of: stream, state),
            sharedHead: state.sharedHead)
    }

    /// Whether the customer is still as they were: nothing that was committed since, and nothing of this commit, is
    /// theirs or in a stream that is no customer's, such as purchases, catalogs and corrections; and no other ID has
    /// become theirs.
    /// - Parameter group: Is decided at the same time.
    func stands(_ group: GroupDecision, _ state: LedgerState) -> Bool {
        guard state.sharedHead == sharedHead else { return false }
        let stream = state.stream(named: customer.name, customer.kind, in: customer.environment)
        return Self.head(of: stream, state) == head && group.isUntouched(stream)
            && Self.isAlone(customer.name, customer.environment, state)
    }

    /// - Parameter stream: `nil`: it has not begun.
    private static func head(of stream: UInt32?, _ state: LedgerState) -> Int64 {
        stream.map { state.headOf($0).position } ?? 0
    }

    /// Whether all that is known of a customer stands in the stream of this name, purchases aside.
    private static func isAlone(
        _ subject: String, _ environment: Environment, _ state: LedgerState
    ) -> Bool {
        guard let name = state.customer(named: subject, in: environment) else { return true }
        // The ID may be spelled in two ways.
        return haveSameBytes(state.names[name], subject)
            && state.identity.isAlone(CustomerKey(environment, name))
    }
}

extension Command {
    /// Whether deciding it asks for nothing but the customer's own case: neither for another event by its key, nor who
    /// owns what.
    var restsOnCustomer: Bool { !isCorrection && !isOfIdentity }
}
