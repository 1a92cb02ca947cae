public import Daybook
public import DaybookEvents

/// A few customers' events, the catalogs in force and the answers about one moment; replayed, it tells the same.
///
/// ```
/// {"bundle":{"app":"dozzi","at":…,"daybook":"0.1.0","environment":"production","events":12,
///            "format":1,"position":40,"projections":{…},"redacted":false},"sha256":"…"}
/// {"data":{…},"environment":"production", … ,"recorded_at":…}    so many events, as an export has them, without
///                                                                positions; catalogs with their document
/// {"answer":{…},"question":null,"subject":"ada"}                 each answer; `question` is null for a status
/// ```
/// Canonical JSON, a line each, every line ended by LF. `at` is the moment of the answers, milliseconds since 1970 UTC;
/// `position` the end of what was known, in the ledger that the events are from: later events are not in the file.
/// It is whole when `sha256` is the digest of the canonical bytes of `bundle`, LF and everything behind the first line,
/// and `events` the number of events. `daybook` and `projections` tell which build and which folds gave the answers.
public struct ReproBundle: Sendable, Equatable {
    /// What this build writes, and the newest that it reads.
    public static let format: Int64 = 1
    /// The first bytes of every bundle, of whatever format.
    private static let magic = Array(#"{"bundle":{"#.utf8)

    /// Something that was asked besides the status.
    public struct Question: Sendable, Equatable {
        /// A feature or a meter.
        public var name: String
        /// How many units of the meter are asked for, 0 or more.
        public var amount: Int64
        /// The profile that is asked about; `nil`: the customer as a whole.
        public var profile: String?

        /// Creates a question; name and amount are checked when it is asked.
        public init(_ name: String, amount: Int64 = 1, profile: String? = nil) {
            self.name = name
            self.amount = amount
            self.profile = profile
        }
    }

    /// What a ledger says.
    public struct Answer: Sendable, Equatable {
        /// The customer who was asked about; of a redacted bundle the name that stands for the id.
        public var subject: String
        /// `nil`: the status.
        public var question: Question?
        /// The answer on the wire, without `as_of`.
        public var content: JSONObject
    }

    /// The app of the ledger that it was captured from.
    public var app: String
    /// The environment of all its events and subjects.
    public var environment: Environment
    /// Milliseconds since 1970 UTC.
    public var at: Int64
    /// The last position that was known, in the ledger that the events are from.
    public var position: Int64
    /// The build that captured it.
    public var version: String
    /// The versions of its folds, by the projection's name.
    public var projections: JSONObject
    /// Whether ids and texts were replaced; times and amounts were not.
    public var isRedacted: Bool
    /// In the order in which they were recorded.
    public var drafts: [EventDraft]
    /// Of each subject the status, then the answers to the questions.
    public var answers: [Answer]

    /// The customers who are asked about, each once.
    public var subjects: [String] {
        answers.filter { $0.question == nil }.map(\.subject)
    }

    // MARK: Replay

    /// A ledger in memory that holds the events at the times at which they were recorded, and nothing else.
    /// - Throws: `BundleProblem.damaged` where an event is refused.
    public func ledger() async throws -> Ledger {
        let instant = clock
        // A person from before there was a bound can be looked at elsewhere, too.
        let ledger = try Ledger(
            store: InMemoryEventStore(app: app), idsPerPersonMax: Int.max, clock: { instant })
        try await record(in: ledger)
        return ledger
    }

    /// A time by which everything in it has happened: the clock of a ledger that replays it. 0 where a wrong clock
    /// recorded it: that one says nothing about what is ahead.
    public var clock: Int64 {
        let last = max(at, drafts.last?.recordedAt ?? at)
        return last < LedgerClock.plausible.upperBound ? last : 0
    }

    /// Records the events in a ledger that holds nothing yet.
    /// - Throws: `BundleProblem.damaged` where an event is refused.
    public func record(in ledger: Ledger) async throws {
        do {
            try await ledger.record(drafts, options: ReportOptions(isAsRecorded: true))
        } catch LedgerError.badInput(let problems) {
            throw BundleProblem.damaged(
                "an event is refused: \(problems.first?.description ?? "unknown")")
        }
    }

    /// The answers that a ledger gives to the same questions.
    public func answers(of ledger: Ledger) throws -> [Answer] {
        try answers.map {
            try ledger.answer(
                to: $0.question, about: $0.subject, environment, Moment(at: at))
        }
    }

    /// Where an answer is another than the one that was captured; empty: it is the same, byte for byte.
    public static func differences(_ told: JSONObject, _ replayed: JSONObject) -> [JSONDifference] {
        if told == replayed { return [] }
        let found = JSONDifference.between(told, replayed)
        // Lists are compared by names; the same elements in another order are another answer.
        let order = JSONDifference(
            path: "order", before: .object(told), after: .object(replayed))
        return found.isEmpty ? [order] : found
    }

    // MARK: Bytes

    /// Whether a file begins as a bundle does, be it damaged or of a newer format.
    public static func begins(_ bytes: [UInt8]) -> Bool { bytes.starts(with: magic) }

    /// The whole file.
    public var bytes: [UInt8] {
        let header = header.canonicalBytes
        let lines = lines
        let first: JSONObject = [
            "bundle": .object(self.header), "sha256": .string(Self.digest(header, lines[...])),
        ]
        return first.canonicalBytes + [0x0A] + lines
    }

    /// Hexadecimal SHA-256 of what the file says.
    public var digest: String { Self.digest(header.canonicalBytes, lines[...]) }

    private var header: JSONObject {
        [
            "app": .string(app), "at": .integer(at), "daybook": .string(version),
            "environment": .string(environment.name), "events": .count(drafts.count),
            "format": .integer(Self.format), "position": .integer(position),
            "projections": .object(projections), "redacted": .bool(isRedacted),
        ]
    }

    private var lines: [UInt8] {
        drafts.flatMap { $0.recordedLine + [0x0A] }
            + answers.flatMap { $0.json.canonicalBytes + [0x0A] }
    }

    static func digest(_ header: [UInt8], _ lines: ArraySlice<UInt8>) -> String {
        Digest.hexadecimal(Digest.sha256(header + [0x0A] + lines))
    }
}

extension ReproBundle.Answer {
    var json: JSONObject {
        [
            "answer": .object(content), "question": .orNull(question?.json),
            "subject": .string(subject),
        ]
    }

    init?(_ json: JSONObject) {
        guard let subject = json["subject"]?.text, let content = json["answer"]?.object,
            let asked = json["question"]
        else { return nil }
        self.subject = subject
        self.content = content
        if let object = asked.object {
            guard let name = object["name"]?.text, let amount = object["amount"]?.integer,
                amount >= 0
            else { return nil }
            question = .init(name, amount: amount, profile: object["profile"]?.text)
        }
    }
}

extension ReproBundle.Question {
    var json: JSONObject {
        ["amount": .integer(amount), "name": .string(name), "profile": .orNull(profile)]
    }
}

extension Ledger {
    /// What the ledger says to a question of a bundle.
    func answer(
        to question: ReproBundle.Question?, about subject: String, _ environment: Environment,
        _ moment: Moment
    ) throws -> ReproBundle.Answer {
        guard let question else {
            let (status, asOf) = try status(
                of: subject, environment: environment, moment: moment)
            var content = status.json(asOf)
            content["as_of"] = nil
            return .init(subject: subject, question: nil, content: content)
        }
        let (decision, _) = try check(
            CheckQuestion(question.name, amount: question.amount, profile: question.profile),
            for: subject, environment: environment, moment: moment)
        return .init(subject: subject, question: question, content: decision.json)
    }
}
