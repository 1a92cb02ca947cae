import DaybookDomain
import DaybookEvents

/// The customers whose answers some events can change, in the order of first naming; each id and each person is looked
/// at once, however many of the events name them.
package struct ConcernSearch {
    private let state: LedgerState
    private let persons: Persons
    package private(set) var found: [CustomerKey] = []
    /// Lineages that were looked at already.
    package var lineages: Set<UInt32>
    /// Whether an event is about rates between currencies, which concern everyone's money.
    package var hasRates = false
    /// Positions of corrections that were followed: some may name each other.
    private var corrections: Set<Int64> = []
    private var seen: Set<CustomerKey> = []
    /// Customers whose heirs were added, and ids whose person's heirs were.
    private var followed: Set<CustomerKey> = []
    private var walked: Set<CustomerKey> = []
    /// Ids of which every id that was ever linked with them was added.
    private var linked: Set<CustomerKey> = []

    package init(_ state: LedgerState, lineages: Set<UInt32> = []) {
        self.state = state
        self.lineages = lineages
        persons = Persons(state, cut: Int64.max)
    }

    /// Whether a correction is followed for the first time.
    package mutating func follow(correctionAt position: Int64) -> Bool {
        corrections.insert(position).inserted
    }

    /// Adds a customer; of a UUID the other spelling too, which is the same person from the event on that named the
    /// second.
    package mutating func add(_ customer: CustomerKey) {
        guard seen.insert(customer).inserted else { return }
        found.append(customer)
        let text = state.names[customer.name]
        guard UUIDText.spellings(of: text) != nil else { return }
        for name in state.customers(named: text, in: customer.environment) {
            let other = CustomerKey(customer.environment, name)
            if seen.insert(other).inserted { found.append(other) }
        }
    }

    /// A customer and every id that was ever of the same person, each with their heirs.
    package mutating func addWithEverLinked(_ customer: CustomerKey) {
        guard linked.insert(customer).inserted else { return }
        addWithHeirs(customer)
        for name in state.identity.everLinked(to: customer) {
            addWithHeirs(CustomerKey(customer.environment, name))
        }
    }

    /// A customer and their heirs: the customers who got everything from them, or from an heir.
    package mutating func addWithHeirs(_ customer: CustomerKey) {
        guard followed.insert(customer).inserted else { return }
        let environment = customer.environment
        var waiting = [customer.name]
        var next = 0
        while next < waiting.count {
            let key = CustomerKey(environment, waiting[next])
            next += 1
            add(key)
            guard walked.insert(key).inserted else { continue }
            let person = persons[key]
            for name in person.members { walked.insert(CustomerKey(environment, name)) }
            for handover in state.handovers(of: person.members, in: environment)
            where person.memberSet.contains(handover.from) {
                let heir = CustomerKey(environment, handover.to)
                if followed.insert(heir).inserted { waiting.append(handover.to) }
            }
        }
    }
}
