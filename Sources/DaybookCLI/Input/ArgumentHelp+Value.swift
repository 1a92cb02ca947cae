import ArgumentParser

extension ArgumentHelp {
    /// Help for an option, with the name that it gives to its value.
    static func value(_ name: String, _ text: String) -> ArgumentHelp {
        ArgumentHelp(text, valueName: name)
    }
}
