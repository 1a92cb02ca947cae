package import DaybookEvents

/// The shapes of what came of reading the payloads again.
extension ReinterpretationReport {
    package var json: JSONObject {
        var counts = JSONObject()
        for change in ReinterpretedEvent.Change.allCases {
            counts[change.rawValue] = .integer(Int64(changes[change] ?? 0))
        }
        return [
            "payloads": .integer(Int64(payloads)), "events": .integer(Int64(events)),
            "changes": .object(counts),
            "differences": .array(differences.map { .object($0.json) }),
            "differences_omitted": .integer(Int64(differenceCount - differences.count)),
            "unreadable": .array(
                unreadable.map {
                    [
                        "sha256": .string($0.sha256), "position": .integer($0.position),
                        "reason": .string($0.reason),
                    ]
                }),
            "unreadable_omitted": .integer(Int64(unreadableCount - unreadable.count)),
            "settled": .integer(Int64(settled)),
            "without_payload": .object(
                JSONObject(
                    withoutPayload.map { .init(name: $0.key, value: .integer(Int64($0.value))) })),
            "appended": .integer(Int64(appended)), "first_position": .orNull(firstPosition),
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
