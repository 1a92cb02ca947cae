/// JSON Schemas (draft 2020-12) of every event type and version, generated from the vocabulary.
public enum JSONSchema {
    /// File name without extension (`usage.recorded.v1`) and document, in the vocabulary's order.
    public static func documents() -> [(name: String, document: JSONValue)] {
        Vocabulary.schemas.map { ("\($0.name).v\($0.version)", .object(document($0))) }
    }

    private static func document(_ schema: EventSchema) -> JSONObject {
        let isKeyed = (20..<80).contains(schema.type.rawValue) && schema.type != .gaugePinned
        var required: [JSONValue] = ["type", "data"]
        if schema.routing == .customer { required.append("subject") }
        if isKeyed { required.append("source") }
        return [
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "$id": .string("daybook:events/\(schema.name).v\(schema.version)"),
            "title": .string("\(schema.name), version \(schema.version)"),
            "description": .string(schema.meaning), "type": "object",
            "required": .array(required),
            "properties": [
                "type": ["const": .string(schema.name)],
                "v": ["const": .integer(Int64(schema.version))],
                "environment": .object(
                    words(["production", "sandbox", "xcode", "test"])),
                "subject": text, "profile": text, "occurred_at": ownTime, "recorded_at": ownTime,
                "sequence": ["type": "integer", "minimum": 0, "maximum": 4_294_967_295],
                "trust": .object(words(Trust.allCases.map(\.name))),
                "source": [
                    "type": "object", "required": isKeyed ? ["key"] : [],
                    "properties": ["kind": text, "key": text, "signed_at": ownTime],
                ],
                "data": .object(data(schema)),
            ],
        ]
    }

    private static let text: JSONValue = [
        "type": "string", "minLength": 1,
        "maxLength": .integer(Int64(EventBounds.nameByteCountMax)),
    ]
    private static let ownTime: JSONValue = [
        "type": "integer", "minimum": .integer(EventBounds.timeMin),
        "maximum": .integer(EventBounds.timeMax),
    ]

    private static func words(_ names: [String]) -> JSONObject {
        ["enum": .array(names.map(JSONValue.string))]
    }

    private static func data(_ schema: EventSchema) -> JSONObject {
        var properties = JSONObject()
        var required: [JSONValue] = []
        var requiredInside: [String: [JSONValue]] = [:]
        for field in schema.fields {
            properties.set(.object(member(field)), at: schemaPath(field.path))
            guard field.isRequired else { continue }
            if field.path.count == 1 {
                required.append(.string(field.name))
            } else {
                requiredInside[field.path[0], default: []].append(.string(field.path[1]))
            }
        }
        for (name, members) in requiredInside {
            properties.set(.array(members), at: [name, "required"])
            required.append(.string(name))
        }
        for field in schema.fields where field.path.count > 1 {
            properties.set("object", at: [field.path[0], "type"])
        }
        var data: JSONObject = ["type": "object", "properties": .object(properties)]
        if !required.isEmpty { data["required"] = .array(required) }
        if !schema.oneOf.isEmpty {
            data["anyOf"] = .array(
                schema.oneOf.map { ["required": .array([.string($0)])] })
        }
        return data
    }

    private static func schemaPath(_ path: [String]) -> [String] {
        path.count == 1 ? path : [path[0], "properties", path[1]]
    }

    private static func member(_ field: EventField) -> JSONObject {
        var object: JSONObject
        switch field.kind {
        case .text: object = text.object ?? JSONObject()
        case .integer: object = ["type": ["integer", "null"]]
        case .amount: object = range(EventBounds.amountMax)
        case .money: object = range(EventBounds.moneyMilliMax)
        case .time: object = ["type": ["integer", "null"]]
        case .bool: object = ["type": "boolean"]
        case .word(let words):
            // Unknown words are kept and read as "another", so the list only says what is understood.
            object = ["type": ["string", "integer"]]
            object["examples"] = .array(words.map { .string($0.name) })
        case .any: object = JSONObject()
        }
        if !field.meaning.isEmpty { object["description"] = .string(field.meaning) }
        return object
    }

    private static func range(_ bound: Int64) -> JSONObject {
        ["type": "integer", "minimum": .integer(-bound), "maximum": .integer(bound)]
    }
}
