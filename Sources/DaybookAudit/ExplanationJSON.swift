import Daybook
package import DaybookDomain
package import DaybookEvents

/// The shapes of an explanation.
extension Explanation {
    package var json: JSONObject {
        [
            "subject": .string(subject), "decision": .object(decision.json),
            "as_of": .object(asOf.json), "deciding": .orNull(deciding?.json),
            "steps": .objects(steps.map(\.json)), "silent_events": .count(silentCount),
            "steps_omitted": .bool(isSkipping), "events_not_tried": .count(untriedCount),
            "commits_not_looked_at": .count(passedCommitCount),
            "alternatives": .objects(alternatives.map(\.json)),
            "beliefs": .objects(beliefs.map(\.json)),
        ]
    }
}

extension Explanation.Step {
    package var json: JSONObject {
        [
            "at": .integer(at), "event": .orNull(event?.reference),
            "because_of": .orNull(cause?.event.position), "allowed": .bool(allowed),
            "reason": .string(reason.rawValue), "turns": .bool(isTurn),
            "changes": .objects(changes.map(\.json)),
        ]
    }
}

extension Explanation.Belief {
    package var json: JSONObject {
        [
            "position": .integer(position), "recorded_at": .integer(recordedAt),
            "allowed": .bool(allowed), "reason": .string(reason.rawValue),
            "event": .orNull(event?.reference), "changes": .objects(changes.map(\.json)),
        ]
    }
}

extension HistoryEntry {
    /// The shape in which an event stands in lists of events that led somewhere (docs/rules.md#decision).
    var reference: JSONObject {
        [
            "position": .integer(event.position), "type": .string(event.draft.type.rawValue),
            "label": .string(label), "occurred_at": .orNull(event.draft.occurredAt),
            "recorded_at": .integer(event.recordedAt), "source": .string(event.draft.source.kind),
            "key": .orNull(event.draft.source.key), "void": .bool(isVoid), "late": .bool(isLate),
        ]
    }
}

extension AnswerChange {
    package var json: JSONObject {
        [
            "source": .orNull(source), "field": .string(field), "before": before, "after": after,
        ]
    }
}

extension Alternative {
    package var json: JSONObject {
        switch self {
        case .later(let at, let reason):
            ["kind": "later", "at": .integer(at), "reason": .string(reason.rawValue)]
        case .smaller(let amount): ["kind": "smaller_amount", "amount": .integer(amount)]
        case .units(let meter, let count):
            ["kind": "more_units", "meter": .string(meter), "units": .integer(count)]
        case .entitlement(let name, let products):
            ["kind": "entitlement", "entitlement": .string(name), "products": .texts(products)]
        case .without(let position, let reason):
            [
                "kind": "without_event", "position": .integer(position),
                "reason": .string(reason.rawValue),
            ]
        }
    }
}
