/// What the shell gave, ready to be parsed.
enum Arguments {
    /// Lets a gauge be told `-1` without `--`: ArgumentParser would take it for an option.
    ///
    /// Only `consume` takes a negative number, as its last argument, so the number moves to the end.
    static func of(_ all: [String]) -> [String] {
        var arguments = Array(all.dropFirst())
        guard arguments.first == "consume", !arguments.contains("--") else { return arguments }
        let index = arguments.indices.first { index in
            arguments[index].hasPrefix("-") && Int64(arguments[index]) != nil
                && !arguments[index - 1].hasPrefix("--")
        }
        guard let index else { return arguments }
        let number = arguments.remove(at: index)
        return arguments + ["--", number]
    }
}
