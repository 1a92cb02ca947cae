package import DaybookEvents

/// The shapes of what became of a restore or a transfer.
extension RestoreReceipt {
    package var json: JSONObject {
        [
            "texts": .count(texts), "appended": .count(appended), "duplicates": .count(duplicates),
            "first_position": .orNull(firstPosition), "last_position": .orNull(lastPosition),
            "place": .null, "restored": .bool(lineages.contains(where: \.outcome.isTheirs)),
            "reason": .orNull(denial(of: nil)?.code), "at": .integer(at),
            "lineages": .objects(lineages.map(\.json)),
            "customers": .objects(customers.map(\.json)), "refused": .objects(refused.map(\.json)),
            "retried": .texts(retried),
        ]
    }

    /// Why the customer is told no: nothing came back (NZ-16), or something stays with another; `nil`: all came back.
    /// - Parameter subject: Whom the reason names; `nil`: it names none.
    package func denial(of subject: String?) -> (code: String, reason: String)? {
        let whose = subject ?? "the customer"
        if let lineage = lineages.first(where: { $0.outcome == .ownedByOther }) {
            return (
                lineage.outcome.rawValue,
                "\(lineage.name) is \(lineage.ownerAfter ?? "another customer")'s and stays there"
            )
        }
        if let lineage = lineages.first(where: { $0.outcome == .claimVoided }) {
            return (
                lineage.outcome.rawValue,
                "a correction took back that \(lineage.name) is \(whose)'s; nothing moved"
            )
        }
        guard lineages.allSatisfy({ $0.outcome == .consumable }) else { return nil }
        return (
            "nothing_to_restore",
            lineages.isEmpty
                ? "nothing to restore: no transaction was handed over"
                : "nothing to restore: consumables stay with their owner"
        )
    }
}

extension RestoreReceipt.Lineage {
    package var json: JSONObject {
        [
            "lineage": .string(name), "product": .orNull(product),
            "outcome": .string(outcome.rawValue), "owner_before": .orNull(ownerBefore),
            "owner_after": .orNull(ownerAfter), "reversible_until": .time(reversibleUntil),
            "source": .orNull(source?.json),
        ]
    }
}

extension TransferReceipt {
    package var json: JSONObject {
        [
            "lineage": .string(lineage), "from": .string(from), "to": .string(to),
            "reversible_until": .time(reversibleUntil), "key": .string(receipt.key),
            "positions": .array(receipt.positions.map { .integer($0) }), "place": .null,
            "recorded_at": .integer(receipt.recordedAt), "durability": .string(receipt.durability),
            "customers": .objects(customers.map(\.json)),
        ]
    }
}

extension CustomerChange {
    package var json: JSONObject {
        [
            "subject": .string(subject), "before": .object(before.json),
            "after": .object(after.json),
        ]
    }
}

extension CustomerChange.Holdings {
    package var json: JSONObject {
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
