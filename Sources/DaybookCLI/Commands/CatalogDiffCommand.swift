import ArgumentParser
import Daybook
import DaybookDomain
import DaybookEvents

struct CatalogDiffCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff", abstract: "Show what one catalog says otherwise than another.",
        discussion: """
            Compares what was published, part by part: texts, prices, limits, whatever a catalog has. Who would be \
            affected by another one tells replay --catalog. Exits with 0 when nothing is different and with 1 when \
            something is.

              daybook catalog diff 1 1
              daybook catalog diff 1 --file events/dozzi/catalog.yaml
            """)

    @Argument(help: "The version before.")
    var from: Int64

    @Argument(help: "The version after. Default: the newest.")
    var to: Int64?

    @Option(
        help: .value("file", "A file in the place of the version after, - for the standard input."))
    var file: String?

    @OptionGroup var basic: BasicOptions

    mutating func validate() throws {
        try require(
            file == nil || to == nil,
            "--file stands in the place of the version after; leave out one.")
    }

    mutating func run() async throws {
        let document = try file.map { try InputFile($0).all() }
        let (json, changes) = try await basic.ledger.asking { ledger in
            if let document {
                let changes = try ledger.catalogChanges(from: from, to: document)
                let published = try ledger.catalogDocument(version: from).published
                let json: JSONObject = [
                    "from": .object(published.json), "to": .null,
                    "changes": .objects(changes.map(\.json)),
                ]
                return (json, changes)
            }
            let newest = try ledger.catalogs().newest?.version
            let found = try ledger.catalogDifference(from: from, to: to ?? newest ?? from)
            return (found.json, found.changes)
        }
        try basic.output.show(json) {
            changes.isEmpty ? "nothing is different\n" : Table(changes).text($0, indent: 0)
        }
        if !changes.isEmpty { throw ExitCode.no }
    }
}
