/// What one customer or line may have (rule 30).
struct UnitBounds {
    var eventsMax: Int64
    var idsMax: Int
}
