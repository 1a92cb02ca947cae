import Daybook
import DaybookDomain

extension RestoreReceipt {
    func text(_ terminal: Terminal, subject: String, isDryRun: Bool) -> HumanText {
        let theirs = lineages.count(where: \.outcome.isTheirs)
        let isFine = theirs == lineages.count && !lineages.isEmpty && refused.isEmpty
        let mark = isFine ? terminal.tick : terminal.paint("✗", .bad)
        var text: HumanText =
            "\(mark) \(theirs) of \(Words.count(lineages.count, "purchase")) \(isDryRun ? "would be" : lineages.count == 1 ? "is" : "are") \(subject)'s, \(Words.count(appended, "event")) appended"
        if duplicates > 0 { text += ", \(Words.count(duplicates, "event")) there already" }
        if isDryRun { text += "; a dry run: nothing is written" }
        text += "\n"
        var table = Table()
        for lineage in lineages {
            let end = Words.time(lineage.reversibleUntil)
            table.add(
                .init(lineage.name), .init(lineage.product ?? ""),
                .init(Words.spaced(lineage.outcome.rawValue)), .init(lineage.owners),
                .init((lineage.source?.why).map { "[\($0.rawValue)]" } ?? ""),
                .init(end.isEmpty ? "" : "can be taken back until \(end)"))
        }
        for sha256 in retried {
            table.add("taken in too", .init(String(sha256.prefix(12))), .init("had waited for it"))
        }
        for refusal in refused { table.add("refused", .init(refusal.sentence)) }
        return text + table.text(terminal) + CustomerChangeText.text(customers, terminal)
    }
}

extension RestoreReceipt.Lineage {
    /// `bob → ada`, or the owner who keeps it.
    fileprivate var owners: String {
        let (before, after) = (ownerBefore ?? "", ownerAfter ?? "")
        if before.isEmpty || before == after { return after }
        return after.isEmpty ? before : "\(before) → \(after)"
    }
}

extension TransferReceipt {
    func text(_ terminal: Terminal, isDryRun: Bool) -> HumanText {
        var text: HumanText =
            "\(terminal.tick) \(lineage) \(isDryRun ? "would go" : "went") from \(from) to \(to)"
        if isDryRun { text += "; a dry run: nothing is written" }
        text += "\n" + CustomerChangeText.text(customers, terminal)
        let end = Words.time(reversibleUntil)
        if !end.isEmpty { text += "  can be taken back until \(end)\n" }
        return isDryRun ? text : text + receipt.details(terminal)
    }
}

/// What each customer has before and after, entitlement by entitlement.
enum CustomerChangeText {
    static func text(_ customers: [CustomerChange], _ terminal: Terminal) -> HumanText {
        var table = Table()
        for customer in customers {
            add(customer.before.entitlements, customer.after.entitlements, customer.subject, &table)
            for after in customer.after.profiles {
                let before = customer.before.profiles.first { $0.profile == after.profile }
                add(
                    before?.entitlements ?? [], after.entitlements,
                    "\(customer.subject)/\(after.profile)", &table)
            }
        }
        return table.text(terminal)
    }

    private static func add(
        _ before: [EntitlementAnswer], _ after: [EntitlementAnswer], _ name: String,
        _ table: inout Table
    ) {
        for answer in after {
            let earlier = before.first { $0.name == answer.name }
            table.add(.init(name), .init(answer.name), state(earlier), .init("→"), state(answer))
        }
    }

    private static func state(_ answer: EntitlementAnswer?) -> Table.Cell {
        guard let answer else { return .init("") }
        let word = Words.spaced(answer.state.rawValue)
        return answer.isActive ? .init("✓ \(word)", .good) : .init("✗ \(word)", .dim)
    }
}
