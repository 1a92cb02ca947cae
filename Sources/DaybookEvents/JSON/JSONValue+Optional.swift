extension JSONValue {
    package static func orNull(_ value: Int64?) -> JSONValue { value.map { .integer($0) } ?? .null }
    package static func orNull(_ value: String?) -> JSONValue { value.map { .string($0) } ?? .null }
    package static func orNull(_ value: JSONObject?) -> JSONValue {
        value.map { .object($0) } ?? .null
    }
    /// A number of things.
    package static func count(_ value: Int) -> JSONValue { .integer(Int64(value)) }
    package static func objects(_ values: [JSONObject]) -> JSONValue {
        .array(values.map { .object($0) })
    }
    /// An object with a member for each of some elements, in any order; their names must be distinct.
    @inlinable
    package static func members<Element>(
        of elements: some Sequence<Element>, _ member: (Element) -> (name: String, value: JSONValue)
    ) -> JSONValue {
        .object(
            JSONObject(
                elements.map {
                    let (name, value) = member($0)
                    return .init(name: name, value: value)
                }))
    }
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
