import DaybookDomain
import DaybookEvents

/// Which ids are one person at one cut, and what each person gave away: asked once for each person, whichever of its
/// ids is named, and however many lineages or ids there are.
package final class Persons {
    package struct Person {
        /// In the order of the names' bytes.
        package var members: [NameID]
        var memberSet: MemberSet
        var shown: NameID
        /// Transfers of everything to another person, in canonical order; `nil`: not asked for yet.
        var gifts: [Identity.Handover]?
    }

    let state: LedgerState
    private let cut: Int64
    private var walks: [Environment: IdentityWalk] = [:]
    private var numbers: [CustomerKey: Int] = [:]
    private var people: [Person] = []

    package init(_ state: consuming LedgerState, cut: Int64) {
        self.state = state
        self.cut = cut
    }

    package subscript(_ key: CustomerKey) -> Person {
        if let number = number(of: key) { return people[number] }
        let members = [key.name]
        return Person(members: members, memberSet: MemberSet(members), shown: key.name)
    }

    /// The first transfer of everything away from the owner's person after a point of the canonical order.
    /// - Complexity: O(log *n*) in the person's transfers.
    package func gift(of owner: CustomerKey, after point: OrderKey) -> Identity.Handover? {
        guard let number = number(of: owner) else { return nil }
        let gifts = people[number].gifts ?? gathered(number, owner.environment)
        let index = gifts.sortedPrefixCount { !point.precedes($0.order, names: state.names) }
        return index < gifts.count ? gifts[index] : nil
    }

    private func gathered(_ number: Int, _ environment: Environment) -> [Identity.Handover] {
        let person = people[number]
        let gifts = state.handovers(of: person.members, in: environment, cut: cut).filter {
            person.memberSet.contains($0.from) && !person.memberSet.contains($0.to)
        }
        people[number].gifts = gifts
        return gifts
    }

    /// - Returns: `nil` for most ids: those that were never linked with another, nor gave or got everything.
    private func number(of key: CustomerKey) -> Int? {
        if let known = numbers[key] { return known }
        if state.identity.isAlone(key) { return nil }
        var walk =
            walks.removeValue(forKey: key.environment)
            ?? IdentityWalk(
                state.identity, key.environment, cut: cut, corrections: state.corrections,
                names: state.names)
        let (members, shown) = walk.person(key.name)
        walks[key.environment] = walk
        people.append(Person(members: members, memberSet: MemberSet(members), shown: shown))
        for name in members { numbers[CustomerKey(key.environment, name)] = people.count - 1 }
        return people.count - 1
    }
}

/// The ids of a person, to be looked up; most persons have one.
struct MemberSet: ExpressibleByArrayLiteral {
    private let few: [NameID]
    /// Where there are many.
    private let many: Set<NameID>?

    init(_ members: [NameID]) {
        few = members
        many = members.count > 8 ? Set(members) : nil
    }

    init(arrayLiteral members: NameID...) { self.init(members) }

    func contains(_ name: NameID) -> Bool { many?.contains(name) ?? few.contains(name) }
}
