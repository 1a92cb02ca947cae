import DaybookEvents

extension JSONValue? {
    /// At most 64 bytes of a text in quotes, or what stands there instead, for messages.
    var quoted: String {
        switch self {
        case .string(let text):
            "\"\(text.utf8.count <= 64 ? text : String(decoding: text.utf8.prefix(64), as: UTF8.self) + "…")\""
        case .integer(let number): "\(number)"
        case .number(let text): text.utf8.count <= 64 ? text : "a long number"
        case let value?: value.kindName
        case nil: "missing"
        }
    }
}
