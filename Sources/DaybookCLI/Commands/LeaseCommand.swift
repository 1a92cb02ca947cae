import ArgumentParser
import Daybook
import DaybookEvents
import DaybookServer

struct LeaseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lease", abstract: "Sign what a client may believe while it is offline.",
        discussion: """
            A JSON Web Token with the customer's entitlements and their ends, and nothing else; a client believes it \
            until it expires. It is signed by the key that "daybook key lease" makes, beside the ledger.

              daybook lease ada
              daybook lease ada --for PT1H --json
              daybook lease --keys
            """)

    @Argument(help: "ID of the customer.")
    var subject: String?

    @Option(help: .value("duration", "How long it is good for, up to P7D."))
    var `for` = "PT24H"

    @Option(help: .value("id", "For this profile."))
    var profile: String?

    @Flag(help: "Print the public keys by which clients verify leases, as a JSON Web Key set.")
    var keys = false

    @OptionGroup var common: CommonOptions

    mutating func validate() throws {
        try require(keys == (subject == nil), "Say of which customer, or --keys.")
    }

    mutating func run() async throws {
        let store = try KeyStore(folder: KeyCommand.folder(of: try common.ledger.path()))
        guard let subject else {
            let app = try await common.ledger.asking { $0.app }
            let keys = try store.leaseKeys(app: app).publicSet(at: SystemClock.now())
            try store.close()
            return try common.output.show(keys) { _ in "\(JSONValue.object(keys).canonicalText)\n" }
        }
        let duration = try DurationText.read(`for`, "--for") ?? Lease.durationDefault
        let lease = try await common.ledger.asking { ledger in
            try ledger.lease(
                of: subject, profile: profile, environment: common.environment,
                milliseconds: duration)
        }
        let found = try store.leaseKeys(app: lease.app).last { $0.retiredAt == nil }
        try store.close()
        guard let key = found else {
            throw Failure(
                .environment, "not_configured",
                "no key signs leases of \(lease.app); make one with \"daybook key lease --actor NAME\""
            )
        }
        let text = try await key.sign(lease)
        let signed: JSONObject = ["lease": .string(text), "key_id": .string(key.id)]
        try common.output.show(lease.json.adding(signed)) { terminal in
            let end = Words.time(lease.expiresAt)
            return "\(text)\n\(terminal.paint("good until \(end)", .dim))\n"
        }
    }

    /// Is a part of `daybook key`.
    struct Key: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "lease", abstract: "Make the key by which leases are signed.",
            discussion: """
                A further one takes the place of the first, whose leases are good until they are over.

                  daybook key lease --actor kim
                """)

        @OptionGroup var change: KeyCommand.ChangeOptions

        mutating func run() async throws {
            try await change.changing { ledger, store in
                let key = try store.createLeaseKey(
                    app: ledger.app, by: change.actor, now: SystemClock.now())
                try await change.record(.created, key.id, key.json, in: ledger)
                try change.output.show(key.json) {
                    "\($0.tick) leases are signed by \(key.id) from now on\n"
                }
            }
        }
    }
}
