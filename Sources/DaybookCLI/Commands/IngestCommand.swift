import ArgumentParser
import Daybook
import DaybookEvents

struct IngestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ingest",
        abstract: "Take in what the App Store signed, or RevenueCat posted.",
        discussion: """
            Every signed payload is verified (format, certificates, signature, app, environment), mapped and recorded \
            with its bytes; the same again appends nothing. What is refused changes nothing and is kept with the \
            reason ("daybook dead-letters"); then the exit code is 3.

            A file holds one payload: a signed one (JWS), a notification's JSON, or a page of the transaction history; \
            or one of these per line.

            With --as revenuecat a payload is a webhook of RevenueCat's. It is not signed: its events are imported, \
            not verified, and neither roots nor bundle identifiers are needed.

            With --as revenuecat-subscriber it is a subscriber document of RevenueCat's REST API, for migration: the \
            state in it becomes events, and what the document cannot say is listed. A newer document of a customer \
            adds what has changed.

              daybook ingest notification.json --bundle-id com.dozzi.app \\
                --root sandbox.pem --env test
              daybook ingest purchase.jws --as app-store-transaction \\
                --subject ada --bundle-id com.dozzi.app --root sandbox.pem --env test
              daybook ingest webhooks.ndjson --as revenuecat
              daybook ingest subscribers.ndjson --as revenuecat-subscriber
            """)

    @Argument(help: "The files, or - for the standard input.")
    var files: [String]

    @Option(
        name: .customLong("as"),
        help: .value(
            "kind",
            "Kind of a bare signed payload (JWS); or a webhook or a subscriber document of RevenueCat's."
        ))
    var kind = PayloadKind.appStore(.notification)

    @Option(
        help: .value(
            "subject",
            "ID of the customer who posts their own transaction, or for whom a single subscriber document was fetched."
        ))
    var subject: String?

    @Option(
        help: .value(
            "product",
            "Product that the customer claims to have bought; a transaction of another one is refused."
        ))
    var product: String?

    @Flag(help: "Show what would be appended, and append nothing.")
    var dryRun = false

    @OptionGroup var verifier: VerifierOptions
    @OptionGroup var common: CommonOptions

    mutating func run() async throws {
        let take = try taking()
        // Before anything is taken in: a file that is missing or empty ends the command while nothing has changed.
        let posted = try files.map { try Posted($0) }
        try checkSingle(posted)
        var sum = IngestReceipt()
        var json = JSONObject()
        try await common.ledger.opening(isDryRun: dryRun, "ingest") { ledger, bar in
            // All payloads go into one ledger in memory: what an earlier one says is there for the later ones.
            let ledger = try dryRun ? ledger.dryRun() : ledger
            for file in posted {
                let payloads = try file.payloads()
                for (index, payload) in payloads.enumerated() {
                    var receipt = try await take(ledger, payload.bytes)
                    receipt.place(input: posted.count > 1 ? file.path : nil, line: payload.line)
                    sum.add(receipt)
                    bar.show(index + 1, of: payloads.count)
                }
            }
            json = dryRun ? sum.json : ledger.json(of: sum)
        }
        json["dry_run"] = .bool(dryRun)
        try common.output.show(json) { sum.text($0, noun, isDryRun: dryRun) }
        if let failure = sum.failure(noun, isDryRun: dryRun) { throw failure }
    }

    private var noun: String {
        switch kind {
        case .appStore: "signed payload"
        case .revenueCat: "webhook"
        case .revenueCatSubscriber: "subscriber document"
        }
    }

    /// Of many documents each is about another customer, which it names itself.
    private func checkSingle(_ posted: [Posted]) throws {
        guard kind == .revenueCatSubscriber, subject != nil else { return }
        // No file is empty, so several hold several.
        if posted.count == 1, try posted[0].payloads().count == 1 { return }
        throw Failure(
            .usage, "one_subject",
            "--subject names the customer of one document; among many, write \"app_user_id\" beside "
                + "\"subscriber\" into each")
    }

    /// What is done with each payload.
    private func taking() throws -> (Ledger, [UInt8]) async throws -> IngestReceipt {
        let environment = common.environment
        switch kind {
        case .revenueCat:
            try Failure.require(
                subject == nil && product == nil, .usage, "no_subject",
                "a webhook names its customer and product; --subject and --product are for "
                    + "transactions of the App Store")
            return { ledger, payload in
                try await ledger.ingestRevenueCat(payload, environment: environment)
            }
        case .revenueCatSubscriber:
            try Failure.require(
                product == nil, .usage, "no_product",
                "a subscriber document names its products; --product is for transactions of "
                    + "the App Store")
            let subject = subject
            return { ledger, payload in
                try await ledger.ingestRevenueCatSubscriber(
                    payload, environment: environment, subject: subject)
            }
        case .appStore(let kind):
            let verifier = try verifier.verifier(environment)
            let options = IngestOptions(kind: kind, subject: subject, product: product)
            return { ledger, payload in
                try await ledger.ingest(payload, by: verifier, options: options)
            }
        }
    }

    /// A file that is one JSON object over several lines is one payload; else every line that is not blank is one.
    /// - Returns: With the line, 1-based, where a file holds several.
    static func payloads(_ bytes: [UInt8]) -> [(line: Int?, bytes: [UInt8])] {
        // What is no JSON as a whole is read by its lines.
        if (try? JSONReader.read(bytes)) != nil { return [(nil, bytes)] }
        let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated()
            .filter { _, line in !line.allSatisfy(InputFile.isSpace) }
        return lines.map { (lines.count > 1 ? $0 + 1 : nil, Array($1)) }
    }
}

