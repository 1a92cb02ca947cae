/// JSON Schemas (draft 2020-12) of every event type and version, generated from the vocabulary.
///
/// They accept what `EventValidator` accepts, as far as JSON Schema can say it: it counts Unicode scalars where a
/// bound is in bytes, so text that is too long by its bytes alone is refused by the ledger and not by the schema.
public enum JSONSchema {
    /// File name without extension (`usage.recorded.v1`) and document, in the vocabulary's order.
    public static func documents() -> [(name: String, document: JSONValue)] {
        Vocabulary.schemas.map { ("\($0.name).v\($0.version)", .object(document($0))) }
    }

    private static func document(_ schema: EventSchema) -> JSONObject {
        let needsData = !schema.oneOf.isEmpty || schema.fields.contains(where: \.isRequired)
        let needsSubject = schema.needsSubject
        var required: [JSONValue] = ["type"]
        if needsData { required.append("data") }
        if needsSubject { required.append("subject") }
        // An event without `v` is of version 1.
        if schema.version > 1 { required.append("v") }
        let version = JSONValue.integer(Int64(schema.version))
        return [
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "$id": .string("daybook:events/\(schema.name).v\(schema.version)"),
            "title": .string("\(schema.name), version \(schema.version)"),
            "description": .string(schema.meaning), "type": "object",
            "required": .array(required), "anyOf": .array(namings(schema.type)),
            "properties": [
                "type": ["const": .string(schema.name)],
                "v": schema.version > 1 ? ["const": version] : ["enum": [version, nil]],
                "environment": words(Environment.allCases.map(\.name)),
                "subject": needsSubject ? .object(name) : orNull(name), "profile": orNull(name),
                "occurred_at": orNull(ownTime), "recorded_at": orNull(ownTime),
                "sequence": orNull(range(0...EventBounds.sequenceMax)),
                "trust": words(Trust.allCases.map(\.name)), "app": orNull(name), "id": extra,
                "actor": extra, "reason": extra, "causation": extra, "correlation": extra,
                "ticket": extra,
                "source": orNull([
                    "type": "object",
                    "properties": [
                        "kind": orNull(name), "key": orNull(name), "signed_at": orNull(ownTime),
                    ],
                ]),
                "data": needsData ? .object(data(schema)) : orNull(data(schema)),
            ],
        ]
    }

    /// What tells the event from an equal one: its key, its id, or for most types the time at which it happened.
    private static func namings(_ type: EventType) -> [JSONValue] {
        let key: JSONValue = [
            "required": ["source"],
            "properties": [
                "source": [
                    "type": "object", "required": ["key"], "properties": ["key": .object(name)],
                ]
            ],
        ]
        let id: JSONValue = ["required": ["id"], "properties": ["id": .object(name)]]
        let time: JSONValue = [
            "required": ["occurred_at"],
            "properties": ["occurred_at": .object(ownTime), "id": orNull(name)],
        ]
        return type.needsKey ? [key, id] : [key, id, time]
    }

    /// A name of the envelope.
    private static let name: JSONObject = {
        var object = text(EventBounds.nameByteCountMax)
        object["pattern"] = #"^[^\u0000-\u001F\u007F-\u009F]*$"#
        return object
    }()
    /// A member that is kept as it comes when it is no text.
    private static let extra: JSONValue = ["anyOf": [.object(name), ["not": ["type": "string"]]]]
    private static let ownTime = range(EventBounds.times)

    private static func text(_ byteCountMax: Int) -> JSONObject {
        [
            "type": "string", "minLength": 1, "maxLength": .integer(Int64(byteCountMax)),
            "$comment": .string("at most \(byteCountMax) bytes of UTF-8"),
        ]
    }

    private static func range(_ range: ClosedRange<Int64>) -> JSONObject {
        [
            "type": "integer", "minimum": .integer(range.lowerBound),
            "maximum": .integer(range.upperBound),
        ]
    }

    /// The words of a closed list; absent and null mean the default.
    private static func words(_ names: [String]) -> JSONValue {
        ["enum": .array(names.map(JSONValue.string) + [.null])]
    }

    /// A member that may be left out may also be null: both mean that it is absent.
    private static func orNull(_ object: JSONObject) -> JSONValue {
        var object = object
        switch object["type"] {
        case .string(let type)?: object["type"] = [.string(type), "null"]
        case .array(let types)?: object["type"] = .array(types + ["null"])
        default: break
        }
        return .object(object)
    }

    private static func data(_ schema: EventSchema) -> JSONObject {
        var properties = JSONObject()
        var required: [JSONValue] = []
        var requiredInside: [String: [JSONValue]] = [:]
        for field in schema.fields {
            properties.set(member(field), at: schemaPath(field.path))
            guard field.isRequired else { continue }
            if field.path.count == 1 {
                required.append(.string(field.name))
            } else {
                requiredInside[field.path[0], default: []].append(.string(field.path[1]))
            }
        }
        for field in schema.fields where field.path.count > 1 {
            let outer = field.path[0]
            properties.set(
                requiredInside[outer] == nil ? ["object", "null"] : "object", at: [outer, "type"])
        }
        for (name, members) in requiredInside.sorted(by: { $0.key < $1.key }) {
            properties.set(.array(members), at: [name, "required"])
            required.append(.string(name))
        }
        var data: JSONObject = ["type": "object", "properties": .object(properties)]
        if !required.isEmpty { data["required"] = .array(required) }
        let alternatives = schema.alternatives.map { names -> JSONValue in
            .array(
                names.map { name in
                    [
                        "required": .array([.string(name)]),
                        "properties": .object([name: ["not": ["type": "null"]]]),
                    ]
                })
        }
        if alternatives.count == 1 {
            data["anyOf"] = alternatives[0]
        } else if !alternatives.isEmpty {
            data["allOf"] = .array(alternatives.map { ["anyOf": $0] })
        }
        return data
    }

    private static func schemaPath(_ path: [String]) -> [String] {
        path.count == 1 ? path : [path[0], "properties", path[1]]
    }

    private static func member(_ field: EventField) -> JSONValue {
        var object: JSONObject
        switch field.kind {
        case .text: object = text(EventBounds.nameByteCountMax)
        case .currency: object = ["type": "string", "pattern": "^[A-Z]{3}$"]
        case .document: object = text(EventBounds.documentByteCountMax)
        case .integer, .amount, .money, .time: object = range(field.range)
        case .bool: object = ["type": "boolean"]
        case .word(let words):
            // Unknown words are kept and are none of these to a fold, so the list only says what is understood.
            object = text(EventBounds.nameByteCountMax)
            object["type"] = ["string", "integer"]
            object["examples"] = .array(words.map { .string($0.name) })
        case .any: object = field.isRequired ? ["not": ["type": "null"]] : JSONObject()
        }
        if let bounds = field.bounds {
            object["minimum"] = .integer(bounds.lowerBound)
            object["maximum"] = .integer(bounds.upperBound)
        }
        if !field.meaning.isEmpty { object["description"] = .string(field.meaning) }
        return field.isRequired ? .object(object) : orNull(object)
    }
}
