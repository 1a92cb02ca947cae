import ArgumentParser

extension ParsableArguments {
    /// Refuses arguments that do not go together.
    /// - Parameter sentence: What to say instead.
    func require(_ holds: Bool, _ sentence: String) throws {
        if !holds { throw ValidationError(sentence) }
    }
}
