import ArgumentParser

extension DaybookCommand {
    /// Parses and runs one command line.
    /// - Parameter arguments: Without the program's name.
    static func perform(_ arguments: [String]) async throws {
        var command = try parseAsRoot(Arguments.prepared(arguments))
        if var command = command as? any AsyncParsableCommand {
            try await command.run()
        } else {
            try command.run()
        }
    }
}
