import Daybook
package import DaybookEvents

/// The shape of a plane: rectangles of valid time by states of knowledge.
extension BeliefPlane {
    package var json: JSONObject {
        [
            "subject": .string(subject), "name": .string(name), "kind": .string(kind.rawValue),
            "profile": .orNull(profile), "from": .integer(valid.lowerBound),
            "until": .integer(valid.upperBound), "rows": .objects(rows.map(\.json)),
            "rectangles": .array(rectangles.map { .object(json($0)) }),
            "told_otherwise": .array(differences.map { .object(json($0)) }),
            "events_without_a_row": .count(passedCount), "as_of": .object(asOf.json),
        ]
    }

    private func json(_ rectangle: Rectangle) -> JSONObject {
        [
            "from": .integer(rectangle.valid.lowerBound),
            "until": .integer(rectangle.valid.upperBound),
            "first_row": .count(rectangle.rows.lowerBound),
            "last_row": .count(rectangle.rows.upperBound - 1),
            "known_from": .time(rows[rectangle.rows.lowerBound].recordedAt),
            "known_until": rectangle.rows.upperBound == rows.count
                ? .null : .time(rows[rectangle.rows.upperBound].recordedAt),
            "answer": .orNull(rectangle.answer?.json),
            "causes": causes(of: rectangle.rows.lowerBound),
        ]
    }

    private func json(_ difference: Difference) -> JSONObject {
        [
            "from": .integer(difference.range.lowerBound),
            "until": .integer(difference.range.upperBound), "told": .orNull(difference.told?.json),
            "hindsight": .orNull(difference.hindsight?.json), "row": .count(difference.row),
            "known_from": .time(rows[difference.row].recordedAt),
            "causes": causes(of: difference.row),
        ]
    }

    /// The positions of the events that made a row.
    private func causes(of row: Int) -> JSONValue {
        .array(rows[row].events.map { .integer($0.event.position) })
    }
}

extension BeliefPlane.Row {
    fileprivate var json: JSONObject {
        [
            "position": .integer(position), "recorded_at": .time(recordedAt),
            "events": .array(events.map { .object($0.reference) }),
        ]
    }
}

extension BeliefPlane.Answer {
    fileprivate var json: JSONObject {
        [
            "allowed": .bool(allowed), "reason": .string(reason), "remaining": .orNull(remaining),
        ]
    }
}
