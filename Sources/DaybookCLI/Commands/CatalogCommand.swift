import ArgumentParser

struct CatalogCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "catalog", abstract: "Check, publish, show and roll back the app's rules.",
        subcommands: [
            CatalogCheckCommand.self, CatalogPublishCommand.self, CatalogShowCommand.self,
            CatalogRollbackCommand.self, CatalogProductsCommand.self,
        ])
}
