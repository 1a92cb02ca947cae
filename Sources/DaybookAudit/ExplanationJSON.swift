import Daybook
package import DaybookDomain
package import DaybookEvents

/// The shapes of an explanation.
extension Explanation {
    package var json: JSONObject {
        [
            "subject": .string(subject), "decision": .object(decision.json),
            "as_of": .object(asOf.json), "deciding": deciding.map { .object($0.json) } ?? .null,
            "steps": .array(steps.map { .object($0.json) }),
            "silent_events": .integer(Int64(silentCount)), "steps_omitted": .bool(isSkipping),
            "events_not_tried": .integer(Int64(untriedCount)),
            "commits_not_looked_at": .integer(Int64(passedCommitCount)),
            "alternatives": .array(alternatives.map { .object($0.json) }),
            "beliefs": .array(beliefs.map { .object($0.json) }),
        ]
    }
}

extension Explanation.Step {
    package var json: JSONObject {
        [
            "at": .integer(at), "event": event.map { .object($0.reference) } ?? .null,
            "because_of": .orNull(cause?.event.position), "allowed": .bool(allowed),
            "reason": .string(reason.rawValue), "turns": .bool(isTurn),
            "changes": .array(changes.map { .object($0.json) }),
        ]
    }
}

extension Explanation.Belief {
    package var json: JSONObject {
        [
            "position": .integer(position), "recorded_at": .integer(recordedAt),
            "allowed": .bool(allowed), "reason": .string(reason.rawValue),
            "event": event.map { .object($0.reference) } ?? .null,
            "changes": .array(changes.map { .object($0.json) }),
        ]
    }
}

extension HistoryEntry {
    /// The shape in which an event stands in lists of events that led somewhere (docs/rules.md#decision).
    var reference: JSONObject {
        [
            "position": .integer(event.position), "type": .string(event.draft.type.rawValue),
            "label": .string(label), "occurred_at": .orNull(event.draft.occurredAt),
            "recorded_at": .integer(event.recordedAt),
            "source": .string(event.draft.source.kind), "key": .orNull(event.draft.source.key),
            "void": .bool(isVoid), "late": .bool(isLate),
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
