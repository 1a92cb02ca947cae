import ArgumentParser
import DaybookEvents

/// Where the demo speaks and runs commands; silent with `--json`, which gets everything at the end.
struct Stage {
    let isSilent: Bool
    private var terminal: Terminal { .output }

    /// What a command came to.
    struct Outcome {
        /// Exit code 0; otherwise the answer was no.
        var isYes: Bool
        /// What it prints with `--json`; empty where the stage is not silent.
        var json: JSONObject
    }

    private static let columnCount = 96

    func chapter(_ title: String, _ sentence: String) throws {
        try say("\(terminal.paint(title, .heading))")
        try say("\(terminal.paint(sentence, .dim))\n")
    }

    func say(_ text: HumanText) throws {
        if !isSilent { try terminal.write(text + "\n") }
    }

    func show(_ table: Table) throws {
        if !isSilent { try terminal.write(table.text(terminal)) }
    }

    /// A line of the shell that is not a command of ours.
    func prompt(_ line: String) throws {
        for piece in "$ \(line)".split(separator: "\n") {
            try say("  \(terminal.paint(String(piece), .bold))")
        }
    }

    /// Shows a command as a reader could type it, runs just that, and shows what it says.
    /// - Parameter words: `$DAYBOOK_LEDGER` stands for the ledger, as it would in a shell.
    /// - Throws: What no command of the demo may come to: anything but a yes or a no.
    @discardableResult
    func run(_ words: [String], ledger: String) async throws -> Outcome {
        try prompt(Self.shellLine(["daybook"] + words))
        let arguments = words.map { $0 == "$DAYBOOK_LEDGER" ? ledger : $0 }
        let (bytes, error) = await Terminal.recording {
            try await DaybookCommand.perform(arguments + (isSilent ? ["--json"] : []))
        }
        let isNo = try error.map(Self.isNo) ?? false
        try say(HumanText(written: bytes).indented(4))
        return Outcome(
            isYes: !isNo, json: isSilent ? try JSONReader.read(bytes).object ?? [:] : [:])
    }

    /// Runs a command whose answer must be yes.
    @discardableResult
    func runWell(_ words: [String], ledger: String = "") async throws -> Outcome {
        let outcome = try await run(words, ledger: ledger)
        try must(outcome.isYes, "\"daybook \(words.joined(separator: " "))\" is answered with yes")
        return outcome
    }

    func must(_ holds: Bool, _ sentence: String) throws {
        if !holds { throw Failure(.no, "demo", "\(sentence); it was not so") }
    }

    /// Whether an error is a refusal, which is an answer.
    private static func isNo(_ error: any Error) throws -> Bool {
        if let status = error as? ExitCode, status == .no { return true }
        if let failure = Failure(error), failure.status == .no { return true }
        throw error
    }

    /// Quoted for a shell, and broken before an option where it gets long.
    static func shellLine(_ words: [String]) -> String {
        var line = ""
        var columns = 0
        let all = words.map { word in
            word.allSatisfy(isPlain) ? word : "'\(word.replacing("'", with: "'\\''"))'"
        }
        for (index, quoted) in all.enumerated() {
            let value = index + 1 < all.count ? all[index + 1].count : 0
            if quoted.hasPrefix("--"), columns + quoted.count + value > columnCount {
                line += " \\\n    \(quoted)"
                columns = 6 + quoted.count
            } else {
                line += (line.isEmpty ? "" : " ") + quoted
                columns += 1 + quoted.count
            }
        }
        return line
    }

    private static func isPlain(_ character: Character) -> Bool {
        character.isASCII && (character.isLetter || character.isNumber)
            || "$_-./:@=,+".contains(character)
    }
}
