import ArgumentParser
import Daybook

struct CatalogRollbackCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rollback", abstract: "Bring an older catalog into force again.",
        discussion: """
            For all customers. Nothing is deleted: the newer one stays in force for the time in which it was, and its \
            names keep their meaning for every catalog to come.

              daybook catalog rollback 1
              daybook catalog rollback 1 --dry-run
            """)

    @Argument(help: "The version to bring back into force.")
    var version: Int64

    @OptionGroup var options: PublicationOptions

    mutating func run() async throws {
        try await options.perform(
            CatalogPublication(
                effectiveAt: try options.effectiveAt(), isRetroactive: options.retroactive,
                rollBackTo: version, actor: options.actor),
            done: { "version \($0) is in force again" },
            already: "version \(version) is in force already")
    }
}
