/// What the shell gave, ready to be parsed.
enum Arguments {
    /// Options that take no value. Every other one does, so that what follows it belongs to it.
    static let flags: Set<String> = [
        "--json", "--help", "--help-hidden", "-h", "--version", "--dry-run", "--as-recorded",
        "--keep-going", "--csv", "--ndjson", "--explain", "--stopped",
        "--stream", "--retroactive", "--offline", "--online", "--all", "--no-auto-renew", "--trial",
        "--undo", "--force", "--apply", "--fails", "--redact", "--check", "--replace",
        "--allow-unknown", "--plain", "--unlimited", "--newest-first", "--move-anchor",
        "--preserve-overage", "--full", "--ending", "--follow", "--demo", "--keys",
        "--add", "--remove", "--kpi", "--part",
    ]

    /// Lets a number be negative: ArgumentParser would take `-1` for an option, and complain of a missing value or an
    /// unknown option instead of letting the command say what is wrong with it.
    ///
    /// Behind an option the number is joined to it, `--amount=-1`; elsewhere it and the arguments after it go behind
    /// `--`, where nothing is an option.
    static func prepared(_ arguments: [String]) -> [String] {
        var before: [String] = []
        var behind: [String] = []
        var rest = arguments[...]
        while let word = rest.popFirst() {
            if word == "--" {
                behind += rest
                break
            }
            if word.count > 1, word.hasPrefix("-"), !isNegative(word) {
                guard takesValue(word), let value = rest.first else {
                    before.append(word)
                    continue
                }
                // A short option takes a value that looks like a number as it is.
                if isNegative(value), word.hasPrefix("--") {
                    before.append("\(word)=\(value)")
                    rest = rest.dropFirst()
                } else if value.hasPrefix("-"), value.count > 1 {
                    before.append(word)
                } else {
                    before += [word, value]
                    rest = rest.dropFirst()
                }
            } else if !behind.isEmpty || isNegative(word) {
                behind.append(word)
            } else {
                before.append(word)
            }
        }
        return behind.isEmpty ? before : before + ["--"] + behind
    }

    private static func takesValue(_ word: String) -> Bool {
        !word.contains("=") && !flags.contains(word)
    }

    private static func isNegative(_ word: String) -> Bool {
        word.hasPrefix("-") && word.utf8.dropFirst().first.map { (48...57).contains($0) } == true
    }
}
