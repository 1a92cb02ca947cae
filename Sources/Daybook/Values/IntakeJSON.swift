package import DaybookEvents
import DaybookIngest

/// The shapes of what became of a file of events, of payloads, and of those that were refused.
extension ImportReport {
    package var json: JSONObject {
        [
            "lines": .integer(Int64(lines)), "appended": .integer(Int64(appended)),
            "duplicates": .integer(Int64(duplicates)), "refused": .integer(Int64(refused.count)),
            "unknown_types": .object(
                unknownTypes.reduce(into: JSONObject()) {
                    $0[$1.key] = .integer(Int64($1.value))
                }),
            "unknown_names": .object(
                unknownNames.reduce(into: JSONObject()) {
                    $0[$1.key] = .integer(Int64($1.value))
                }),
            "unknown_transactions": .texts(unknownTransactions),
        ]
    }
}

extension IngestReceipt {
    package var json: JSONObject {
        [
            "texts": .integer(Int64(texts)), "appended": .integer(Int64(appended)),
            "duplicates": .integer(Int64(duplicates)),
            "first_position": .orNull(firstPosition), "last_position": .orNull(lastPosition),
            "place": .null,
            "refused": .array(refused.map { .object($0.json) }),
            "retried": .texts(retried), "notes": .array(notes.map { .object($0.json) }),
            "claims": .array(claims.map { .object($0.json) }),
            "gaps": .array(gaps.map { .object($0.json) }),
            "gap_counts": .object(
                JSONObject(
                    gapCounts.map {
                        .init(name: $0.key.rawValue, value: .integer(Int64($0.value)))
                    })),
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
        ["dead_letters": .array(map { .object($0.json) })]
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
