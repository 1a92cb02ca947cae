import ArgumentParser
import Daybook
import DaybookDomain
import DaybookEvents

struct GrantCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "grant", abstract: "Give access or units, or take them back.",
        discussion: """
              daybook grant issue ada --meter stories --amount 5 --id sorry-2
              daybook grant void ada sorry-1

            Each subcommand takes --json.
            """,
        subcommands: [Issue.self, Void.self])

    struct Issue: CustomerCommand {
        static let configuration = CommandConfiguration(
            commandName: "issue",
            abstract: "Give a customer an entitlement, a feature, or units of a meter.",
            discussion: """
                  daybook grant issue ada --entitlement unlimited \\
                    --expires 2030-06-01T00:00:00Z
                  daybook grant issue ada --meter stories --amount 5 \\
                    --kind compensation --ticket SUP-77 --dry-run
                  daybook grant issue ada --meter stories --amount 5 \\
                    --every P1M --rollover-max 10
                  daybook grant issue ada --feature quickLog --profile rex
                """)

        @OptionGroup var customer: CustomerArgument

        @Option(help: .value("name", "Gives this entitlement."))
        var entitlement: String?

        @Option(help: .value("name", "Gives this feature."))
        var feature: String?

        @Option(help: .value("name", "Gives units of this meter."))
        var meter: String?

        @Option(help: .value("n", "How many units of the meter."))
        var amount: Int64?

        @Flag(help: "Units of the meter without end.")
        var unlimited = false

        @Option(help: .value("id", "ID of the grant. Default: one is made."))
        var id: String?

        @Option(help: .value("time", "Time from which it takes effect. Default: now."))
        var starts: String?

        @Option(help: .value("time", "Until when, exclusive. Default: for ever."))
        var expires: String?

        @Option(help: .value("n", "0 to 255; lower burns first."))
        var priority: Int64?

        @Option(
            help: .value(
                "length",
                "The units come again: \(Vocabulary.recurrences.joined(separator: ", ")) (the meter's)."
            ))
        var every: String?

        @Option(help: .value("n", "Carry over at most this many unused units."))
        var rolloverMax: Int64?

        @Option(help: .value("n", "Carry over at least this many units."))
        var rolloverMin: Int64?

        @Option(
            help: .value(
                "profile", "ID of the profile that it is for. Default: the whole customer."))
        var profile: String?

        @Option(help: "Why it is given: promo, support, beta, migration or compensation.")
        var kind = "support"

        @OptionGroup var write: WriteOptions

        mutating func validate() throws {
            try ValidationError.check("--priority", priority, in: 0...255)
            try require(
                [entitlement, feature, meter].compactMap({ $0 }).count == 1,
                "Say exactly one of --entitlement, --feature and --meter.")
            try require(
                meter != nil || amount == nil && !unlimited,
                "--amount and --unlimited go with --meter.")
            // What is left out by mistake must not give units for ever.
            try require(
                meter == nil || (amount == nil) == unlimited,
                "With --meter say how many: --amount N, or --unlimited.")
            try require(
                amount != nil || every == nil && rolloverMax == nil && rolloverMin == nil,
                "--every, --rollover-max and --rollover-min go with --amount.")
            try require(
                rolloverMin == nil || rolloverMax != nil,
                "With --rollover-min say --rollover-max, too.")
        }

        mutating func run() async throws {
            let target: Command.GrantTerms.Target =
                entitlement.map { .entitlement($0) } ?? feature.map { .feature($0) }
                ?? .meter(meter ?? "")
            // The same idempotency key must make the same request, so it names the grant too.
            let id = id ?? write.idempotencyKey ?? RandomName.make("grant")
            let terms = Command.GrantTerms(
                id: id, target: target, amount: amount,
                startsAt: try InstantText.read(starts, "--starts"),
                expiresAt: try InstantText.read(expires, "--expires"), priority: priority,
                profile: profile, reason: kind, every: every,
                rollover: rolloverMax.map { .init(least: rolloverMin ?? 0, most: $0) })
            let units = meter == nil ? "" : amount.map { "\($0) × " } ?? "unlimited "
            let again = every.map { " every \($0)" } ?? ""
            try await write.perform(
                .issueGrant(terms), for: subject,
                sentence:
                    "\(subject) has \(units)\(entitlement ?? feature ?? meter ?? "")\(again) by grant \(id)"
            )
        }
    }

    struct Void: ReceiptCommand {
        static let configuration = CommandConfiguration(
            commandName: "void",
            abstract: "Take a grant back, from now on or another time.",
            discussion: """
                  daybook grant void ada sorry-1 --reason "issued twice"
                  daybook grant void ada sorry-1 --voided 2030-06-01T00:00:00Z
                """)

        @OptionGroup var customer: CustomerArgument

        @Argument(help: "ID of the grant.")
        var grant: String

        @Option(help: .value("time", "Time from which it takes effect. Default: now."))
        var voided: String?

        @OptionGroup var write: WriteOptions

        var sentence: String { "\(subject)'s grant \(grant) is void" }

        func command() throws -> Command {
            .voidGrant(grant: grant, at: try InstantText.read(voided, "--voided"))
        }
    }
}
