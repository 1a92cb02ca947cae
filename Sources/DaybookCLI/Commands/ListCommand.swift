import ArgumentParser

struct ListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List customers, grants, open reservations, refunds, and what expires soon.",
        discussion: """
            Each list comes in pages: --limit rows, and the end of a page says what --after shows the next one.

              daybook list customers --prefix a
              daybook list customers --id story-1
              daybook list grants
              daybook list reservations
              daybook list refunds --json
              daybook list expiring --within P14D

            Each subcommand takes --json.
            """,
        subcommands: [
            ListCustomersCommand.self, ListGrantsCommand.self, ListReservationsCommand.self,
            ListRefundsCommand.self, ListExpiringCommand.self,
        ])
}
