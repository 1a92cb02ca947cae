/// Reads an envelope member by member; every error names its member.
struct EnvelopeReader {
    let object: JSONObject

    func text(_ name: String, in object: JSONObject? = nil) throws(EventProblem) -> String? {
        switch (object ?? self.object)[name] {
        case nil, .null: return nil
        case .string(let text):
            try EnvelopeBounds.check(text, name)
            return text
        case .some(let other):
            throw EventProblem(.wrongType, name, "must be text, not \(other.kindName)")
        }
    }

    func integer(
        _ name: String, in range: ClosedRange<Int64>, of object: JSONObject? = nil
    ) throws(EventProblem) -> Int64? {
        switch (object ?? self.object)[name] {
        case nil, .null: return nil
        case .integer(let value):
            try EnvelopeBounds.check(value, in: range, name)
            return value
        case .some(let other):
            throw EventProblem(.wrongType, name, "must be an integer, not \(other.kindName)")
        }
    }

    func environment() throws(EventProblem) -> Environment {
        guard let name = try text("environment") else { return .production }
        guard let environment = Environment(name: name) else {
            throw EventProblem(
                .unknownEnvironment, "environment",
                "\"\(name)\" is none of production, sandbox, xcode, test")
        }
        return environment
    }

    func trust(_ defaultTrust: Trust) throws(EventProblem) -> Trust {
        guard let name = try text("trust") else { return defaultTrust }
        guard let trust = Trust(name: name) else {
            throw EventProblem(
                .unknownTrust, "trust",
                "\"\(name)\" is none of "
                    + Trust.allCases.map(\.name).joined(separator: ", "))
        }
        return trust
    }

    func source() throws(EventProblem) -> EventSource {
        switch object["source"] {
        case nil, .null: return EventSource(kind: "native", key: nil)
        case .object(let source):
            return EventSource(
                kind: try text("kind", in: source) ?? "native", key: try text("key", in: source),
                signedAt: try integer(
                    "signed_at", in: EventBounds.timeMin...EventBounds.timeMax, of: source))
        case .some(let other):
            throw EventProblem(.wrongType, "source", "must be an object, not \(other.kindName)")
        }
    }

    func data() throws(EventProblem) -> JSONObject {
        switch object["data"] {
        case nil, .null: return JSONObject()
        case .object(let data): return data
        case .some(let other):
            throw EventProblem(.wrongType, "data", "must be an object, not \(other.kindName)")
        }
    }
}
