import ArgumentParser

struct CatalogCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "catalog",
        abstract: "Check, import, publish, show, compare and roll back the app's rules.",
        discussion: """
              daybook catalog check events/dozzi/catalog.yaml
              daybook catalog show

            Each subcommand takes --json.
            """,
        subcommands: [
            CatalogCheckCommand.self, CatalogPublishCommand.self, CatalogShowCommand.self,
            CatalogDiffCommand.self,
            CatalogRollbackCommand.self, CatalogProductsCommand.self, CatalogImportCommand.self,
        ])
}
