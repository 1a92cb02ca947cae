import DaybookEvents

/// Where the dead letters stand that wait for a lineage.
struct DeadLettersByLineage {
    /// Up to which position the dead letters of each environment were looked at.
    var seen: [Environment: Int64] = [:]
    var positions: [Environment: [String: [Int64]]] = [:]
}

extension LedgerState {
    /// Where the newest dead letter of an environment stands; 0 where there is none.
    func headOfDeadLetters(_ environment: Environment) -> Int64 {
        guard let name = names.id(of: DeadLetter.source),
            let stream = streamID(environment, .ledger, name)
        else {
            return 0
        }
        return headOf(stream).position
    }
}
