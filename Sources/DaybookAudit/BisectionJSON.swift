package import DaybookEvents

/// The shapes of what a bisection came to.
extension Bisection {
    /// - Parameter subject: The customer who was asked about; `nil`: any customer.
    package func json(of subject: String?) -> JSONObject {
        var word = "never"
        var event = JSONValue.null
        switch outcome {
        case .turned(let entry):
            word = "turned"
            event = .object(entry.json)
        case .always: word = "always"
        case .never: break
        }
        return [
            "condition": .string(condition.description), "holds": .bool(holds),
            "subject": .orNull(subject), "outcome": .string(word), "event": event,
            "at": .integer(at), "from": .integer(from), "through": .integer(through),
            "folds": .count(folds), "subjects": .texts(subjects),
            "subjects_omitted": .count(subjectsOmitted),
        ]
    }
}

extension DigestBisection {
    package var json: JSONObject {
        var object: JSONObject = [
            "agrees": .bool(found == nil), "events": .integer(events),
            "folds": .count(folds), "event": .null,
        ]
        guard let found else { return object }
        object["event"] = found.event.map { .object(EventJSON.object(of: $0)) } ?? .null
        object["from"] = .integer(found.range.lowerBound)
        object["through"] = .integer(found.range.upperBound)
        object["digest"] = .string(found.ours.description)
        object["their_digest"] = .string(found.theirs.description)
        return object
    }
}
