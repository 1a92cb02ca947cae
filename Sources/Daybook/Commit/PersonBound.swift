import DaybookDomain
import DaybookEvents

/// Holds every person to the number of ids that it may have (rule 30), whether an alias adds one id or joins two large
/// persons, within one batch, too.
///
/// Why: an ID that a broken client sends for all customers (a zeroed advertising ID) makes one person of them all. Then
/// they share what they bought, and cannot be told apart again. An un-alias of the same batch does not count yet. A
/// person who has more IDs from before there was a bound keeps them and gets no further ones.
struct PersonBound {
    private struct ID: Hashable {
        var environment: Environment
        var name: ExactText
    }

    private let idsMax: Int
    /// The person of every id that was met, by the number of its person at first.
    private var numbers: [ID: Int] = [:]
    /// The person that each one was joined to; itself: none.
    private var joined: [Int] = []
    private var counts: [Int] = []

    init(idsMax: Int) { self.idsMax = idsMax }

    /// Counts one alias that is about to be appended.
    /// - Throws: `person_full`; nothing was counted then.
    mutating func join(
        _ alias: String, _ canonical: String, _ environment: Environment, _ state: LedgerState
    ) throws(EventProblem) {
        let left = root(of: number(of: alias, environment, state))
        let right = root(of: number(of: canonical, environment, state))
        if left == right { return }
        let sum = counts[left] + counts[right]
        try EventProblem.require(
            sum <= idsMax, .personFull, "data.alias",
            "\(alias) and \(canonical) would be one person with \(sum) ids, and \(idsMax) are the most that one person may have; an id that many clients send names no customer: find out who sends it, and take back what it joined by unalias"
        )
        let (small, large) = counts[left] < counts[right] ? (left, right) : (right, left)
        joined[small] = large
        counts[large] = sum
    }

    private mutating func number(
        of name: String, _ environment: Environment, _ state: LedgerState
    ) -> Int {
        if let known = numbers[ID(environment: environment, name: ExactText(name))] { return known }
        let number = joined.count
        joined.append(number)
        let members = state.namesOfPerson(name, in: environment)
        counts.append(members.count)
        for member in members {
            numbers[ID(environment: environment, name: ExactText(member))] = number
        }
        return number
    }

    private mutating func root(of number: Int) -> Int {
        var number = number
        while joined[number] != number {
            joined[number] = joined[joined[number]]
            number = joined[number]
        }
        return number
    }
}
