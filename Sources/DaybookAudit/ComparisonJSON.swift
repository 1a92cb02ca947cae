package import DaybookEvents

/// The shape of how far two ledgers were looked into; what is different about a customer has one of its own.
extension LedgerComparison {
    package var json: JSONObject {
        [
            "catalogs_same": .bool(areCatalogsSame), "from_snapshots": .bool(isFromSnapshots),
            "buckets": .count(buckets), "aggregates": .count(aggregates),
            "customers": .count(customers), "differing": .count(differing),
        ]
    }
}
