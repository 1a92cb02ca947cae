import DaybookEvents

/// Where the dead letters stand that wait for a lineage.
struct DeadLettersByLineage {
    /// Up to which position the dead letters of each environment were looked at.
    var seen: [Environment: Int64] = [:]
    var positions: [Environment: [String: [Int64]]] = [:]
}
