import ArgumentParser
import Daybook
import DaybookDomain
import DaybookEvents

struct CatalogShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "List the published catalogs, or print one.",
        discussion: """
              daybook catalog show
              daybook catalog show 2 > catalog-2.yaml
            """)

    @Argument(help: "Print the document of this version, byte for byte as published.")
    var version: Int64?

    @OptionGroup var ledger: LedgerOptions
    @OptionGroup var output: OutputOptions

    mutating func run() async throws {
        try await ledger.asking { ledger in
            let history = try ledger.catalogs()
            guard let version else {
                return try list(history.versions, newest: history.newest?.version)
            }
            guard let found = history.versions.first(where: { $0.version == version }) else {
                throw Failure(
                    .badInput, "unknown_version",
                    "there is no catalog version \(version); there are \(Self.known(history))")
            }
            guard let bytes = try ledger.core.store.document(sha256: found.documentDigest) else {
                throw Failure(
                    .environment, "damaged",
                    "the document of version \(version) is not in the ledger; run daybook verify")
            }
            guard output.json else { return try Terminal.output.write(bytes: bytes) }
            var json = found.json
            json["document"] = .string(String(decoding: bytes, as: UTF8.self))
            try Terminal.output.write(json)
        }
    }

    private static func known(_ history: CatalogHistory) -> String {
        Set(history.versions.map(\.version)).sorted().map(String.init).joined(separator: ", ")
    }

    private func list(_ versions: [CatalogVersion], newest: Int64?) throws {
        let json: JSONObject = [
            "versions": .array(versions.map { .object($0.json) }), "newest": .orNull(newest),
        ]
        let first = versions.map(\.position).min()
        var table = Table()
        table.add(
            Table.Cell("version", .dim, isRight: true), .init("effective", .dim),
            .init("for", .dim), .init("position", .dim, isRight: true), .init("document", .dim))
        for version in versions {
            table.add(
                .init(String(version.version), .bold, isRight: true),
                // The first one rules from the beginning of time (rule 8).
                .init(version.position == first ? "always" : Words.time(version.effectiveAt)),
                .init(ScopeText.word(version.scope)),
                .init(String(version.position), isRight: true),
                .init(String(version.documentDigest.prefix(12))))
        }
        try output.show(json) { table.text($0, indent: 0) }
    }
}

extension CatalogVersion {
    var json: JSONObject {
        [
            "version": .integer(version), "effective_at": .integer(effectiveAt),
            "applies_to": .string(ScopeText.word(scope)), "position": .integer(position),
            "document_sha256": .string(documentDigest), "app": .string(catalog.app),
            "title": .string(catalog.title), "counts": .object(catalog.counts),
        ]
    }
}
