import ArgumentParser
import Daybook
import DaybookDomain

struct CatalogShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "List the published catalogs, or print one.",
        discussion: """
              daybook catalog show
              daybook catalog show --known-at @1
              daybook catalog show 2 > catalog-2.yaml
            """)

    @Argument(help: "Print the document of this version, byte for byte as published.")
    var version: Int64?

    @Option(help: .value("time", "List only what had been recorded by then."))
    var knownAt: String?

    @OptionGroup var basic: BasicOptions

    mutating func validate() throws {
        try require(
            version == nil || knownAt == nil,
            "A version is what was published, always; leave out --known-at.")
    }

    mutating func run() async throws {
        let known = try InstantText.knowledge(knownAt, "--known-at")
        try await basic.ledger.asking { ledger in
            guard let version else { return try list(try ledger.catalogs(knownAt: known)) }
            let (published, document) = try ledger.catalogDocument(version: version)
            guard basic.output.json else { return try Terminal.output.write(bytes: document) }
            try Terminal.output.write(published.json(with: document))
        }
    }

    private func list(_ history: CatalogHistory) throws {
        let first = history.versions.map(\.position).min()
        var table = Table()
        table.add(
            Table.Cell("version", .dim, isRight: true), .init("effective", .dim),
            .init("for", .dim), .init("position", .dim, isRight: true), .init("document", .dim))
        for version in history.versions {
            table.add(
                .init(String(version.version), .bold, isRight: true),
                // The first one rules from the beginning of time (rule 8).
                .init(version.position == first ? "always" : Words.time(version.effectiveAt)),
                .init(version.scope.name),
                .init(String(version.position), isRight: true),
                .init(String(version.documentDigest.prefix(12))))
        }
        try basic.output.show(history.json) { table.text($0, indent: 0) }
    }
}
