import ArgumentParser
import Daybook
import DaybookEvents
import DaybookIngest
import Foundation

struct SandboxCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sandbox",
        abstract: "Sign as the App Store does, with an authority of your own.",
        discussion: """
            For tests and development: its root is believed only where --root names it, and only in \
            the environment test.

              daybook sandbox create sandbox.key --root sandbox.pem
              daybook sandbox sign --authority sandbox.key --bundle-id com.dozzi.app \\
                --product com.dozzi.unlimited_stories --kind non-consumable \\
                --token ada > purchase.jws
              daybook sandbox life --authority sandbox.key --bundle-id com.example \\
                --product com.magicalstories.premium.monthly --token ada > life.ndjson

            Each subcommand takes --json.
            """,
        subcommands: [Create.self, Sign.self, Life.self])

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "create",
            abstract: "Make keys and certificates, valid for ten years.",
            discussion: """
                  daybook sandbox create sandbox.key --root sandbox.pem
                """)

        @Argument(help: "New file for the authority: its certificates and the key that signs.")
        var file: String

        @Option(
            help: .value(
                "file", "New file for its root certificate, for --root of other commands."))
        var root: String

        @OptionGroup var output: OutputOptions

        private static let tenYears: Int64 = 10 * 366 * 86_400_000

        mutating func run() async throws {
            for path in [file, root] {
                try Failure.require(
                    !FileManager.default.fileExists(atPath: path), .badInput, "exists",
                    "\(path) is there already; nothing is written over")
                try OutputFile.check(path)
            }
            let now = SystemClock.now()
            let authority = try SandboxAuthority(
                from: now - Self.tenYears, until: now + Self.tenYears)
            try OutputFile.write(Array(authority.file.utf8), to: file, access: .own)
            try OutputFile.write(Array(authority.rootPEM.utf8), to: root)
            try output.show(["authority": .string(file), "root": .string(root)]) {
                "\($0.tick) \(file) signs; believe it with --root \(root) --env test\n"
            }
        }
    }

    struct Sign: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "sign",
            abstract: "Sign a transaction, or a notification about it.",
            discussion: """
                Without --type it is the transaction alone, as StoreKit hands it to an app.

                  daybook sandbox sign --authority sandbox.key \\
                    --product com.dozzi.unlimited_stories --kind non-consumable \\
                    --bundle-id com.dozzi.app --token ada
                  daybook sandbox sign --authority sandbox.key \\
                    --product com.magicalstories.premium.monthly \\
                    --type SUBSCRIBED --subtype INITIAL_BUY --bundle-id com.example \\
                    --at 2026-03-01T00:00:00Z --expires 2026-04-01T00:00:00Z \\
                    --price 8990 --currency USD

                With --json a transaction alone is a page of the transaction history.
                """)

        @Option(help: .value("file", "The authority's file."))
        var authority: String

        @Option(help: "ID of the product.")
        var product: String

        @Option(help: "Kind of the product.")
        var kind: AppStoreProductType = .autoRenewable

        @Option(name: .customLong("bundle-id"), help: "The app's bundle identifier.")
        var bundleID: String

        @Option(help: .value("type", "Type of the notification, such as DID_RENEW."))
        var type: AppStoreNotificationType?

        @Option(help: .value("subtype", "Its subtype, such as GRACE_PERIOD."))
        var subtype: AppStoreNotificationSubtype?

        @Option(help: .value("id", "ID of the transaction. Default: a new one."))
        var transaction: String?

        @Option(help: .value("id", "Original transaction: the lineage. Default: the transaction."))
        var original: String?

        @Option(help: .value("token", "ID of the customer, as the app account token."))
        var token: String?

        @Option(
            help: .value(
                "time", "Time of the purchase, and of signing unless --signed. Default: now."))
        var at: String?

        @Option(help: .value("time", "Time of signing."))
        var signed: String?

        @Option(
            help: .value(
                "time", "End of the period. Default: of what renews, 30 days after the purchase."))
        var expires: String?

        @Option(
            help: .value(
                "time",
                "Time of the refund or revocation. Default: with REFUND and REVOKE when it is signed."
            ))
        var revoked: String?

        @Option(help: .value("time", "End of the grace period."))
        var grace: String?

        @Option(help: .value("milli", "Price, in thousandths of the currency."))
        var price: Int64?

        @Option(help: .value("code", "Currency, by its ISO 4217 code."))
        var currency: String?

        @Option(
            help:
                "What began the period: purchase (by the customer) or renewal (by the store). Default: by --type, --original."
        )
        var reason: AppStoreTransactionReason?

        @Flag(name: .customLong("no-auto-renew"), help: "The customer switched renewal off.")
        var isNotRenewing = false

        @Flag(name: .customLong("trial"), help: "The period is a free trial.")
        var isTrial = false

        @OptionGroup var output: OutputOptions

        private static let month: Int64 = 30 * 86_400_000

        mutating func validate() throws {
            try require(
                subtype == nil || type != nil,
                "A subtype is of a notification; say which with --type, such as --type DID_RENEW.")
        }

        mutating func run() async throws {
            let authority = try SandboxAuthority(reading: self.authority)
            let transaction = try described()
            guard let type else {
                let text = try authority.sign(transaction)
                return try output.show(["signedTransactions": .array([.string(text)])]) { _ in
                    "\(text)\n"
                }
            }
            let signedAt = transaction.signedAt ?? transaction.purchasedAt
            var notification = SandboxNotification(
                type: type, bundleID: bundleID, signedAt: signedAt)
            notification.subtype = subtype
            // A test is of the app alone.
            guard type != .test else { return try write(notification, by: authority) }
            notification.transaction = transaction
            if kind == .autoRenewable { notification.renewal = try renewal(of: transaction) }
            try write(notification, by: authority)
        }

        private func write(
            _ notification: SandboxNotification, by authority: SandboxAuthority
        ) throws {
            try Terminal.output.write(["signedPayload": .string(try authority.sign(notification))])
        }

        private func described() throws -> SandboxTransaction {
            let now = SystemClock.now()
            var described = SandboxTransaction(
                bundleID: bundleID, productID: product, type: kind,
                transactionID: transaction ?? Self.newTransaction(),
                purchasedAt: try InstantText.read(at, "--at") ?? now)
            described.originalTransactionID = original
            described.appAccountToken = token
            described.signedAt = try InstantText.read(signed, "--signed")
            described.expiresAt = try InstantText.read(expires, "--expires")
            if kind == .autoRenewable, described.expiresAt == nil {
                described.expiresAt = described.purchasedAt + Self.month
            }
            described.revokedAt = try InstantText.read(revoked, "--revoked")
            // What takes back says since when; without it nothing would be taken back.
            if [.refund, .revoke].contains(type), described.revokedAt == nil {
                described.revokedAt = described.signedAt ?? now
            }
            described.price = price
            described.currency = currency
            described.reason = reason
            if isTrial {
                described.offerType = .introductory
                described.offerDiscount = .freeTrial
            }
            return described
        }

        /// Fifteen digits, as long as the store's, of which none begins like this.
        private static func newTransaction() -> String {
            String(Int64.random(in: 900_000_000_000_000..<1_000_000_000_000_000))
        }

        private func renewal(of transaction: SandboxTransaction) throws -> SandboxRenewal {
            var renewal = SandboxRenewal(
                originalTransactionID: transaction.originalTransactionID
                    ?? transaction.transactionID,
                productID: product, signedAt: transaction.signedAt ?? transaction.purchasedAt)
            renewal.willRenew = !isNotRenewing
            renewal.graceExpiresAt = try InstantText.read(grace, "--grace")
            renewal.isInBillingRetry = type == .didFailToRenew
            return renewal
        }
    }
}
