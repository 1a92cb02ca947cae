package import DaybookEvents
import DaybookIngest

/// The shapes of what became of a file of events, of payloads, and of those that were refused.
extension ImportReport {
    package var json: JSONObject {
        [
            "lines": .count(lines), "appended": .count(appended), "duplicates": .count(duplicates),
            "refused": .count(refused.count),
            "unknown_types": .members(of: unknownTypes) { ($0.key, .count($0.value)) },
            "unknown_names": .members(of: unknownNames) { ($0.key, .count($0.value)) },
            "unknown_transactions": .texts(unknownTransactions),
        ]
    }
}

extension IngestReceipt {
    package var json: JSONObject {
        [
            "texts": .count(texts), "appended": .count(appended), "duplicates": .count(duplicates),
            "first_position": .orNull(firstPosition), "last_position": .orNull(lastPosition),
            "place": .null, "refused": .objects(refused.map(\.json)), "retried": .texts(retried),
            "notes": .objects(notes.map(\.json)), "claims": .objects(claims.map(\.json)),
            "gaps": .objects(gaps.map(\.json)),
            "gap_counts": .members(of: gapCounts) { ($0.key.rawValue, .count($0.value)) },
        ]
    }
}

extension IngestReceipt.RefusedText {
    package var json: JSONObject {
        [
            "place": .string(place), "code": .string(refusal.reason.rawValue),
            "reason": .string(refusal.detail), "sha256": .string(sha256),
        ]
    }
}

extension IngestReceipt.Gap {
    package var json: JSONObject {
        [
            "code": .string(gap.code.rawValue), "subject": .string(subject),
            "name": .orNull(gap.name), "sentence": .string(gap.sentence),
        ]
    }
}

extension IngestReceipt.Note {
    package var json: JSONObject {
        [
            "code": .string(code.rawValue), "lineage": .string(lineage),
            "product": .orNull(product),
        ]
    }
}

extension IngestReceipt.Claim {
    package var json: JSONObject {
        [
            "lineage": .string(lineage), "product": .orNull(product), "owner": .orNull(owner),
            "outcome": .string(
                isTheirs ? "theirs" : owner == nil ? "claim_voided" : "owned_by_other"),
        ]
    }
}

extension [DeadLetter] {
    package var json: JSONObject {
        ["dead_letters": .objects(map(\.json))]
    }
}

extension DeadLetter {
    package var json: JSONObject {
        [
            "sha256": .string(sha256), "position": .integer(position),
            "recorded_at": .integer(recordedAt), "environment": .string(environment.name),
            "code": .string(code), "reason": .string(detail), "kind": .string(kind.name),
            "subject": .orNull(subject), "body_sha256": .string(payloadSHA256),
            "place": .string(place), "waits_for": .orNull(waitsFor),
            "standing": .string(standing), "resolved_at": .orNull(resolvedAt),
            "dismissed_at": .orNull(dismissal?.recordedAt),
            "dismissed_by": .orNull(dismissal?.actor),
            "dismissal_reason": .orNull(dismissal?.reason),
        ]
    }

    /// `resolved`, `dismissed`, or the class of what waits.
    package var standing: String {
        resolvedAt != nil ? "resolved" : dismissal != nil ? "dismissed" : code
    }
}
