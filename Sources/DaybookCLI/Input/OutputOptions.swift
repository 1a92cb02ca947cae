import ArgumentParser
import DaybookEvents

/// The format of the answer.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Write one line of JSON (snake_case, canonical) instead of text.")
    var json = false

    /// Writes an answer for a script or for a person.
    /// - Parameter text: Gets the terminal, for its colours.
    func show(_ answer: @autoclosure () -> JSONObject, _ text: (Terminal) -> HumanText) throws {
        let terminal = Terminal.output
        if json { try terminal.write(answer()) } else { try terminal.write(text(terminal)) }
    }
}
