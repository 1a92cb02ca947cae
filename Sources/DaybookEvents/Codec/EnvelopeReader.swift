/// Reads an envelope member by member; every error names its member.
struct EnvelopeReader {
    let object: JSONObject
    /// How many members of the event were found.
    private(set) var foundCount = 0

    init(object: JSONObject) { self.object = object }

    /// Passes over a member of the event that says nothing here.
    mutating func pass(_ name: String) {
        if object.index(of: name) != nil { foundCount += 1 }
    }

    mutating func text(
        _ name: String, in object: JSONObject? = nil
    ) throws(EventProblem) -> String? {
        let text = try member(name, of: object, "text") { $0.text }
        try EnvelopeBounds.check(text, name)
        return text
    }

    mutating func integer(
        _ name: String, in range: ClosedRange<Int64>, of object: JSONObject? = nil
    ) throws(EventProblem) -> Int64? {
        let number = try member(name, of: object, "an integer") { $0.integer }
        try EnvelopeBounds.check(number, in: range, name)
        return number
    }

    /// - Parameters:
    ///   - object: `nil`: the event.
    ///   - kind: What the member must be, for the message.
    /// - Returns: `nil` where it is absent or `null`.
    private mutating func member<Value>(
        _ name: String, of object: JSONObject? = nil, _ kind: String,
        _ read: (JSONValue) -> Value?
    ) throws(EventProblem) -> Value? {
        let container = object ?? self.object
        guard let index = container.index(of: name) else { return nil }
        if object == nil { foundCount += 1 }
        let value = container.members[index].value
        if value == .null { return nil }
        guard let found = read(value) else {
            throw EventProblem(.wrongType, name, "must be \(kind), not \(value.kindName)")
        }
        return found
    }

    mutating func environment() throws(EventProblem) -> Environment {
        guard let name = try text("environment") else { return .production }
        guard let environment = Environment(name: name) else {
            throw EventProblem(
                .unknownEnvironment, "environment",
                "\"\(name)\" is none of production, sandbox, xcode, test")
        }
        return environment
    }

    mutating func trust(_ defaultTrust: Trust) throws(EventProblem) -> Trust {
        guard let name = try text("trust") else { return defaultTrust }
        guard let trust = Trust(name: name) else {
            throw EventProblem(
                .unknownTrust, "trust",
                "\"\(name)\" is none of "
                    + Trust.allCases.map(\.name).joined(separator: ", "))
        }
        return trust
    }

    mutating func source() throws(EventProblem) -> EventSource {
        guard let source = try member("source", "an object", { $0.object }) else {
            return EventSource(kind: "native", key: nil)
        }
        return EventSource(
            kind: try text("kind", in: source) ?? "native", key: try text("key", in: source),
            signedAt: try integer("signed_at", in: EventBounds.times, of: source))
    }

    mutating func data() throws(EventProblem) -> JSONObject {
        try member("data", "an object") { $0.object } ?? JSONObject()
    }
}
