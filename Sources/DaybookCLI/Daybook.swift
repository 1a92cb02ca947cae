import ArgumentParser
import Foundation

/// Where the program begins and every command is registered. Below it, each seeing only what comes after it: one file
/// per command in `Commands/`, what the demo plays in `Demo/`, what commands take in `Input/`, what they say in
/// `Output/`.
@main
extension DaybookCommand {
    static let configuration = CommandConfiguration(
        commandName: "daybook",
        abstract: "An event-sourced entitlement ledger with replay.",
        discussion: """
            What a customer may do, why, and what was known when.

              daybook demo
              daybook init dozzi.sqlite --catalog events/dozzi/catalog.yaml
              daybook consume ada stories --ref story-1
              daybook check ada stories --json
              daybook status ada --at 2026-03-01T00:00:00Z --known-at @1

            The ledger is --ledger, else $DAYBOOK_LEDGER, else the only *.sqlite under events/.

            Exit codes: 0 yes, 1 no or a difference, 2 usage, 3 bad input, 4 environment.
            """,
        version: version,
        groupedSubcommands: [
            CommandGroup(name: "Begin", subcommands: [DemoCommand.self, InitCommand.self]),
            CommandGroup(
                name: "Ask",
                subcommands: [
                    CheckCommand.self, ExplainCommand.self, BeliefsCommand.self,
                    StatusCommand.self, HistoryCommand.self, ResetsCommand.self, ListCommand.self,
                    DiffCommand.self, BisectCommand.self,
                    FunnelCommand.self, MetricsCommand.self, CohortsCommand.self,
                    ExperimentCommand.self,
                    KPICommand.self, ReportCommand.self,
                ]),
            CommandGroup(
                name: "Use",
                subcommands: [
                    ConsumeCommand.self, ReserveCommand.self, CommitCommand.self,
                    ReleaseCommand.self, ReverseCommand.self, ResetCommand.self, PinCommand.self,
                    ExposeCommand.self, CallCommand.self, LeaseCommand.self,
                ]),
            CommandGroup(
                name: "Customers",
                subcommands: [
                    GrantCommand.self, CodesCommand.self, RedeemCommand.self, ProfileCommand.self,
                    AliasCommand.self,
                    UnaliasCommand.self, AssignCommand.self, UnassignCommand.self,
                    TransferCommand.self, TimeZoneCommand.self, OverrideCommand.self,
                ]),
            CommandGroup(
                name: "Events",
                subcommands: [
                    RecordCommand.self, ImportCommand.self, ExportCommand.self,
                    ChangesCommand.self, VoidCommand.self, AmendCommand.self, SchemaCommand.self,
                ]),
            CommandGroup(
                name: "Server",
                subcommands: [DashboardCommand.self, ServeCommand.self, KeyCommand.self]),
            CommandGroup(
                name: "App Store",
                subcommands: [
                    IngestCommand.self, RestorePurchasesCommand.self, DeadLettersCommand.self,
                    ReinterpretCommand.self,
                    SandboxCommand.self,
                ]),
            CommandGroup(
                name: "Scale",
                subcommands: [ContextCommand.self, FoldCommand.self, MergeCommand.self]),
            CommandGroup(
                name: "Keep",
                subcommands: [
                    CatalogCommand.self, TickCommand.self, SnapshotCommand.self,
                    ViewsCommand.self,
                    BackupCommand.self, RestoreCommand.self,
                    ReplayCommand.self, CaptureCommand.self, VerifyCommand.self, DoctorCommand.self,
                ]),
        ])

    /// Runs one command; what ArgumentParser would end with 64 ends with 2 here.
    static func main() async {
        // A file that may not grow is an answer of `write`, with a sentence, and no reason to die.
        signal(SIGXFSZ, SIG_IGN)
        // So is a reader that has closed the pipe; temporary files can then be removed first.
        signal(SIGPIPE, SIG_IGN)
        do {
            try await perform(Array(CommandLine.arguments.dropFirst()))
        } catch {
            Failure.leave(because: error)
        }
    }
}
