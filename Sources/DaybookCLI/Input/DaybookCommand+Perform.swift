import ArgumentParser
import DaybookDomain

extension DaybookCommand {
    /// Parses and runs one command line.
    /// - Parameter arguments: Without the program's name.
    static func perform(_ arguments: [String]) async throws {
        var command = try parsed(Arguments.prepared(arguments))
        if var command = command as? any AsyncParsableCommand {
            try await command.run()
        } else {
            try command.run()
        }
    }

    private static func parsed(_ arguments: [String]) throws -> any ParsableCommand {
        do {
            return try parseAsRoot(arguments)
        } catch {
            // What asks for the version or a help text is thrown, too.
            guard exitCode(for: error) != .success else { throw error }
            throw unknownCommand(in: arguments) ?? error
        }
    }

    /// What is wrong where a word stands in a command's place and is none: ArgumentParser counts it among the
    /// arguments that it did not expect, and complains of the first option if there is one.
    private static func unknownCommand(in arguments: [String]) -> Failure? {
        var group: any ParsableCommand.Type = DaybookCommand.self
        var path = "daybook"
        for word in arguments {
            let commands = group.configuration.subcommands
            let isChosen = group.configuration.defaultSubcommand != nil || commands.isEmpty
            if isChosen || word.hasPrefix("-") || word == "help" { return nil }
            let known = commands.first {
                $0._commandName == word || $0.configuration.aliases.contains(word)
            }
            guard let next = known else {
                let hint = NearestName.hint(word, among: commands.map { $0._commandName })
                return Failure(
                    .usage, "usage",
                    lines: [
                        "Error: \(path) has no command \"\(word)\"\(hint)",
                        "Usage: \(path) <subcommand>",
                        "  See '\(path) --help' for more information.",
                    ])
            }
            (group, path) = (next, path + " " + word)
        }
        return nil
    }
}
