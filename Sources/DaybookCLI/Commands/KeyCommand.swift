import ArgumentParser
import Daybook
import DaybookEvents
import DaybookServer
import Foundation

struct KeyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "key", abstract: "Keys for the server: make, list, rotate and revoke them.",
        discussion: """
            A key opens one app's ledger over HTTP, as far as its scopes go: store (the app's own backend), client \
            (the app on a device, for the customer of a token), support, analyst, admin. Its text is printed once; \
            what is kept is a digest, in server.sqlite beside the ledger. A running server sees every change at once, \
            and the ledger keeps who made it.

              daybook key create --scope store --label functions --actor kim
              daybook key list

            Tokens that say who the customer of a client is are verified by a key of the app's backend:

              daybook key trust backend-1 --algorithm ES256 --file backend.pem --actor kim

            Each subcommand takes --json.
            """,
        subcommands: [
            Create.self, List.self, Rotate.self, Revoke.self, Trust.self, Distrust.self,
            LeaseCommand.Key.self,
        ])

    /// Who changes keys, and why.
    struct ChangeOptions: ParsableArguments {
        @OptionGroup var ledger: LedgerOptions

        @Option(help: .value("name", "Name of the operator, for the audit."))
        var actor: String

        @Option(help: .value("text", "Reason, for the audit."))
        var reason: String?

        @OptionGroup var output: OutputOptions

        /// Changes the keys beside the ledger; the ledger is told after.
        /// - Parameter body: Gets the ledger and the keys.
        func changing(_ body: (Ledger, KeyStore) async throws -> Void) async throws {
            let path = try ledger.path()
            try await ledger.writing { ledger in
                let store = try KeyStore(folder: KeyCommand.folder(of: path))
                try await body(ledger, store)
                try store.close()
            }
        }

        func record(
            _ event: KeyEvent, _ id: String, _ details: JSONObject, in ledger: Ledger
        ) async throws {
            try await event.record(
                in: ledger, id: id, details: details, by: actor, reason: reason,
                now: SystemClock.now())
        }
    }

    /// Where the keys of a ledger's server are.
    static func folder(of ledger: String) -> String {
        URL(filePath: ledger).deletingLastPathComponent().path
    }

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "create",
            abstract: "Make a key, and print it once.",
            discussion: """
                  daybook key create --scope store --label functions --actor kim
                  daybook key create --scope support --scope analyst --label kim \\
                    --expires 2030-01-01T00:00:00Z --actor kim
                """)

        @Option(
            name: .customLong("scope"),
            help: "What it may do: store, client, support, analyst or admin; may be repeated.")
        var scopes: [Scope]

        @Option(help: .value("text", "What it is for."))
        var label: String

        @Option(help: .value("time", "Until when, exclusive. Default: for ever."))
        var expires: String?

        @OptionGroup var change: ChangeOptions

        mutating func validate() throws {
            if let conflict = Set(scopes).conflict {
                throw ValidationError("--scope: \(conflict).")
            }
        }

        mutating func run() async throws {
            let end = try InstantText.read(expires, "--expires")
            try await change.changing { ledger, store in
                let (key, text) = try store.create(
                    Set(scopes), app: ledger.app, label: label, by: change.actor, expiresAt: end,
                    now: SystemClock.now())
                try await change.record(.created, key.id, key.json, in: ledger)
                try KeyText.show(key, text, change.output)
            }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "List the keys of an app; their secrets are not kept.",
            discussion: """
                  daybook key list
                  daybook key list --all --json
                """)

        @Flag(help: "Also those that are over.")
        var all = false

        @OptionGroup var basic: BasicOptions

        mutating func run() async throws {
            let path = try basic.ledger.path()
            let app = try await basic.ledger.asking { $0.app }
            let store = try KeyStore(folder: KeyCommand.folder(of: path))
            let now = SystemClock.now()
            let keys = try store.keys(app: app).filter { all || $0.isValid(at: now) }
            let tokenKeys = try store.tokenKeys(app: app)
            try store.close()
            try basic.output.show([
                "app": .string(app), "keys": .objects(keys.map(\.json)),
                "token_keys": .objects(tokenKeys.map(\.json)),
            ]) { KeyText.table(keys, tokenKeys, now, $0) }
        }
    }

    struct Rotate: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rotate",
            abstract: "Make a key that takes another one's place; both open for a while.",
            discussion: """
                  daybook key rotate functions --overlap PT24H --actor kim
                """)

        @Argument(help: "ID or label of the key that is to be replaced.")
        var id: String

        @Option(help: .value("duration", "How long the old one still opens."))
        var overlap = "PT24H"

        @OptionGroup var change: ChangeOptions

        mutating func run() async throws {
            let milliseconds = try DurationText.read(overlap, "--overlap") ?? 0
            try await change.changing { ledger, store in
                let (old, new, text) = try store.rotate(
                    id, app: ledger.app, overlapMilliseconds: milliseconds, by: change.actor,
                    now: SystemClock.now())
                try await change.record(.rotated, old.id, old.json, in: ledger)
                try KeyText.show(new, text, change.output)
            }
        }
    }

    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "revoke",
            abstract: "End a key now, also in a running server.",
            discussion: """
                  daybook key revoke functions --actor kim --reason "laptop lost"
                """)

        @Argument(help: "ID or label of the key.")
        var id: String

        @OptionGroup var change: ChangeOptions

        mutating func run() async throws {
            try await change.changing { ledger, store in
                let key = try store.revoke(id, app: ledger.app, now: SystemClock.now())
                try await change.record(.revoked, key.id, key.json, in: ledger)
                try change.output.show(key.json) {
                    "\($0.tick) the key \(key.id) opens nothing any more\n"
                }
            }
        }
    }

    struct Trust: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "trust",
            abstract: "Verify tokens about customers by a key of the app's backend.",
            discussion: """
                The backend signs a JSON Web Token with "sub" (ID of the customer), "iat" and "exp" (at most an hour \
                later); the app sends it with its client key.

                  daybook key trust backend-1 --algorithm ES256 --file backend.pem --actor kim
                """)

        @Argument(help: "What tokens name in \"kid\".")
        var id: String

        @Option(help: "ES256 or EdDSA with a public key as PEM; HS256 with a shared secret.")
        var algorithm: TokenKey.Algorithm

        @Option(
            help: .value(
                "file",
                "File of the public key, or of the secret's bytes; - for the standard input."))
        var file: String

        @OptionGroup var change: ChangeOptions

        mutating func run() async throws {
            let material = try InputFile(file).all()
            let key = try TokenKey(id: id, algorithm: algorithm, reading: material)
            try await change.changing { ledger, store in
                try store.trust(key, app: ledger.app, by: change.actor, now: SystemClock.now())
                try await change.record(.trusted, key.id, key.json, in: ledger)
                try change.output.show(key.json) {
                    "\($0.tick) tokens that \(key.id) signed are believed\n"
                }
            }
        }
    }

    struct Distrust: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "distrust",
            abstract: "Verify no tokens by a key any more.",
            discussion: """
                  daybook key distrust backend-1 --actor kim
                """)

        @Argument(help: "What tokens name in \"kid\".")
        var id: String

        @OptionGroup var change: ChangeOptions

        mutating func run() async throws {
            try await change.changing { ledger, store in
                try Failure.require(
                    try store.distrust(id, app: ledger.app), .badInput, "unknown_key",
                    "no tokens are verified by a key \(id)")
                try await change.record(.distrusted, id, [:], in: ledger)
                try change.output.show(["id": .string(id)]) {
                    "\($0.tick) tokens that \(id) signed are not believed any more\n"
                }
            }
        }
    }
}

/// Keys as people read them.
private enum KeyText {
    static func show(_ key: APIKey, _ text: String, _ output: OutputOptions) throws {
        try output.show(key.json.adding(["key": .string(text)])) { terminal in
            "\(text)\n\(terminal.paint("keep it now: it is not shown again", .dim))\n"
        }
    }

    static func table(
        _ keys: [APIKey], _ tokenKeys: [TokenKey], _ now: Int64, _ terminal: Terminal
    ) -> HumanText {
        if keys.isEmpty, tokenKeys.isEmpty {
            return "no keys; make one with \"daybook key create\"\n"
        }
        var table = Table()
        for key in keys {
            let end =
                !key.isValid(at: now)
                ? "over" : (key.revokedAt ?? key.expiresAt).map { "until \(Words.time($0))" } ?? ""
            table.add(
                .init(key.id), .init(key.scopes.map(\.rawValue).sorted().joined(separator: " ")),
                .init(key.label), .init("made \(Words.time(key.createdAt)) by \(key.createdBy)"),
                .init(end))
        }
        for key in tokenKeys {
            table.add(.init(key.id), .init("tokens, \(key.algorithm.rawValue)"))
        }
        return table.text(terminal)
    }
}
