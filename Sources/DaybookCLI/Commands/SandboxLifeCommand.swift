public import ArgumentParser
import Daybook
import DaybookDomain
import DaybookEvents
public import DaybookIngest
import Foundation

extension SandboxCommand {
    struct Life: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "life",
            abstract:
                "Sign the notifications of a subscription's whole life, in time that runs faster.",
            discussion: """
                One notification per line, each signed at its own moment of that life; the last one is not after now \
                unless --start says otherwise. "ingest" takes them in, in any order.

                Steps of --plan: trial or purchase first, then conversion, renewal, grace, retry, recovery, cancel, \
                uncancel, refund, reversal, expiry, and purchase again.

                --speed is how long a month lasts, as Apple's sandbox offers it: 3m, 5m, 15m, 30m, 60m, or real.

                  daybook sandbox life --authority sandbox.key --bundle-id com.example \\
                    --product com.magicalstories.premium.monthly --token ada
                  daybook sandbox life --authority sandbox.key --bundle-id com.example \\
                    --product com.magicalstories.premium.yearly --period P1Y \\
                    --plan purchase,retry,recovery,refund --speed real \\
                    --start 2026-03-01T00:00:00Z --output life.ndjson
                """)

        @Option(help: .value("file", "The authority's file."))
        var authority: String

        @Option(help: "ID of the product, an auto-renewable subscription.")
        var product: String

        @Option(name: .customLong("bundle-id"), help: "The app's bundle identifier.")
        var bundleID: String

        @Option(
            help: .value(
                "steps",
                "The steps, separated by commas. Default: all, from a trial to an expiry."))
        var plan: String?

        @Option(help: .value("speed", "How long a month lasts. Default: 5m."))
        var speed = SandboxSpeed.minutes5

        @Option(help: .value("period", "The length of a period. Default: P1M."))
        var period: String?

        @Option(
            name: .customLong("trial-period"),
            help: .value("period", "The length of the trial. Default: P7D."))
        var trialPeriod: String?

        @Option(help: .value("time", "Time at which it begins."))
        var start: String?

        @Option(
            help: .value(
                "id", "First transaction and lineage, a number; the next transactions count up."))
        var transaction: Int64?

        @Option(help: .value("token", "ID of the customer, as the app account token."))
        var token: String?

        @Option(help: .value("milli", "Price, in thousandths of the currency."))
        var price: Int64?

        @Option(help: .value("code", "Currency, by its ISO 4217 code."))
        var currency: String?

        @Option(name: .shortAndLong, help: .outputFile)
        var output: String?

        @OptionGroup var form: OutputOptions

        mutating func run() async throws {
            let authority = try SandboxAuthority(reading: self.authority)
            let moments = try moments()
            let writer = try LineWriter(output)
            for moment in moments {
                let payload: JSONObject = [
                    "signedPayload": .string(try authority.sign(moment.notification))
                ]
                try writer.write(payload.canonicalBytes + [0x0A])
            }
            try writer.close()
            // The notifications themselves are all that the standard output gets.
            guard let output, output != "-", let last = moments.last else { return }
            try form.show([
                "output": .string(output), "notifications": .count(moments.count),
                "first_signed_at": .integer(moments[0].notification.signedAt),
                "last_signed_at": .integer(last.notification.signedAt),
            ]) { terminal in
                let count = Words.count(moments.count, "notification")
                let first = Words.time(moments[0].notification.signedAt)
                return
                    "\(terminal.tick) \(output): \(count), \(first) to \(Words.time(last.notification.signedAt))\n"
            }
        }

        /// The moments of the life that was asked for, which ends by now unless it has a beginning.
        private func moments() throws -> [SandboxLife.Moment] {
            let now = SystemClock.now()
            let begin = try InstantText.read(start, "--start")
            var life = SandboxLife(bundleID: bundleID, productID: product, start: begin ?? now)
            if let plan { life.plan = try Self.steps(plan) }
            life.speed = speed
            if let period { life.period = try Self.length(period, "--period") }
            if let trialPeriod { life.trial = try Self.length(trialPeriod, "--trial-period") }
            life.transactionID = transaction
            life.appAccountToken = token
            life.price = price
            life.currency = currency
            do throws(SandboxLife.PlanProblem) {
                if begin == nil { life = try life.ending(by: now) }
                return try life.moments()
            } catch {
                throw Failure(.badInput, "bad_plan", "--plan: \(error)")
            }
        }

        private static func steps(_ text: String) throws -> [SandboxLife.Step] {
            try text.split(separator: ",", omittingEmptySubsequences: false).map { word in
                let word = word.filter { $0 != " " }
                guard let step = SandboxLife.Step(rawValue: word) else {
                    let known = SandboxLife.Step.allCases.map(\.rawValue).joined(separator: ", ")
                    throw Failure(
                        .badInput, "bad_plan", "--plan: \"\(word)\" is no step; \(known) are")
                }
                return step
            }
        }

        private static func length(_ text: String, _ option: String) throws -> CivilDuration {
            guard let length = CivilDuration(iso8601: text), length.milliseconds == 0,
                length.years + length.months + length.days > 0
            else {
                throw Failure(
                    .badInput, "bad_duration",
                    "\(option): \(text) is no period of a subscription; write P7D, P1M, P1Y")
            }
            return length
        }
    }
}

extension SandboxSpeed: ExpressibleByArgument {}

extension SandboxAuthority {
    /// Reads the file that `sandbox create` wrote.
    init(reading path: String) throws {
        let text = String(decoding: try InputFile(path).all(), as: UTF8.self)
        do throws(PayloadRefusal) {
            try self.init(file: text)
        } catch {
            throw Failure(.badInput, "bad_authority", error.detail)
        }
        try Self.warn(path)
    }

    /// Every user who can read the key can sign in its owner's name.
    private static func warn(_ path: String) throws {
        var found = stat()
        guard stat(path, &found) == 0, found.st_mode & S_IFMT == S_IFREG,
            found.st_mode & 0o077 != 0
        else { return }
        let terminal = Terminal.errors
        try terminal.write(
            "\(terminal.paint("!", .warning)) \(path) holds a key, and others may read it; chmod 600 \(path)\n"
        )
    }
}
