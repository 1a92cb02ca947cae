import ArgumentParser
import Daybook
import DaybookDomain

struct CatalogCheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Find every mistake of a catalog, with line and column.",
        discussion: """
            Needs no ledger. Exits with 3 when the document has mistakes; warnings are only shown.

              daybook catalog check events/dozzi/catalog.yaml
            """)

    @Argument(help: "The catalog file.")
    var file: String

    @OptionGroup var output: OutputOptions

    mutating func run() async throws {
        let (_, catalog, warnings) = try CatalogFile.read(file)
        try output.show([
            "valid": true, "app": .string(catalog.app), "title": .string(catalog.title),
            "counts": .object(catalog.counts), "warnings": .objects(warnings.map(\.json)),
        ]) { terminal in
            let word = terminal.paint("warning:", .warning)
            var text: HumanText = ""
            for warning in warnings {
                let path = warning.path.isEmpty ? "" : " \(warning.path):"
                text +=
                    "\(file):\(warning.line):\(warning.column): \(word)\(path) \(warning.sentence) \(warning.remedy)\n"
            }
            let count = Words.count(warnings.count, "warning")
            return text + "\(terminal.tick) \(file) is a catalog of \(catalog.title), \(count)\n"
        }
    }
}
