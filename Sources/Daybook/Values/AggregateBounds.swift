/// What one customer or lineage may have (rule 30).
struct AggregateBounds {
    var eventsMax: Int64
    var idsMax: Int
}
