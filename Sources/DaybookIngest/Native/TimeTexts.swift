import DaybookDomain
import DaybookEvents

/// Times of an event that somebody wrote in RFC 3339, as answers for people show them.
enum TimeTexts {
    /// The event with such times in milliseconds, as everything else reads it.
    /// - Returns: `nil`: there is none.
    /// - Throws: `EventProblem` with the member for a text that is no time.
    static func inNumbers(_ json: JSONValue) throws(EventProblem) -> JSONValue? {
        guard var object = json.object else { return nil }
        var isChanged = false
        for name in ["occurred_at", "recorded_at"] {
            if let instant = try instant(object[name], name) {
                object[name] = .integer(instant)
                isChanged = true
            }
        }
        if var source = object["source"]?.object,
            let instant = try instant(source["signed_at"], "source.signed_at")
        {
            source["signed_at"] = .integer(instant)
            object["source"] = .object(source)
            isChanged = true
        }
        if var data = object["data"]?.object, let schema = schema(of: object) {
            for field in schema.fields where field.kind == .time {
                let value = data.value(at: field.path)
                guard let instant = try instant(value, "data.\(field.name)") else { continue }
                data.set(.integer(instant), at: field.path)
                isChanged = true
            }
            object["data"] = .object(data)
        }
        return isChanged ? .object(object) : nil
    }

    private static func schema(of object: JSONObject) -> EventSchema? {
        guard let name = object["type"]?.text else { return nil }
        let version = object["v"]?.integer ?? 1
        return Vocabulary.schema(named: name, version: Int(clamping: version))
    }

    private static func instant(
        _ value: JSONValue?, _ member: String
    ) throws(EventProblem) -> Int64? {
        guard let text = value?.text else { return nil }
        if let instant = RFC3339.parse(text) { return instant }
        throw EventProblem(
            .wrongType, member,
            "\"\(text.prefix(40))\" is no time; write milliseconds since 1970, or RFC 3339 with its offset and at most milliseconds: 2026-03-01T09:00:00Z"
        )
    }
}
