package import DaybookEvents

/// The shapes of what became of a restore or a transfer.
extension RestoreReceipt {
    package var json: JSONObject {
        [
            "texts": .integer(Int64(texts)), "appended": .integer(Int64(appended)),
            "duplicates": .integer(Int64(duplicates)),
            "first_position": .orNull(firstPosition), "last_position": .orNull(lastPosition),
            "place": .null,
            "at": .integer(at), "lineages": .array(lineages.map { .object($0.json) }),
            "customers": .array(customers.map { .object($0.json) }),
            "refused": .array(refused.map { .object($0.json) }), "retried": .texts(retried),
        ]
    }
}

extension RestoreReceipt.Lineage {
    package var json: JSONObject {
        [
            "lineage": .string(name), "product": .orNull(product),
            "outcome": .string(outcome.rawValue), "owner_before": .orNull(ownerBefore),
            "owner_after": .orNull(ownerAfter), "reversible_until": .time(reversibleUntil),
            "source": source.map { .object($0.json) } ?? .null,
        ]
    }
}

extension TransferReceipt {
    package var json: JSONObject {
        [
            "lineage": .string(lineage), "from": .string(from), "to": .string(to),
            "reversible_until": .time(reversibleUntil), "key": .string(receipt.key),
            "positions": .array(receipt.positions.map { .integer($0) }),
            "place": .null,
            "recorded_at": .integer(receipt.recordedAt),
            "durability": .string(receipt.durability),
            "customers": .array(customers.map { .object($0.json) }),
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
