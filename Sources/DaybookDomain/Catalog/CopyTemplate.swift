/// Text with `{placeholders}`, as the copy of a catalog holds it.
enum CopyTemplate {
    /// The names between braces, in order of appearance.
    static func placeholders(in text: String) -> [String] {
        var names: [String] = []
        _ = replacing(text) { name in
            names.append(name)
            return nil
        }
        return names
    }

    /// Fills what is known and leaves everything else as it stands.
    static func fill(_ text: String, _ arguments: [String: String]) -> String {
        replacing(text) { arguments[$0] }
    }

    private static func replacing(_ text: String, _ value: (String) -> String?) -> String {
        var result = ""
        var rest = text[...]
        while let open = rest.firstIndex(of: "{") {
            result += rest[..<open]
            let behind = rest[rest.index(after: open)...]
            guard let close = behind.firstIndex(where: { $0 == "}" || $0 == "{" }),
                behind[close] == "}", close > behind.startIndex
            else {
                result += "{"
                rest = behind
                continue
            }
            let name = String(behind[..<close])
            result += value(name) ?? "{\(name)}"
            rest = behind[behind.index(after: close)...]
        }
        return result + rest
    }
}
