package import DaybookEvents

/// The shapes of what a replay from zero came to.
extension ReplayReport {
    package var json: JSONObject {
        [
            "agrees": .bool(agrees && differences.isEmpty), "events": .integer(events),
            "segment_events": .integer(segmentEvents), "aggregates": .count(aggregates),
            "digest": .string(digest.description), "live_digest": .string(liveDigest.description),
            "differences": .texts(differences), "compared": .object(comparison.json),
            "milliseconds": .integer(milliseconds),
        ]
    }
}

extension ReplayComparison {
    package var json: JSONObject {
        [
            "chain_aggregates": .count(chainAggregates), "chain_step": .count(chainStep),
            "chain_source": .string(chainSource.rawValue),
            "cached_aggregates": .count(cachedAggregates),
            "snapshot_position": .orNull(snapshotCut),
            "snapshot_agrees": snapshotCut == nil ? .null : .bool(isSnapshotSame),
        ]
    }
}
