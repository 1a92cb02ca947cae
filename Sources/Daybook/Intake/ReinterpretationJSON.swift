package import DaybookEvents

/// The shapes of what came of reading the payloads again.
extension ReinterpretationReport {
    package var json: JSONObject {
        var counts = JSONObject()
        for change in ReinterpretedEvent.Change.allCases {
            counts[change.rawValue] = .count(changes[change] ?? 0)
        }
        return [
            "payloads": .count(payloads), "events": .count(events), "changes": .object(counts),
            "differences": .objects(differences.map(\.json)),
            "differences_omitted": .count(differenceCount - differences.count),
            "unreadable": .array(
                unreadable.map {
                    [
                        "sha256": .string($0.sha256), "position": .integer($0.position),
                        "reason": .string($0.reason),
                    ]
                }),
            "unreadable_omitted": .count(unreadableCount - unreadable.count),
            "settled": .count(settled),
            "without_payload": .members(of: withoutPayload) { ($0.key, .count($0.value)) },
            "appended": .count(appended), "first_position": .orNull(firstPosition),
            "last_position": .orNull(lastPosition),
        ]
    }
}

extension ReinterpretedEvent {
    package var json: JSONObject {
        [
            "change": .string(change.rawValue), "sha256": .string(sha256),
            "environment": .string(environment.name), "source": .string(source),
            "key": .string(key), "position": .orNull(position), "type": .string(type.rawValue),
            "subject": .orNull(subject), "new_key": .orNull(newKey),
            "fields": .array(
                fields.map {
                    [
                        "name": .string($0.name), "recorded": $0.recorded ?? .null,
                        "now": $0.now ?? .null,
                    ]
                }),
        ]
    }
}
