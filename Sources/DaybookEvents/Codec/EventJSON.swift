/// The canonical JSON of events: one object a line, sorted members, absent members left out.
///
/// ```
/// {"data":{…},"environment":"production","occurred_at":1767225600000,"position":7,"profile":"rex",
///  "recorded_at":1767225600123,"sequence":3,"source":{"key":"story-1","kind":"native","signed_at":…},
///  "subject":"ada","trust":"imported","type":"usage.recorded","v":1, …what else the envelope held…}
/// ```
/// `position` and `version` tell of one ledger and are ignored on the way in.
public enum EventJSON {
    private static let known: Set<String> = [
        "type", "v", "environment", "subject", "profile", "occurred_at", "recorded_at", "sequence",
        "source", "trust", "data", "position", "version", "app",
    ]

    /// Reads an event's envelope; the data is checked by `EventValidator`.
    /// - Parameter app: The ledger's app; a line that names another one is refused.
    /// - Throws: `EventProblem` with the member and the remedy.
    public static func draft(
        from json: JSONValue, app: String? = nil, defaultTrust: Trust = .imported
    ) throws(EventProblem) -> EventDraft {
        guard let object = json.object else {
            throw EventProblem(.wrongType, "event", "an event is an object, not \(json.kindName)")
        }
        let reader = EnvelopeReader(object: object)
        if let named = try reader.text("app"), let app, named != app {
            throw EventProblem(
                .otherApp, "app", "the event is of app \"\(named)\", this ledger is \"\(app)\"")
        }
        guard let type = try reader.text("type") else {
            throw EventProblem(.missingField, "type", "an event needs a type")
        }
        var draft = EventDraft(
            type: type, version: Int(try reader.integer("v", in: 1...65_535) ?? 1),
            environment: try reader.environment(), subject: try reader.text("subject"),
            profile: try reader.text("profile"),
            occurredAt: try reader.integer(
                "occurred_at", in: EventBounds.timeMin...EventBounds.timeMax),
            sequence: try reader.integer("sequence", in: 0...Int64(UInt32.max)),
            source: try reader.source(), trust: try reader.trust(defaultTrust),
            data: try reader.data(),
            recordedAt: try reader.integer(
                "recorded_at", in: EventBounds.timeMin...EventBounds.timeMax))
        draft.extras = JSONObject(object.members.filter { !known.contains($0.name) })
        if draft.source.key == nil, let id = draft.extras["id"]?.text { draft.source.key = id }
        return draft
    }

    /// The canonical object of a draft; what the ledger adds is left out.
    public static func object(of draft: EventDraft) -> JSONObject {
        var members = draft.extras.members
        func add(_ name: String, _ value: JSONValue?) {
            if let value { members.append(.init(name: name, value: value)) }
        }
        add("type", .string(draft.type))
        add("v", .integer(Int64(draft.version)))
        add("environment", .string(draft.environment.name))
        add("subject", draft.subject.map(JSONValue.string))
        add("profile", draft.profile.map(JSONValue.string))
        add("occurred_at", draft.occurredAt.map(JSONValue.integer))
        add("sequence", draft.sequence.map(JSONValue.integer))
        var source: [JSONObject.Member] = [.init(name: "kind", value: .string(draft.source.kind))]
        if let key = draft.source.key { source.append(.init(name: "key", value: .string(key))) }
        if let signedAt = draft.source.signedAt {
            source.append(.init(name: "signed_at", value: .integer(signedAt)))
        }
        add("source", .object(JSONObject(source)))
        add("trust", .string(draft.trust.name))
        add("data", .object(draft.data))
        return JSONObject(members)
    }

    /// The canonical object of a recorded event, with its position and recorded time.
    public static func object(of event: RecordedEvent) -> JSONObject {
        var object = object(of: event.draft)
        object["position"] = .integer(event.position)
        object["recorded_at"] = .integer(event.recordedAt)
        return object
    }

    /// The first 64 bits of the SHA-256 of the canonical request: equal requests, equal numbers.
    public static func requestDigest(_ object: JSONObject) -> Int64 {
        Int64(bitPattern: Digest.sha256Prefix(object.canonicalBytes))
    }
}

/// Takes an envelope apart, member by member, with the member's name in every complaint.
private struct EnvelopeReader {
    let object: JSONObject

    func text(_ name: String, in object: JSONObject? = nil) throws(EventProblem) -> String? {
        switch (object ?? self.object)[name] {
        case nil, .null: return nil
        case .string(let text):
            guard !text.isEmpty else {
                throw EventProblem(.wrongType, name, "must not be empty; leave it out instead")
            }
            guard text.utf8.count <= EventBounds.nameByteCountMax else {
                throw EventProblem(
                    .tooLarge, name, "is longer than \(EventBounds.nameByteCountMax) bytes")
            }
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
            guard range.contains(value) else {
                throw EventProblem(
                    .outOfBounds, name,
                    "\(value) is outside \(range.lowerBound) to \(range.upperBound)")
            }
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