/// A file with what was posted, which is not empty. One that can be read again is read when its turn comes, so that no
/// two of a long list are in memory at once; the standard input and pipes are read at once, because they come once.
private struct Posted {
    typealias Payload = (line: Int?, bytes: [UInt8])

    let path: String
    private let atOnce: [Payload]?

    /// - Throws: `Failure` for a file that is missing, empty, or larger than one that is read.
    init(_ path: String) throws {
        self.path = path
        let input = try InputFile(path)
        guard input.isRegular else {
            atOnce = try Self.payloads(of: input)
            return
        }
        atOnce = nil
        guard try input.holdsMoreThanSpace() else { throw Self.empty(path) }
    }

    /// What it holds, in its order (`IngestCommand.payloads`).
    func payloads() throws -> [Payload] { try atOnce ?? Self.payloads(of: InputFile(path)) }

    private static func payloads(of input: InputFile) throws -> [Payload] {
        let payloads = IngestCommand.payloads(try input.all())
        guard !payloads.isEmpty else { throw empty(input.path) }
        return payloads
    }

    private static func empty(_ path: String) -> Failure {
        Failure(.badInput, "empty", "\(path) is empty; there is nothing to take in")
    }
}

extension IngestReceipt {
    /// Says also in which file and line it is.
    mutating func place(input: String?, line: Int?) {
        let outer = [input, line.map { "line \($0)" }].compactMap { $0 }
        for index in refused.indices {
            let inner = refused[index].place.isEmpty ? [] : [refused[index].place]
            refused[index].place = (outer + inner).joined(separator: ", ")
        }
    }

    /// Notes that a person reads; a whole history may have thousands.
    private static let shownMax = 20

    /// - Parameter noun: What was taken in: "signed payload".
    func text(_ terminal: Terminal, _ noun: String, isDryRun: Bool) -> HumanText {
        let mark = refused.isEmpty ? terminal.tick : terminal.paint("✗", .bad)
        let events = Words.count(appended, "event")
        var text: HumanText =
            "\(mark) \(Words.count(texts, noun)), \(events) \(isDryRun ? "would be appended" : "appended")"
        if duplicates > 0 { text += ", \(Words.count(duplicates, "event")) there already" }
        if isDryRun { text += "; a dry run: nothing is written" }
        text += "\n"
        for claim in claims where !claim.isTheirs {
            text += "  not transferred  \(claim.sentence)\n"
        }
        for note in notes.prefix(Self.shownMax) { text += "  \(note.sentence)\n" }
        if notes.count > Self.shownMax {
            text += "  and \(notes.count - Self.shownMax) more such purchases (--json lists them)\n"
        }
        text += gapText
        for sha256 in retried {
            text += "  had waited for it and is taken in too  \(sha256.prefix(12))\n"
        }
        for refusal in refused {
            text += "  refused  \(refusal.sentence)\n"
        }
        return text
    }
}

extension IngestReceipt {
    /// What the documents left open.
    fileprivate var gapText: HumanText {
        var text: HumanText = ""
        for gap in gaps.prefix(Self.shownMax) {
            text += "  \(gap.gap.code.rawValue)  \(gap.subject): \(gap.gap.sentence)\n"
        }
        guard gaps.count > Self.shownMax else { return text }
        let counts = gapCounts.sorted { $0.key.rawValue < $1.key.rawValue }
            .map { "\($0.key.rawValue) \($0.value)" }.joined(separator: ", ")
        text += "  of all documents: \(counts) (--json lists them)\n"
        return text
    }
}

extension IngestReceipt.Note {
    var sentence: String {
        let name = product.map { "\(lineage) (\($0))" } ?? lineage
        return switch code {
        case .unknownProduct:
            "unknown product  \(name): it gives nothing until a catalog names it"
        case .nobodys:
            "no owner  \(name): it names no customer; post it with --subject, or restore-purchases"
        }
    }
}

extension IngestReceipt.Claim {
    /// `apple:7 (coins) is ada's: owned_by_other`.
    var sentence: String {
        let name = product.map { "\(lineage) (\($0))" } ?? lineage
        guard let owner else { return "\(name): the claim was voided" }
        return "\(name) is \(owner)'s and stays there; restore-purchases and transfer hand it over"
    }
}
