import ArgumentParser

extension ParsableArguments {
    /// Refuses arguments that do not go together.
    /// - Parameter sentence: What to say instead.
    func require(_ holds: Bool, _ sentence: String) throws {
        if !holds { throw ValidationError(sentence) }
    }

    /// Refuses options of which a condition does not hold: names the first one that is given.
    func require(
        _ holds: Bool, for options: [(name: String, isGiven: Bool)], _ end: String
    ) throws {
        guard !holds, let given = options.first(where: \.isGiven) else { return }
        throw ValidationError("\(given.name) goes with \(end)")
    }
}
