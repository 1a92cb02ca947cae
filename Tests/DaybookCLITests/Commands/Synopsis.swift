import Foundation

/// One command with everything that it takes, as `docs/cli.md` shows it: made of what the tool tells of itself.
///
/// ```
/// daybook export [events|transactions|periods|customers] [--subject SUBJECT]
///     [--after PLACE]
/// ```
///
/// Arguments come first, options in the order of the help; what may be left out stands in brackets. A line has at most
/// 100 columns and ends between two options.
struct Synopsis {
    /// The names behind the program's: `grant issue`.
    let command: String
    private let parts: [String]

    private static let columnCount = 100
    /// Taken by every command, and told once on the page.
    private static let common: Set<String> = ["ledger", "json", "version", "help"]
    /// What a command that decides takes; where a command has all of them, `writingMark` stands for them.
    static let writing = [
        "env", "idempotency-key", "actor", "reason", "ticket", "expected-version", "client-at",
        "dry-run",
    ]
    static let writingMark = "[WRITING OPTIONS]"

    /// The options that this synopsis leaves to the page's own words.
    let omitted: Set<String>

    init(_ command: String, _ arguments: [ToolHelp.Argument]) {
        self.command = command
        let shown = arguments.filter(\.shouldDisplay)
        let optional = Set(shown.filter(\.isOptional).compactMap(\.longName))
        let isWriting = optional.isSuperset(of: Self.writing)
        let left = Self.common.intersection(optional).union(isWriting ? Self.writing : [])
        omitted = left
        let places = shown.filter { $0.kind == .positional }
        let options = shown.filter { argument in
            argument.kind != .positional && !(argument.longName.map(left.contains) ?? false)
        }
        parts = (places + options).map(Self.part) + (isWriting ? [Self.writingMark] : [])
    }

    private static func part(_ argument: ToolHelp.Argument) -> String {
        var text = argument.longName.map { "--\($0)" } ?? ""
        if argument.kind != .flag { text += (text.isEmpty ? "" : " ") + placeholder(argument) }
        let once = argument.isOptional ? "[\(text)]" : text
        guard argument.isRepeating else { return once }
        // An option is written once for each of its values, an argument is one of several.
        switch (argument.kind, argument.isOptional) {
        case (.positional, true): return "[\(text)...]"
        case (.positional, false): return "\(text)..."
        case (_, true): return "[\(text)]..."
        case (_, false): return "(\(text))..."
        }
    }

    /// The values, where they fit on a line; `--env` is told once on the page.
    private static func placeholder(_ argument: ToolHelp.Argument) -> String {
        let values = (argument.allValues ?? []).joined(separator: "|")
        guard !values.isEmpty, values.count <= 60, argument.longName != "env" else {
            return (argument.valueName ?? "value").uppercased()
        }
        return values
    }

    /// Lines of at most 100 columns, the second and further ones indented.
    var text: String {
        var lines = ["daybook \(command)"]
        for part in parts {
            if lines[lines.count - 1].count + 1 + part.count <= Self.columnCount {
                lines[lines.count - 1] += " \(part)"
            } else {
                lines.append("    \(part)")
            }
        }
        return lines.joined(separator: "\n")
    }
}

/// What `daybook --experimental-dump-help` tells, as far as synopses need it.
struct ToolHelp: Decodable {
    struct Command: Decodable {
        let commandName: String
        let arguments: [Argument]?
        let subcommands: [Command]?
    }

    struct Argument: Decodable {
        enum Kind: String, Decodable { case positional, option, flag }

        struct Name: Decodable {
            let kind: String
            let name: String
        }

        let kind: Kind
        let isOptional: Bool
        let isRepeating: Bool
        let shouldDisplay: Bool
        let names: [Name]?
        let valueName: String?
        let allValues: [String]?

        var longName: String? { names?.first { $0.kind == "long" }?.name }
    }

    let command: Command

    /// One for each command that does something, in the order of the help; commands that only group others have none.
    var synopses: [Synopsis] {
        func leaves(_ command: Command, _ path: [String]) -> [Synopsis] {
            let subcommands = (command.subcommands ?? []).filter { $0.commandName != "help" }
            guard subcommands.isEmpty else {
                return subcommands.flatMap { leaves($0, path + [$0.commandName]) }
            }
            return [Synopsis(path.joined(separator: " "), command.arguments ?? [])]
        }
        return leaves(command, [])
    }
}
