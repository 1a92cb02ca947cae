import DaybookDomain
import DaybookEvents
import DaybookStore

/// Which customer a lineage belongs to.
package struct OwnerQuestion {
    let core: LedgerCore

    /// The owner of a lineage, as that customer is shown; `nil`: it has none, or nothing is known of it.
    package func owner(
        of lineage: String, environment: Environment = .production, moment: Moment = .now
    ) throws -> String? {
        return try core.answering {
            let now = core.clock()
            let cut = try core.resolve(moment.knownAt, now: now).position
            return try core.state.withLock { state in
                guard let stream = state.stream(named: lineage, .lineage, in: environment)
                else { return nil }
                let at = moment.at ?? LedgerClock(wall: now, last: state.head.recordedAt).now
                let builder = CaseBuilder(state: state, cut: cut, at: at)
                let owner = try builder.belonging(of: stream).owner
                guard owner != 0 else { return nil }
                let person = state.person(CustomerKey(environment, owner), cut: cut)
                return state.names[person.shown]
            }
        }
    }
}
