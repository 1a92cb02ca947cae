import ArgumentParser
import Daybook

struct ChangesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "changes", abstract: "Show what was recorded after a place.",
        discussion: """
            Events in the order of their positions, each once, without a gap. Each has the place after it; --after \
            goes on from there, also in another process, later, or with another filter.

              daybook changes --json
              daybook changes --after @1 --type usage.recorded --type usage.reversed
              daybook changes --subject ada --limit 10
              daybook changes --follow --limit 1

            A place names what came before it. In a ledger that was restored or replaced, one of its former history \
            is refused (history_replaced), with the position from which to begin again.
            """)

    @Option(
        help: .value(
            "place",
            "Only what was recorded after this place, or after @position. Default: everything."))
    var after: String?

    @Option(help: .value("n", "At most this many events, then end."))
    var limit: Int?

    @Option(
        name: .customLong("type"),
        help: .value("type", "Only events of this type; may be repeated."))
    var types: [String] = []

    @Option(
        help: .value(
            "subject", "Only what the history of this customer lists, in any environment."))
    var subject: String?

    @Option(name: .customLong("env"), help: "Only this environment. Default: all.")
    var environment: Environment?

    @Flag(help: "At the end, wait for what is recorded next.")
    var follow = false

    @OptionGroup var ledger: LedgerOptions

    @Flag(help: "Write a line of JSON (snake_case, canonical) for each event instead of text.")
    var json = false

    mutating func validate() throws {
        if let limit, limit < 1 { throw ValidationError("--limit \(limit): write 1 or more.") }
    }

    mutating func run() async throws {
        let start = try ChangesStart(after)
        let output = ChangeOutput(isJSON: json)
        guard follow else {
            return try await ledger.asking { ledger in
                let isMore = try write(ledger, from: start, to: output)
                try output.writeEnd(isMore: isMore)
            }
        }
        try await follow(from: start, to: output)
    }

    /// How many events may still be written.
    private func left(_ output: ChangeOutput) -> Int64 {
        limit.map { Int64($0) - output.eventCount } ?? Int64.max
    }

    /// Writes everything that is there.
    /// - Returns: Whether there is more than may be written.
    private func write(
        _ ledger: Ledger, from start: ChangesStart, to output: ChangeOutput
    ) throws -> Bool {
        while true {
            let page = try ledger.changes(
                after: try output.place ?? start.place(in: ledger),
                limit: Int(min(left(output), Int64(ChangePage.limitMax))),
                types: Set(types.map(EventTypeName.init(rawValue:))), subject: subject,
                environment: environment)
            try output.write(page)
            guard page.isMore, left(output) > 0 else { return page.isMore }
        }
    }

    // MARK: Waiting

    /// Between looks at a ledger in which nothing is new; the second one after a minute of silence.
    private static let waits: (first: Duration, later: Duration) = (
        .milliseconds(250), .seconds(1)
    )
    private static let silentLooksMax = 240
    /// So often a ledger that fails is opened anew before the failure is told.
    private static let failuresMax = 4

    /// Goes on until the limit is reached, the reader has gone or the command is interrupted.
    ///
    /// Where the file under the ledger was exchanged it is opened anew: what is there now either has the place, or says
    /// that it has another history. While it is being exchanged it may be neither, for a moment.
    private func follow(from start: ChangesStart, to output: ChangeOutput) async throws {
        var failures = 0
        while true {
            do {
                return try await ledger.asking { ledger in
                    try await follow(ledger, from: start, to: output) { failures = 0 }
                }
            } catch let error as LedgerError {
                guard case .store = error, output.place != nil, failures < Self.failuresMax else {
                    throw error
                }
                failures += 1
                try await Task.sleep(for: Self.waits.first)
            }
        }
    }

    /// - Parameter looked: Is told whenever the ledger has answered.
    private func follow(
        _ ledger: Ledger, from start: ChangesStart, to output: ChangeOutput,
        _ looked: () -> Void
    ) async throws {
        var silentLooks = 0
        while true {
            // A look at the end is microseconds; pages are asked for only when it has moved.
            let end = try ledger.head().position
            if silentLooks == 0 || output.place?.position != end {
                _ = try write(ledger, from: start, to: output)
                guard left(output) > 0 else { return }
                try output.writePlace()
                silentLooks = 0
            }
            looked()
            silentLooks += 1
            try Terminal.output.checkReader()
            try await Task.sleep(
                for: silentLooks < Self.silentLooksMax ? Self.waits.first : Self.waits.later)
        }
    }
}

/// Where the changes begin that are asked for.
enum ChangesStart {
    case beginning
    case position(Int64)
    case place(Place)

    /// - Throws: Bad input for what is no place.
    init(_ text: String?) throws {
        guard let text else {
            self = .beginning
            return
        }
        if text.hasPrefix("@") {
            guard let position = Int64(text.dropFirst()), position >= 0 else {
                throw Failure(
                    .badInput, "bad_position", "--after: \(text) is no position; write @1042")
            }
            self = .position(position)
        } else {
            self = .place(try PlaceText.read(text, "--after", or: ", or @1042"))
        }
    }

    /// `nil`: the beginning.
    func place(in ledger: Ledger) throws -> Place? {
        switch self {
        case .beginning: nil
        case .position(let position): try ledger.place(at: position)
        case .place(let place): place
        }
    }
}
