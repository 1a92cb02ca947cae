extension JSONValue {
    package static func orNull(_ value: Int64?) -> JSONValue { value.map { .integer($0) } ?? .null }
    package static func orNull(_ value: String?) -> JSONValue { value.map { .string($0) } ?? .null }
    /// A whole number of any size.
    package static func whole(_ value: Int128) -> JSONValue {
        Int64(exactly: value).map { .integer($0) } ?? .number(String(value))
    }
    package static func texts(_ values: [String]) -> JSONValue {
        .array(values.map { .string($0) })
    }

    /// A time that stands for "open" is none.
    package static func time(_ value: Int64?) -> JSONValue {
        guard let value, value > Int64.min, value < Int64.max else { return .null }
        return .integer(value)
    }
}
