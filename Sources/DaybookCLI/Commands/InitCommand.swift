import ArgumentParser
import Daybook
import DaybookDomain
import DaybookEvents

struct InitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init", abstract: "Make a ledger for an app from its catalog.",
        discussion: """
            The app's name comes from the catalog, which becomes the ledger's first event.

            The app's first catalog is in force from the beginning of time (rule 8), so that is when it is recorded: \
            recorded streams and exports fit behind it with the times that they carry. --at says otherwise.

              daybook init dozzi.sqlite --catalog events/dozzi/catalog.yaml
              daybook init late.sqlite --catalog catalog.yaml --at 2026-01-01T00:00:00Z
            """)

    @Argument(help: "Where the ledger is to be; nothing may be there yet.")
    var ledger: String

    @Option(help: ArgumentHelp("The app's catalog.", valueName: "file"))
    var catalog: String

    @Option(help: ArgumentHelp("When the catalog is recorded. Default: 1970.", valueName: "time"))
    var at: String?

    @OptionGroup var output: OutputOptions

    mutating func run() async throws {
        let document = try InputFile(catalog).all(byteCountMax: CatalogReader.byteCountMax)
        let (read, warnings) = try CatalogFile.read(document, named: catalog)
        let begin = try InstantText.read(at, option: "--at") ?? 0
        let made = try await Ledger.create(at: ledger, catalog: document) { begin }
        let position = try made.head().position
        try made.close()
        guard !output.json else {
            return Terminal.output.write([
                "ledger": .string(ledger), "app": .string(read.app), "title": .string(read.title),
                "catalog": 1, "position": .integer(position),
                "warnings": .array(warnings.map { .object($0.json) }),
            ])
        }
        let mark = Terminal.output.paint("✓", .good)
        Terminal.output.write("\(mark) \(ledger) is the ledger of \(read.title)\n")
        var table = Table()
        table.add(
            Table.Cell("catalog", .dim),
            .init(
                "version 1: \(Words.count(Int64(read.products.count), "product")), \(Words.count(Int64(read.features.count), "feature")), \(Words.count(Int64(read.meters.count), "meter"))"
            ))
        if !warnings.isEmpty {
            table.add(
                Table.Cell("warnings", .dim),
                .init("\(warnings.count); see \"daybook catalog check \(catalog)\""))
        }
        table.add(Table.Cell("next", .dim), .init("daybook status SOMEBODY --ledger \(ledger)"))
        Terminal.output.write(table.text(.output))
    }
}

/// Reads a catalog's file so that its mistakes name the file.
enum CatalogFile {
    static func read(
        _ document: [UInt8], named file: String
    ) throws -> (catalog: Catalog, warnings: [CatalogProblem]) {
        do throws(CatalogProblems) {
            return try CatalogReader.readWithWarnings(
                document, knownEventTypes: Vocabulary.names)
        } catch {
            throw Failure(catalog: error, file: file)
        }
    }
}

extension CatalogProblem {
    var json: JSONObject {
        [
            "line": .integer(Int64(line)), "column": .integer(Int64(column)),
            "path": .string(path), "sentence": .string(sentence), "remedy": .string(remedy),
        ]
    }
}
