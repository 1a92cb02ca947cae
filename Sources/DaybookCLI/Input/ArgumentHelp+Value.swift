import ArgumentParser

extension ArgumentHelp {
    /// Help for an option, with the name that it gives to its value.
    static func value(_ name: String, _ text: String) -> ArgumentHelp {
        ArgumentHelp(text, valueName: name)
    }

    /// Help for a file that takes what otherwise goes to the standard output.
    static let outputFile = value(
        "file",
        "Write to this file, which appears when it is complete. Default: the standard output.")
}
