import Daybook
import DaybookDomain
import DaybookEvents

extension RestoreReceipt {
    func json(isDryRun: Bool) -> JSONObject {
        [
            "texts": .integer(Int64(texts)), "appended": .integer(Int64(appended)),
            "duplicates": .integer(Int64(duplicates)),
            "first_position": .orNull(firstPosition), "last_position": .orNull(lastPosition),
            "at": .integer(at), "dry_run": .bool(isDryRun),
            "lineages": .array(lineages.map { .object($0.json) }),
            "customers": .array(customers.map { .object($0.json) }),
            "refused": .array(refused.map { .object($0.json) }), "retried": .texts(retried),
        ]
    }

    func text(_ terminal: Terminal, subject: String, isDryRun: Bool) -> HumanText {
        let theirs = lineages.count(where: \.outcome.isTheirs)
        let isFine = theirs == lineages.count && !lineages.isEmpty && refused.isEmpty
        let mark = isFine ? terminal.tick : terminal.paint("✗", .bad)
        var text: HumanText =
            "\(mark) \(theirs) of \(Words.count(Int64(lineages.count), "purchase")) \(isDryRun ? "would be" : lineages.count == 1 ? "is" : "are") \(subject)'s, \(Words.count(Int64(appended), "event")) appended"
        if duplicates > 0 { text += ", \(Words.count(Int64(duplicates), "event")) there already" }
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
    var json: JSONObject {
        [
            "lineage": .string(name), "product": .orNull(product),
            "outcome": .string(outcome.rawValue), "owner_before": .orNull(ownerBefore),
            "owner_after": .orNull(ownerAfter), "reversible_until": .time(reversibleUntil),
            "source": source.map { .object($0.json) } ?? .null,
        ]
    }

    /// `bob → ada`, or the owner who keeps it.
    fileprivate var owners: String {
        let (before, after) = (ownerBefore ?? "", ownerAfter ?? "")
        if before.isEmpty || before == after { return after }
        return after.isEmpty ? before : "\(before) → \(after)"
    }
}

extension TransferReceipt {
    func json(isDryRun: Bool) -> JSONObject {
        [
            "lineage": .string(lineage), "from": .string(from), "to": .string(to),
            "reversible_until": .time(reversibleUntil), "dry_run": .bool(isDryRun),
            "key": .string(receipt.key),
            "positions": .array(receipt.positions.map { .integer($0) }),
            "recorded_at": .integer(receipt.recordedAt),
            "durability": .string(receipt.durability),
            "customers": .array(customers.map { .object($0.json) }),
        ]
    }

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

extension CustomerChange {
    var json: JSONObject {
        [
            "subject": .string(subject), "before": .object(before.json),
            "after": .object(after.json),
        ]
    }
}

extension CustomerChange.Holdings {
    var json: JSONObject {
        [
            "entitlements": .object(entitlements.json),
            "profiles": .array(
                profiles.map {
                    [
                        "profile": .string($0.profile),
                        "entitlements": .object($0.entitlements.json),
                    ]
                }),
        ]
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
            table.add(
                .init(name), .init(answer.name), state(earlier), .init("→"), state(answer))
        }
    }

    private static func state(_ answer: EntitlementAnswer?) -> Table.Cell {
        guard let answer else { return .init("") }
        let word = Words.spaced(answer.state.rawValue)
        return answer.isActive ? .init("✓ \(word)", .good) : .init("✗ \(word)", .dim)
    }
}
