import DaybookEvents

/// As much of JSON Schema (draft 2020-12) as the generated schemas use; any other keyword is an error.
struct SchemaChecker {
    struct UnknownKeyword: Error { var keyword: String }

    private static let remarks: Set<String> = [
        "$schema", "$id", "$comment", "title", "description", "examples",
    ]
    /// Currencies.
    private static let codePattern = "^[A-Z]{3}$"
    /// Text without control characters.
    private static let pattern = #"^[^\u0000-\u001F\u007F-\u009F]*$"#

    static func accepts(_ value: JSONValue, _ schema: JSONObject) throws -> Bool {
        for keyword in schema.members where !remarks.contains(keyword.name) {
            guard try accepts(value, keyword.name, keyword.value) else { return false }
        }
        return true
    }

    private static func accepts(
        _ value: JSONValue, _ keyword: String, _ rule: JSONValue
    ) throws -> Bool {
        switch keyword {
        case "type":
            return (rule.array ?? [rule]).contains { $0.text == kind(of: value) }
        case "const": return value == rule
        case "enum": return rule.array?.contains(value) ?? false
        case "not": return try !accepts(value, rule.object ?? [:])
        case "anyOf":
            return try (rule.array ?? []).contains { try accepts(value, $0.object ?? [:]) }
        case "required":
            guard let object = value.object else { return true }
            return (rule.array ?? []).allSatisfy { object[$0.text ?? ""] != nil }
        case "properties":
            guard let object = value.object else { return true }
            return try (rule.object?.members ?? []).allSatisfy { property in
                guard let inner = object[property.name] else { return true }
                return try accepts(inner, property.value.object ?? [:])
            }
        case "minLength", "maxLength", "pattern": return try accepts(text: value, keyword, rule)
        case "minimum":
            guard let number = value.integer, let bound = rule.integer else { return true }
            return number >= bound
        case "maximum":
            guard let number = value.integer, let bound = rule.integer else { return true }
            return number <= bound
        default: throw UnknownKeyword(keyword: keyword)
        }
    }

    private static func accepts(
        text value: JSONValue, _ keyword: String, _ rule: JSONValue
    ) throws -> Bool {
        guard let scalars = value.text?.unicodeScalars else { return true }
        switch keyword {
        case "minLength": return Int64(scalars.count) >= rule.integer ?? 0
        case "maxLength": return Int64(scalars.count) <= rule.integer ?? 0
        default:
            if rule.text == codePattern {
                return scalars.count == 3 && scalars.allSatisfy { ("A"..."Z").contains($0) }
            }
            guard rule.text == pattern else { throw UnknownKeyword(keyword: "\(rule)") }
            return scalars.allSatisfy { $0.properties.generalCategory != .control }
        }
    }

    private static func kind(of value: JSONValue) -> String {
        switch value {
        case .null: "null"
        case .bool: "boolean"
        case .integer: "integer"
        case .number: "number"
        case .string: "string"
        case .array: "array"
        case .object: "object"
        }
    }
}
