package import DaybookDomain
package import DaybookEvents

/// The shapes of what is different: now, between two moments, and about the past.
extension CustomerDifference {
    package var json: JSONObject {
        [
            "subject": .string(subject), "environment": .string(environment.name),
            "changes": .objects(changes.map(\.json)),
        ]
    }

    /// Also the two cuts that were compared.
    package func json(from: AsOf, to: AsOf) -> JSONObject {
        json.adding(["from": .object(from.json), "to": .object(to.json)])
    }
}

extension JSONDifference {
    package var json: JSONObject {
        ["path": .string(path), "before": before ?? .null, "after": after ?? .null]
    }
}

extension CustomerRestatements {
    package var json: JSONObject {
        [
            "subject": .string(subject), "environment": .string(environment.name),
            "restatements": .objects(restatements.map(\.json)),
        ]
    }
}

extension Restatement {
    package var json: JSONObject {
        [
            "name": .string(name), "profile": .orNull(profile), "from": .integer(from),
            "until": .integer(until), "before": .object(before.json), "after": .object(after.json),
        ]
    }
}

extension Restatement.Told {
    package var json: JSONObject {
        switch self {
        case .access(let isActive, let state):
            ["active": .bool(isActive), "state": .string(state.rawValue)]
        case .usage(let used, let limit): ["used": .integer(used), "limit": .orNull(limit)]
        }
    }
}
