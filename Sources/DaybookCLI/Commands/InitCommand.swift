import ArgumentParser
import Daybook
import DaybookDomain
import DaybookEvents

struct InitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init", abstract: "Make a ledger for an app from its catalog.",
        discussion: """
            The app's name comes from the catalog, which becomes the ledger's first event. Whenever that was recorded, \
            the app's first catalog is in force from the beginning of time.

            --at records the catalog at an earlier time, so that a recorded stream can follow it with its own times. \
            --app makes a ledger without any event, into which a whole export can be imported with its times.

              daybook init dozzi.sqlite --catalog events/dozzi/catalog.yaml
              daybook init early.sqlite --catalog events/dozzi/catalog.yaml \\
                --at 2026-01-01T00:00:00Z
              daybook init copy.sqlite --app dozzi
            """)

    @Argument(help: "Path of the new ledger; no file may be there yet.")
    var ledger: String

    @Option(help: .value("file", "File of the app's catalog."))
    var catalog: String?

    @Option(help: .value("name", "The app's name, in place of a catalog: nothing is recorded yet."))
    var app: String?

    @Option(help: .value("time", "Time at which the catalog is recorded. Default: now."))
    var at: String?

    @OptionGroup var output: OutputOptions

    mutating func validate() throws {
        try require((catalog == nil) != (app == nil), "Say either --catalog FILE or --app NAME.")
        try require(
            at == nil || catalog != nil,
            "--at goes with --catalog: without one nothing is recorded.")
    }

    mutating func run() async throws {
        try LedgerGuard.checkPlace(ledger, target: ledger)
        if let catalog { try await make(catalog) } else if let app { try makeEmpty(app) }
    }

    /// A ledger for what an export brings along.
    private func makeEmpty(_ app: String) throws {
        try Ledger.createEmpty(at: ledger, app: app).close()
        let json: JSONObject = [
            "ledger": .string(ledger), "app": .string(app), "title": .string(app),
            "catalog": .null, "position": 0, "warnings": [],
        ]
        var table = Table()
        table.add(label: "next", "daybook import EXPORT --as-recorded --ledger \(ledger)")
        try output.show(json) {
            "\($0.tick) \(ledger) is a ledger for \(app), without any event\n" + table.text($0)
        }
    }

    private func make(_ catalog: String) async throws {
        let (document, read, warnings) = try CatalogFile.read(catalog)
        let begin = try InstantText.read(at, "--at")
        let made = try await Ledger.create(at: ledger, catalog: document) {
            begin ?? SystemClock.now()
        }
        let position = try made.head().position
        try made.close()
        let json: JSONObject = [
            "ledger": .string(ledger), "app": .string(read.app), "title": .string(read.title),
            "catalog": 1, "position": .integer(position),
            "warnings": .objects(warnings.map(\.json)),
        ]
        var table = Table()
        table.add(
            label: "catalog",
            "version 1: \(Words.count(read.products.count, "product")), \(Words.count(read.features.count, "feature")), \(Words.count(read.meters.count, "meter"))"
        )
        if !warnings.isEmpty {
            table.add(
                label: "warnings", "\(warnings.count); see \"daybook catalog check \(catalog)\"")
        }
        table.add(label: "next", "daybook status SUBJECT --ledger \(ledger)")
        try output.show(json) {
            "\($0.tick) \(ledger) is the ledger of \(read.title)\n" + table.text($0)
        }
    }
}
