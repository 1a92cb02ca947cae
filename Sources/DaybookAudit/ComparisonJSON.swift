package import DaybookEvents

/// The shape of how far two ledgers were looked into; what is different about a customer has one of its own.
extension LedgerComparison {
    package var json: JSONObject {
        [
            "catalogs_same": .bool(areCatalogsSame), "from_snapshots": .bool(isFromSnapshots),
            "buckets": .integer(Int64(buckets)), "aggregates": .integer(Int64(aggregates)),
            "customers": .integer(Int64(customers)), "differing": .integer(Int64(differing)),
        ]
    }
}
