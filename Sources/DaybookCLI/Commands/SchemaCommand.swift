import ArgumentParser
import DaybookEvents

struct SchemaCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema", abstract: "Print or write the JSON Schemas of the events.",
        discussion: """
              daybook schema                         # their names
              daybook schema usage.recorded.v1       # one of them
              daybook schema --write schemas         # all of them, one file each
            """)

    @Argument(help: "Name of the schema. Default: list the names.")
    var name: String?

    @Option(help: .value("folder", "Write all of them into this folder."))
    var write: String?

    @OptionGroup var output: OutputOptions

    mutating func run() async throws {
        let documents = JSONSchema.documents().map { (name: $0.0, value: $0.1) }
        if let write {
            try OutputFile.makeFolder(write)
            for document in documents {
                try OutputFile.write(
                    document.value.canonicalBytes + [0x0A],
                    to: "\(write)/\(Self.fileName(document.name))")
            }
            return try tell(count: documents.count, folder: write)
        }
        guard let name else {
            return try output.show(["schemas": .texts(documents.map(\.name))]) { _ in
                documents.reduce(into: "") { $0 += "\($1.name)\n" }
            }
        }
        guard
            let found = documents.first(where: { $0.name == name || Self.fileName($0.name) == name }
            )
        else {
            throw Failure(
                .badInput, "unknown_name",
                "there is no schema \(name); \"daybook schema\" lists them")
        }
        try Terminal.output.write(bytes: found.value.canonicalBytes + [0x0A])
    }

    private static func fileName(_ name: String) -> String {
        name.hasSuffix(".json") ? name : name + ".json"
    }

    private func tell(count: Int, folder: String) throws {
        try output.show(["written": .count(count), "folder": .string(folder)]) {
            "\($0.tick) \(count) schemas written to \(folder)\n"
        }
    }
}
