import ArgumentParser
import Daybook
import DaybookServer
import Foundation

/// Which ledger is meant, and how it is opened and closed.
struct LedgerOptions: ParsableArguments {
    @Option(
        help: .value(
            "path",
            "The ledger file. Default: $DAYBOOK_LEDGER, else the only *.sqlite under events/."))
    var ledger: String?

    /// Opens the ledger for questions.
    func asking<Answer>(_ body: (Ledger) async throws -> Answer) async throws -> Answer {
        try await Self.using(try Ledger.open(try path(), readOnly: true), body)
    }

    /// Opens the ledger for questions that take long, with a bar that shows how far they are.
    func asking<Answer>(
        _ title: String, _ body: (Ledger, ProgressBar) async throws -> Answer
    ) async throws -> Answer {
        try await opening(isDryRun: true, title, body)
    }

    /// The same for a question about all customers, which says how many of them are done.
    func counting<Answer>(
        _ title: String, _ body: (Ledger, @Sendable (Int, Int) -> Void) throws -> Answer
    ) async throws -> Answer {
        try await asking(title) { try body($0, $1.showCustomers) }
    }

    /// Opens the ledger for writing, or for questions alone where nothing is to be written.
    func opening<Answer>(
        isDryRun: Bool, _ body: (Ledger) async throws -> Answer
    ) async throws -> Answer {
        try await isDryRun ? asking(body) : writing(body)
    }

    /// The same for what takes long, with a bar that shows how far it is.
    func opening<Answer>(
        isDryRun: Bool = false, _ title: String,
        _ body: (Ledger, ProgressBar) async throws -> Answer
    ) async throws -> Answer {
        let bar = ProgressBar(title)
        defer { bar.finish() }
        return try await opening(isDryRun: isDryRun) { try await body($0, bar) }
    }

    /// Opens the ledger for writing.
    func writing<Answer>(_ body: (Ledger) async throws -> Answer) async throws -> Answer {
        try await Self.using(try Ledger.open(try path()), body)
    }

    /// Closes the ledger after the body, also where the body throws.
    static func using<Answer>(
        _ ledger: Ledger, _ body: (Ledger) async throws -> Answer
    ) async throws -> Answer {
        let answer: Answer
        do {
            answer = try await body(ledger)
        } catch {
            // The first failure is the one to tell; what was acknowledged is on disk without closing.
            try? ledger.close()
            throw error
        }
        try ledger.close()
        return answer
    }

    /// The path of the ledger.
    func path() throws -> String {
        if let ledger { return ledger }
        let named = ProcessInfo.processInfo.environment["DAYBOOK_LEDGER"]
        if let named, !named.isEmpty { return named }
        let found = Self.ledgers(under: "events")
        switch found.count {
        case 1: return found[0]
        case 0:
            throw Failure(
                .environment, "no_ledger",
                "there is no ledger: none is named and no *.sqlite is under events/; make one with \"daybook init LEDGER --catalog FILE\", or name one with --ledger or $DAYBOOK_LEDGER"
            )
        default:
            throw Failure(
                .usage, "ambiguous_ledger",
                "which ledger? under events/ are \(found.joined(separator: ", ")); say --ledger, or set $DAYBOOK_LEDGER"
            )
        }
    }

    private static func ledgers(under folder: String) -> [String] {
        let paths = FileManager.default.enumerator(atPath: folder)
        var found: [String] = []
        while let path = paths?.nextObject() as? String {
            // The keys of a server that serves the ledger are beside it.
            let isLedger = path.hasSuffix(".sqlite") && !path.hasSuffix(KeyStore.fileName)
            if isLedger { found.append("\(folder)/\(path)") }
        }
        return found.sorted()
    }
}
