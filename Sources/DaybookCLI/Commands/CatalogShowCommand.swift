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
                return list(history.versions, newest: history.newest?.version)
            }
            guard let found = history.versions.first(where: { $0.version == version }) else {
                throw Failure(
                    .badInput, "unknown_version",
                    "there is no catalog version \(version); there are \(Self.known(history))")
            }
            guard let bytes = try ledger.store.document(sha256: found.documentDigest) else {
                throw Failure(
                    .environment, "damaged",
                    "the document of version \(version) is not in the ledger; run daybook verify")
            }
            if output.json {
                var json = found.json
                json["document"] = .string(String(decoding: bytes, as: UTF8.self))
                Terminal.output.write(json)
            } else {
                Terminal.output.write(bytes)
            }
        }
    }

    private static func known(_ history: CatalogHistory) -> String {
        Set(history.versions.map(\.version)).sorted().map(String.init).joined(separator: ", ")
    }

    private func list(_ versions: [CatalogVersion], newest: Int64?) {
        guard !output.json else {
            return Terminal.output.write([
                "versions": .array(versions.map { .object($0.json) }),
                "newest": .orNull(newest),
            ])
        }
        var table = Table()
        table.add(
            Table.Cell("version", .dim, isRight: true), .init("effective", .dim),
            .init("for", .dim), .init("position", .dim, isRight: true), .init("document", .dim))
        for version in versions {
            table.add(
                .init(String(version.version), .bold, isRight: true),
                .init(version.effectiveAt == 0 ? "always" : Words.time(version.effectiveAt)),
                .init(ScopeText.word(version.scope)),
                .init(String(version.position), isRight: true),
                .init(String(version.documentDigest.prefix(12))))
        }
        Terminal.output.write(table.text(.output, indent: 0))
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
