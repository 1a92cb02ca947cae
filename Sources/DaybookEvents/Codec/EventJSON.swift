/// The canonical JSON of events: one object a line, sorted members, absent members left out.
///
/// ```
/// {"data":{…},"environment":"production","occurred_at":1767225600000,"position":7,"profile":"rex",
///  "recorded_at":1767225600123,"sequence":3,"source":{"key":"story-1","kind":"native","signed_at":…},
///  "subject":"ada","trust":"imported","type":"usage.recorded","v":1, …what else the envelope held…}
/// ```
/// `position` and `version` tell of one ledger and are ignored on the way in.
public enum EventJSON {
    /// Members that an envelope's extras never hold.
    static let known: Set<String> = [
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
        var reader = EnvelopeReader(object: object)
        if let named = try reader.text("app"), let app, !haveSameBytes(named, app) {
            throw EventProblem(
                .otherApp, "app", "the event is of app \"\(named)\", this ledger is \"\(app)\"")
        }
        guard let type = try reader.text("type") else {
            throw EventProblem(.missingField, "type", "an event needs a type")
        }
        var draft = EventDraft(
            type: EventTypeName(rawValue: type),
            version: Int(try reader.integer("v", in: 1...EventBounds.versionMax) ?? 1),
            environment: try reader.environment(), subject: try reader.text("subject"),
            profile: try reader.text("profile"),
            occurredAt: try reader.integer("occurred_at", in: EventBounds.times),
            sequence: try reader.integer("sequence", in: 0...EventBounds.sequenceMax),
            source: try reader.source(), trust: try reader.trust(defaultTrust),
            data: try reader.data(),
            recordedAt: try reader.integer("recorded_at", in: EventBounds.times))
        for name in ["position", "version"] { reader.pass(name) }
        if reader.foundCount < object.members.count {
            draft.extras = JSONObject(object.members.filter { !known.contains($0.name) })
        }
        if draft.source.key == nil { draft.source.key = try reader.text("id") }
        return draft
    }

    /// The canonical object of a draft; what the ledger adds is left out.
    public static func object(of draft: EventDraft) -> JSONObject {
        var members = draft.extras.members
        func add(_ name: String, _ value: JSONValue?) {
            if let value { members.append(.init(name: name, value: value)) }
        }
        add("type", .string(draft.type.rawValue))
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

    /// The canonical bytes of a draft: those of `object(of:)`, without building it.
    public static func canonicalBytes(of draft: EventDraft) -> [UInt8] {
        var json = JSONWriter(reserving: 512)
        write(draft, to: &json)
        return json.bytes
    }

    /// Appends the canonical bytes of a draft.
    private static func write(_ draft: EventDraft, to json: inout JSONWriter) {
        var writer = EnvelopeWriter(json, extras: draft.extras.members)
        writer.member("data") { $0.write(draft.data) }
        writer.text("environment", draft.environment.name)
        writer.integer("occurred_at", draft.occurredAt)
        writer.text("profile", draft.profile)
        writer.integer("sequence", draft.sequence)
        writer.member("source") { json in
            json.character("{")
            if let key = draft.source.key {
                json.name("key")
                json.string(key)
                json.character(",")
            }
            json.name("kind")
            json.string(draft.source.kind)
            if let signedAt = draft.source.signedAt {
                json.character(",")
                json.name("signed_at")
                json.integer(signedAt)
            }
            json.character("}")
        }
        writer.text("subject", draft.subject)
        writer.text("trust", draft.trust.name)
        writer.text("type", draft.type.rawValue)
        writer.integer("v", Int64(draft.version))
        json = writer.finished()
    }

    /// The first 64 bits of the SHA-256 of the canonical request: equal requests, equal numbers.
    public static func requestDigest(_ object: JSONObject) -> Int64 {
        Int64(bitPattern: object.canonicalBytes.withUnsafeBytes { Digest.words(of: $0).0 })
    }

    /// The same of a draft.
    public static func requestDigest(of draft: EventDraft) -> Int64 {
        var json = JSONWriter(reserving: 512)
        return requestDigest(of: draft, in: &json)
    }

    /// The same, written into memory that is used again from draft to draft.
    package static func requestDigest(of draft: EventDraft, in json: inout JSONWriter) -> Int64 {
        json.removeAll()
        write(draft, to: &json)
        return Int64(bitPattern: json.withBytes { Digest.words(of: $0).0 })
    }
}
