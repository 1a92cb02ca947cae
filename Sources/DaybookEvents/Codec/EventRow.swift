/// A row of the ledger: the hot event and what it leaves out.
public struct EventRow: Sendable, Equatable {
    public var event: Event
    public var key: String
    /// The text behind `event.reference`.
    public var reference: String?
    public var recordedAt: Int64
    public var streamVersion: Int64
    /// The position of the stream's previous event; 0 for the first.
    public var previous: Int64
    public var schemaVersion: UInt16
    /// The first 64 bits of the digest of the request that appended it (rule 16).
    public var requestDigest: Int64
    /// Canonical JSON `{"d":{…},"e":{…}}`: data without a slot, the rest of the envelope. `nil`: nothing.
    public var rest: String?

    public init(
        event: Event, key: String, reference: String?, recordedAt: Int64 = 0,
        streamVersion: Int64 = 0, previous: Int64 = 0, schemaVersion: UInt16,
        requestDigest: Int64 = 0, rest: String?
    ) {
        self.event = event
        self.key = key
        self.reference = reference
        self.recordedAt = recordedAt
        self.streamVersion = streamVersion
        self.previous = previous
        self.schemaVersion = schemaVersion
        self.requestDigest = requestDigest
        self.rest = rest
    }
}

/// Canonical draft to row: fields with a slot go there, the rest stays JSON.
public enum EventEncoder {
    /// - Parameter draft: Canonical (`EventValidator.canonical`), with `occurredAt` and a key.
    public static func row(_ draft: EventDraft, names: inout NameTable) -> EventRow {
        let key = draft.source.key ?? ""
        var event = Event()
        event.occurredAt = draft.occurredAt ?? 0
        event.signedAt = draft.source.signedAt ?? event.occurredAt
        event.sequence = draft.sequence ?? 0
        event.key = Reference(key)
        event.source = names.intern(draft.source.kind)
        event.trustCode = draft.trust.rawValue
        event.party = names.intern(draft.subject ?? draft.data["app_account_token"]?.text ?? "")
        var extras = draft.extras
        var data = draft.data
        var reference: String?
        let schema = Vocabulary.schema(named: draft.type, version: draft.version)
        let usesProfileSlot = schema?.fields.contains { $0.slot == .profile } ?? false
        if usesProfileSlot {
            if let profile = draft.profile { extras["profile"] = .string(profile) }
        } else {
            event.profile = names.intern(draft.profile ?? "")
        }
        if draft.sequence == 0 { extras["sequence"] = .integer(0) }
        if draft.source.signedAt == event.occurredAt { extras["signed"] = .bool(true) }
        // A customer that came through the store's token is not a named subject.
        if draft.subject == nil, event.party != 0 { extras["nobody"] = .bool(true) }
        if let schema {
            event.typeCode = schema.type.rawValue
            let current = Vocabulary.current(schema.type) ?? schema
            if current.version == schema.version {
                let isLine = EventRouter.kind(of: draft, schema) == .line
                take(&data, schema, &event, &reference, &names, isLine: isLine)
            } else {
                var newer = Upcaster.upcast(draft.data, schema)
                take(&newer, current, &event, &reference, &names, isLine: false)
            }
        } else {
            event.nameA = names.intern(draft.type)
        }
        return EventRow(
            event: event, key: key, reference: reference,
            schemaVersion: UInt16(clamping: draft.version), rest: rest(data, extras))
    }

    private static func rest(_ data: JSONObject, _ extras: JSONObject) -> String? {
        var members: [JSONObject.Member] = []
        if !data.isEmpty { members.append(.init(name: "d", value: .object(data))) }
        if !extras.isEmpty { members.append(.init(name: "e", value: .object(extras))) }
        return members.isEmpty ? nil : JSONValue.object(JSONObject(members)).canonicalText
    }

    /// Moves fields from the data into their slots.
    private static func take(
        _ data: inout JSONObject, _ schema: EventSchema, _ event: inout Event,
        _ reference: inout String?, _ names: inout NameTable, isLine: Bool
    ) {
        for field in schema.fields {
            guard let slot = field.slot, let value = data.value(at: field.path) else { continue }
            switch slot {
            case .nameA: event.nameA = names.intern(value.text ?? "")
            case .nameB: event.nameB = names.intern(value.text ?? "")
            case .nameC: event.nameC = names.intern(value.text ?? "")
            case .profile: event.profile = names.intern(value.text ?? "")
            case .reference:
                reference = value.text
                event.reference = Reference(value.text ?? "")
            case .amount: event.amount = value.integer ?? Event.absent
            case .money: event.money = value.integer ?? Event.absent
            case .timeA: event.timeA = value.integer ?? Event.absent
            case .timeB: event.timeB = value.integer ?? Event.absent
            case .timeC: event.timeC = value.integer ?? Event.absent
            case .stream: if !isLine { continue }
            case .flags(let shift, let width):
                let (bits, isExact) = FlagBits.encode(value, field.kind, width: width)
                event.flags |= bits << UInt16(shift)
                if !isExact { continue }
            }
            data.remove(at: field.path)
        }
    }
}

