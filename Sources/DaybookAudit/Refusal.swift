import Daybook

/// Bad input with its reason, where no file has a line for it.
func refusal(_ code: String, _ reason: String) -> LedgerError {
    .badInput([InputProblem(line: nil, column: nil, code: code, reason: reason)])
}

/// Refuses input of which a condition does not hold.
func require(_ holds: Bool, _ code: String, _ reason: @autoclosure () -> String) throws {
    if !holds { throw refusal(code, reason()) }
}
