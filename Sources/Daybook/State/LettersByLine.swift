import DaybookEvents

/// Where letters stand that wait for a line.
struct LettersByLine {
    /// Up to which position the letters of each environment were looked at.
    var seen: [Environment: Int64] = [:]
    var positions: [Environment: [String: [Int64]]] = [:]
}

extension LedgerState {
    /// Where the newest letter of an environment stands; 0 where there is none.
    func headOfLetters(_ environment: Environment) -> Int64 {
        guard let name = names.id(of: DeadLetter.source),
            let stream = streamID(environment, .ledger, name)
        else {
            return 0
        }
        return headOf(stream).position
    }
}
