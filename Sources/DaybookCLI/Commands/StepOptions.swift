import ArgumentParser
import Daybook
import DaybookAudit
import DaybookDomain
import DaybookEvents
import Foundation

/// One customer replayed step by step: `replay --step`.
struct StepOptions: ParsableArguments {
    @Option(
        name: .customLong("step"), help: .value("subject", "Replay this customer, event by event."))
    var subject: String?

    @Option(
        name: .customLong("break"),
        help: .value(
            "condition",
            "With --step: a condition at which \"until\" stops: allowed:NAME, denied:NAME, used:METER>=N, or a type of events. May be repeated."
        ))
    var breaks: [String] = []

    @Option(
        help: .value(
            "file",
            "With --step: a file of steps, one per line; - is the standard input. \"help\" lists them."
        ))
    var script: String?

    @Option(help: .value("profile", "With --step: answer for this profile of the customer."))
    var profile: String?

    func validate() throws {
        try require(
            subject != nil,
            for: [
                ("--break", !breaks.isEmpty), ("--script", script != nil),
                ("--profile", profile != nil),
            ], "--step.")
    }

    func run(
        _ subject: String, _ ledger: Ledger, environment: Environment, knownAt: String?,
        _ output: OutputOptions
    ) throws {
        let conditions = try breaks.map(StepWord.condition)
        let replay = try ledger.stepping(
            subject, environment: environment, profile: profile,
            knownAt: try InstantText.knowledge(knownAt, "--known-at"))
        try Failure.require(
            !replay.entries.isEmpty, .badInput, "unknown_subject",
            "nothing is known of \(subject) in \(environment.name); check the name, --env and --known-at"
        )
        var session = StepSession(replay: replay, breaks: conditions, output: output)
        if let script {
            try session.run(lines: try InputFile(script).all())
        } else if Terminal.output.isInteractive, isatty(STDIN_FILENO) == 1 {
            try session.runKeys()
        } else {
            try session.run(lines: try InputFile("-").all())
        }
    }
}

/// A replay that a user or a script steps through.
struct StepSession {
    private(set) var replay: SteppedReplay
    let breaks: [AnswerCondition]
    let output: OutputOptions

    // MARK: Lines

    /// Does what the lines say, each with its answer.
    /// - Throws: The first line that cannot be done, with its number.
    mutating func run(lines bytes: [UInt8]) throws {
        let text = String(decoding: bytes, as: UTF8.self)
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false)
            .enumerated()
        {
            do {
                guard let word = try StepWord(String(line)) else { continue }
                if word == .quit { return }
                try take(word)
            } catch {
                throw Failure(error)?.onLine(index + 1) ?? error
            }
        }
    }

    /// Does one thing and tells what came of it.
    private mutating func take(_ word: StepWord) throws {
        switch word {
        case .next(let count):
            for _ in 0..<count where replay.next() == .ended { return try tellEnd() }
        case .back(let count):
            for _ in 0..<count where replay.back() == .ended { break }
        case .position(let position): try replay.go(toPosition: position)
        case .time(let instant): replay.go(toTime: instant)
        case .until(let own):
            let conditions = own.isEmpty ? breaks : own
            try Failure.require(
                !conditions.isEmpty, .badInput, "bad_step",
                "until what? write a condition, or give the replay one with --break")
            let outcome = try replay.run(until: conditions)
            try show()
            return try tell(outcome)
        case .show: return try tellStatus()
        case .help: return try tell(StepWord.words)
        case .quit: return
        }
        try show()
    }

    private func show() throws {
        let step = try replay.step()
        let total = replay.entries.count
        try output.show(step.json(of: total)) { step.text($0, of: total) }
    }

    private func tell(_ outcome: SteppedReplay.Outcome) throws {
        switch outcome {
        case .stopped(let condition):
            try output.show(["stopped_at": .string(condition.description)]) {
                "  \($0.paint("holds now: \(condition)", .good))\n"
            }
        case .ended: try tellEnd()
        case .arrived: break
        }
    }

    private func tellEnd() throws {
        try output.show(["ended": true]) { "  \($0.paint("that was the last event", .warning))\n" }
    }

    private func tellStatus() throws {
        let status = try replay.status()
        try output.show(status) { terminal in
            var table = Table()
            table.add(leavesOf: .object(status))
            return table.text(terminal)
        }
    }

    private func tell(_ text: HumanText) throws {
        try output.show(["help": .string(text.rendered)]) { _ in text }
    }

    // MARK: Keys

    /// Does what keys say until the user quits.
    mutating func runKeys() throws {
        let keys = try RawKeys()
        defer { keys.restore() }
        try Terminal.output.write(
            "\(replay.subject): \(Words.count(replay.entries.count, "event")). n next, b back, c to the next break, : a line, ? help, q quit\n"
        )
        try show()
        while let key = keys.next() {
            do {
                guard let word = try word(for: key, keys) else { continue }
                if word == .quit { return }
                try take(word)
            } catch {
                // A person tries again.
                guard let failure = Failure(error) else { throw error }
                try Terminal.output.write("  \(failure.message)\n")
            }
        }
    }

    private func word(for key: RawKeys.Key, _ keys: RawKeys) throws -> StepWord? {
        switch key {
        case .character("n"), .character(" "), .character("\n"), .right, .down: .next(1)
        case .character("b"), .left, .up: .back(1)
        case .character("c"): .until([])
        case .character("s"): .show
        case .character("?"), .character("h"): .help
        case .character("q"), .end: .quit
        case .character(":"): try StepWord(keys.line(after: ":"))
        default: nil
        }
    }
}
