/// Words of a command line that a shell takes as they are (single quotes of the POSIX shell).
package enum ShellText {
    package static func quoted(_ text: String) -> String {
        let isPlain =
            !text.isEmpty
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
                    UInt8(ascii: "."), UInt8(ascii: ":"), UInt8(ascii: "@"), UInt8(ascii: "/"):
                    true
                default: false
                }
            }
        // A word that begins with a hyphen would be taken for an option.
        if isPlain, !text.hasPrefix("-") { return text }
        return "'" + text.replacing("'", with: "'\\''") + "'"
    }
}