/// Row to cold event: the inverse of `EventEncoder`.
public enum EventDecoder {
    public static func recorded(
        _ row: EventRow, stream: StreamName, names: NameTable
    ) -> RecordedEvent {
        let event = row.event
        var data = JSONObject()
        var extras = JSONObject()
        if let rest = row.rest, let json = try? JSONReader.read(Array(rest.utf8)) {
            // What this code wrote it can read; a damaged row shows as one without its JSON part, and
            // `verify` reports it.
            data = json.object?["d"]?.object ?? data
            extras = json.object?["e"]?.object ?? extras
        }
        var name = names[event.nameA]
        if event.typeCode != 0, let current = Vocabulary.current(event.type) {
            name = current.name
            if current.version == Int(row.schemaVersion) {
                give(&data, current, row, stream, names)
            }
        }
        let hasProfileSlot =
            Vocabulary.current(event.type)?.fields.contains { $0.slot == .profile } ?? false
        let isSigned = extras["signed"] != nil || event.signedAt != event.occurredAt
        let isNobody = extras["nobody"] != nil
        var profile: String? = event.profile == 0 ? nil : names[event.profile]
        if hasProfileSlot { profile = extras["profile"]?.text }
        let sequence = extras["sequence"]?.integer ?? (event.sequence == 0 ? nil : event.sequence)
        for member in ["signed", "nobody", "sequence", "profile"] { extras[member] = nil }
        return RecordedEvent(
            position: event.position, streamVersion: row.streamVersion,
            recordedAt: row.recordedAt, stream: stream,
            draft: EventDraft(
                type: name, version: Int(row.schemaVersion), environment: stream.environment,
                subject: event.party == 0 || isNobody ? nil : names[event.party],
                profile: profile, occurredAt: event.occurredAt, sequence: sequence,
                source: EventSource(
                    kind: names[event.source], key: row.key,
                    signedAt: isSigned ? event.signedAt : nil),
                trust: event.trust, data: data, extras: extras))
    }

    private static func give(
        _ data: inout JSONObject, _ schema: EventSchema, _ row: EventRow, _ stream: StreamName,
        _ names: NameTable
    ) {
        let event = row.event
        for field in schema.fields {
            guard let slot = field.slot, data.value(at: field.path) == nil else { continue }
            let value: JSONValue?
            switch slot {
            case .nameA: value = text(event.nameA, names)
            case .nameB: value = text(event.nameB, names)
            case .nameC: value = text(event.nameC, names)
            case .profile: value = text(event.profile, names)
            case .reference: value = row.reference.map(JSONValue.string)
            case .amount: value = event.amount.orNil.map(JSONValue.integer)
            case .money: value = event.money.orNil.map(JSONValue.integer)
            case .timeA: value = event.timeA.orNil.map(JSONValue.integer)
            case .timeB: value = event.timeB.orNil.map(JSONValue.integer)
            case .timeC: value = event.timeC.orNil.map(JSONValue.integer)
            case .stream: value = streamField(field.name, stream)
            case .flags(let shift, let width):
                let bits = event.bits(UInt16(shift), UInt16(width))
                value = FlagBits.decode(bits, field.kind, width: width)
            }
            if let value { data.set(value, at: field.path) }
        }
    }

    private static func text(_ id: NameID, _ names: NameTable) -> JSONValue? {
        id == 0 ? nil : .string(names[id])
    }

    private static func streamField(_ field: String, _ stream: StreamName) -> JSONValue? {
        guard stream.kind == .line, let colon = stream.name.utf8.firstIndex(of: UInt8(ascii: ":"))
        else { return nil }
        if field == "store" {
            let store = String(stream.name[..<colon])
            return store == "apple" ? nil : .string(store)
        }
        return .string(String(stream.name[stream.name.index(after: colon)...]))
    }
}

/// Small values as bits of the flags column: 0 absent, all ones "kept in the JSON".
enum FlagBits {
    /// - Returns: The bits, and whether they say everything (else the value also stays in the JSON).
    static func encode(
        _ value: JSONValue, _ kind: EventFieldKind, width: UInt8
    ) -> (bits: UInt16, isExact: Bool) {
        let all = UInt16((1 << Int(width)) - 1)
        switch kind {
        case .bool: return (value.bool == true ? 2 : 1, true)
        case .word(let words):
            let given = value.text ?? value.integer.map(String.init) ?? ""
            for (index, word) in words.enumerated() {
                if word.name == given { return (UInt16(index + 1), value.text != nil) }
                if word.spellings.contains(given) { return (UInt16(index + 1), false) }
            }
            return (all, false)
        case .integer: return (UInt16(truncatingIfNeeded: (value.integer ?? 0) + 1), true)
        default: return (1, false)
        }
    }

    static func decode(_ bits: UInt16, _ kind: EventFieldKind, width: UInt8) -> JSONValue? {
        guard bits != 0 else { return nil }
        switch kind {
        case .bool: return .bool(bits == 2)
        case .word(let words): return words.count >= bits ? .string(words[Int(bits) - 1].name) : nil
        case .integer: return .integer(Int64(bits) - 1)
        default: return nil
        }
    }
}

/// Lifts the data of an older version of a type to the newest one.
public enum Upcaster {
    /// The data as the newest version would have it.
    public static func upcast(_ data: JSONObject, _ schema: EventSchema) -> JSONObject {
        switch (schema.type, schema.version) {
        case (.gaugePinned, 1):
            // Version 1 said `profile` or `item`; version 2 has one `ref` and may name the meter.
            var newer = data
            newer["ref"] = data["profile"] ?? data["item"]
            newer["profile"] = nil
            newer["item"] = nil
            return newer
        default: return data
        }
    }
}
