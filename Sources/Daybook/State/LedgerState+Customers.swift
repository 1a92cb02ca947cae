import DaybookDomain
import DaybookEvents

/// Which customer a text names.
extension LedgerState {
    /// The number of a customer's id. A UUID is found in any letter case: as it is written where it is known so, else
    /// as the ledger knows it. `nil`: the text is no name of this ledger.
    package func customer(named text: String, in environment: Environment) -> NameID? {
        exactCustomer(named: text, in: environment)
            ?? customers(named: text, in: environment).first
    }

    /// The number of a customer's id that an event names as it is written here: which stays so, whatever comes.
    package func exactCustomer(named text: String, in environment: Environment) -> NameID? {
        guard let name = names.id(of: text), isKnown(CustomerKey(environment, name)) else {
            return nil
        }
        return name
    }

    /// Every id that a text names, the one that is written so first. Of a UUID the two spellings are one person only
    /// from the event on that named the second; a question about what was known before looks at each.
    package func customers(named text: String, in environment: Environment) -> [NameID] {
        let exact = names.id(of: text)
        guard let (lower, upper) = UUIDText.spellings(of: text) else {
            return [exact].compactMap(\.self)
        }
        var known: [NameID] = []
        for name in [exact, names.id(of: lower), names.id(of: upper)] {
            guard let name, !known.contains(name), isKnown(CustomerKey(environment, name)) else {
                continue
            }
            known.append(name)
        }
        return known.isEmpty ? [exact].compactMap(\.self) : known
    }

    /// The ids of the person that a text names, as known at a cut.
    package func members(named text: String, in environment: Environment, cut: Int64) -> [NameID] {
        var members: [NameID] = []
        for name in customers(named: text, in: environment) where !members.contains(name) {
            let key = CustomerKey(environment, name)
            members +=
                identity.isAlone(key)
                ? [name]
                : person(key, cut: cut).members
        }
        return members
    }

    /// Whether any committed event names the customer.
    package func isKnown(_ key: CustomerKey) -> Bool {
        if let stream = streams.entry(key.environment, .customer, key.name),
            stream.head.position > 0
        {
            return true
        }
        return !identity.isAlone(key) || !lineages(naming: key).isEmpty
    }
}
