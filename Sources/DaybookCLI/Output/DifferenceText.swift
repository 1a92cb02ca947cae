import Daybook
import DaybookAudit

extension CustomerDifference {
    /// The customer, and a line for each field.
    /// - Parameter countMax: How many fields are shown.
    func text(_ terminal: Terminal, countMax: Int = .max) -> HumanText {
        if changes.isEmpty { return "\(subject): nothing is different\n" }
        let place = environment == .production ? subject : "\(environment.name)/\(subject)"
        let table = Table(changes.prefix(countMax))
        let text = "\(terminal.paint(place, .bold))\n" + table.text(terminal)
        let rest = changes.count - countMax
        return rest > 0 ? text + "  and \(rest) more; see --json\n" : text
    }
}

extension LedgerComparison {
    var text: HumanText {
        let count = "\(Words.count(differing, "customer")) of \(customers) compared differ"
        if !areCatalogsSame {
            return "the catalogs differ, so all customers were compared: \(count)\n"
        }
        let looked = Words.count(aggregates, "aggregate")
        return "\(count); looked into \(looked), in \(buckets) of 256 buckets\n"
    }
}

/// What a commit made different now, below its receipt.
enum DifferenceText {
    /// Fields that are shown of one customer, and customers that are shown.
    private static let countMax = 20

    /// Nothing where nothing is different.
    static func text(_ customers: [CustomerDifference], _ terminal: Terminal) -> HumanText {
        if customers.isEmpty { return "" }
        var text: HumanText = "different now:\n"
        for customer in customers.prefix(countMax) {
            text += customer.text(terminal, countMax: countMax).indented(2)
        }
        let rest = customers.count - countMax
        if rest > 0 { text += "  and \(rest) more; see --json\n" }
        return text
    }
}
