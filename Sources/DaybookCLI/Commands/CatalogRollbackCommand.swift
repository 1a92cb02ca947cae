import ArgumentParser
import Daybook
import DaybookEvents

struct CatalogRollbackCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rollback", abstract: "Bring an older catalog into force again.",
        discussion: """
            For everybody. Nothing is deleted: the newer one keeps ruling the time in which it ruled, and its names \
            keep their meaning for every catalog to come.

              daybook catalog rollback 1
              daybook catalog rollback 1 --dry-run
            """)

    @Argument(help: "The version that rules again.")
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
