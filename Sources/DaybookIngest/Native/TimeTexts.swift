import DaybookDomain
import DaybookEvents

/// Times of an event that were written in RFC 3339, as answers for people show them.
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
            if try change(&data, schema, "data") { isChanged = true }
            if var items = data["items"]?.array, OrderItems.belong(to: schema) {
                for index in items.indices {
                    guard var item = items[index].object else { continue }
                    if try change(&item, schema, "data.items[\(index)]") { isChanged = true }
                    items[index] = .object(item)
                }
                data["items"] = .array(items)
            }
            object["data"] = .object(data)
        }
        return isChanged ? .object(object) : nil
    }

    /// - Parameter place: Where the object stands, for messages.
    /// - Returns: Whether the object had such a time.
    private static func change(
        _ object: inout JSONObject, _ schema: EventSchema, _ place: String
    ) throws(EventProblem) -> Bool {
        var isChanged = false
        for field in schema.fields where field.kind == .time {
            let value = object.value(at: field.path)
            guard let instant = try instant(value, "\(place).\(field.name)") else { continue }
            object.set(.integer(instant), at: field.path)
            isChanged = true
        }
        return isChanged
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
        return try PatchTimes.instant(text, member)
    }
}
