import ArgumentParser
import Daybook
import DaybookDashboard
import DaybookEvents
import DaybookIngest
import DaybookServer
import Logging
import Synchronization

struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Serve ledgers over HTTP.",
        discussion: """
            Serves one ledger, or with --data every ledger of a folder, each under /v1/APP/. Who may ask for what is \
            said by keys ("daybook key"), which are kept in server.sqlite beside the ledgers. A browser that opens / \
            signs in with one. The command line works on the same files meanwhile. Ends by SIGTERM or SIGINT once \
            what was begun is done.

              daybook serve ledger.sqlite --bundle-id com.dozzi.app
              daybook serve --data . --json
              daybook serve --data . --apps apps.yaml
              daybook serve --demo
            """)

    @Argument(help: "The ledger.")
    var ledger: String?

    @Option(help: .value("folder", "Serve every ledger of this folder."))
    var data: String?

    @Flag(help: "Serve the recorded apps from a temporary folder, with a key for each.")
    var demo = false

    @Option(
        help: .value(
            "address", "Where to listen; 0.0.0.0 for all addresses, with TLS or behind a proxy."))
    var host = "127.0.0.1"

    @Option(help: .value("port", "0: any free one. Default: $DAYBOOK_PORT, else 8080."))
    var port: Int?

    @Option(
        name: .customLong("origin"),
        help: .value(
            "origin",
            "Whose web pages may ask from a browser, such as https://app.example; may be repeated.")
    )
    var origins: [String] = []

    @Option(
        help: .value(
            "n",
            "Requests a second that one key may send on average over ten seconds; 0: as many as it likes."
        ))
    var rate: Int64 = ServerOptions().keyRateMax ?? 0

    @Option(help: .value("n", "The same of one customer, for client keys."))
    var customerRate: Int64 = ServerOptions().customerRateMax ?? 0

    @Option(
        help: .value(
            "MB",
            "Megabytes that folded states of each ledger may take, so that the next question about a customer reads nothing."
        ))
    var memory = Ledger.cacheByteCountDefault >> 20

    @Option(
        name: .customLong("tls-certificate"),
        help: .value(
            "file",
            "The server's certificate and those above it, PEM; read again when it changes."))
    var certificate: String?

    @Option(
        name: .customLong("tls-key"), help: .value("file", "The certificate's private key, PEM."))
    var certificateKey: String?

    @Option(
        name: .customLong("proxy"),
        help: .value(
            "address",
            "Take connections from this address alone, such as 10.0.0.0/8; may be repeated."))
    var proxies: [String] = []

    @Option(
        name: .customLong("apps"),
        help: .value(
            "file",
            "Settings of each app, YAML: bundle_ids, app_apple_id, roots, online, revenuecat_authorization_file."
        ))
    var settings: String?

    @Option(
        name: .customLong("revenuecat-authorization-file"),
        help: .value(
            "file", "File with the line that RevenueCat sends as Authorization with its webhooks."))
    var revenueCatFile: String?

    @Flag(help: "Write the log as lines of JSON instead of text.")
    var json = false

    @Option(help: .value("folder", "Folder of the apps of --demo."))
    var events: String?

    @OptionGroup var verifier: VerifierOptions

    mutating func validate() throws {
        try require(
            [ledger != nil, data != nil, demo].count(where: { $0 }) == 1,
            "Say which: a LEDGER, --data FOLDER, or --demo.")
        try ValidationError.check("--port", port, in: 0...65_535)
        for (name, rate) in [("--rate", rate), ("--customer-rate", customerRate)] {
            try ValidationError.check(name, rate, in: 0...1_000_000)
        }
        try require(
            (1...1_000_000).contains(memory), "--memory \(memory): write 1 to 1000000 megabytes.")
        for origin in origins { try check(origin) }
        try require(
            (certificate == nil) == (certificateKey == nil),
            "--tls-certificate and --tls-key go together.")
        for proxy in proxies where AddressRange(proxy) == nil {
            throw ValidationError("--proxy \(proxy): write an address, or a network as 10.0.0.0/8.")
        }
        try require(
            settings == nil || !verifier.namesApp && revenueCatFile == nil,
            "--apps says of each app what --bundle-id and --revenuecat-authorization-file say of one."
        )
        let isLocal = ["127.0.0.1", "::1", "localhost"].contains(host)
        try require(
            isLocal || certificate != nil || !proxies.isEmpty,
            "--host \(host) would let keys cross the network in clear text: add --tls-certificate and --tls-key, or say with --proxy whose connections are taken."
        )
    }

    /// An origin as browsers send it (RFC 6454 §6.2): a slash at its end would never be met.
    private func check(_ origin: String) throws {
        let parts = origin.split(separator: "/", omittingEmptySubsequences: false)
        try require(
            parts.count == 3 && ["https:", "http:"].contains(parts[0]) && parts[1].isEmpty
                && !parts[2].isEmpty && origin == origin.lowercased(),
            "--origin \(origin): write scheme and host alone, such as https://app.example.")
    }

    mutating func run() async throws {
        FreeMemory.bound()
        let log = ServerLog.logger(isJSON: json)
        if demo {
            let folder = try TemporaryFolder("daybook-serve", endsProcess: false)
            let demo = DemoServer(folder: folder.path, events: events)
            let made = try await demo.make()
            try await serve(
                in: folder.path, log, opening: { try await Self.open(made.paths, $0, log) }
            ) { port in
                try Terminal.output.write(made.lines(port: port))
            }
            return withExtendedLifetime(folder) {}
        }
        let paths = try ledger.map { [$0] } ?? ServedFiles.ledgers(in: data ?? ".")
        let settings = try ServeSettings(
            file: settings.map { try AppSettingsFile($0) },
            all: ServedApp.Settings(
                verifiers: verifier.namesApp ? try verifier.identity().verifiers() : [:],
                revenueCatAuthorization: try revenueCatFile.map { try SecretFile.line($0) }))
        let folder = data ?? KeyCommand.folder(of: paths[0])
        let name = host.contains(":") ? "[\(host)]" : host
        let address = "\(certificate == nil ? "http" : "https")://\(name)"
        let names = Mutex("")
        let bytes = memory << 20
        try await serve(
            in: folder, log,
            opening: { progress in
                let apps = try await Self.open(
                    paths, progress, log, settings, cacheByteCountMax: bytes)
                names.withLock { $0 = apps.map(\.name).joined(separator: ", ") }
                return apps
            }
        ) { port in
            log.info("serving \(names.withLock { $0 }) at \(address):\(port)/v1")
        }
    }

    private static func open(
        _ paths: [String], _ progress: OpeningProgress, _ log: Logger,
        _ settings: ServeSettings = ServeSettings(),
        cacheByteCountMax: Int = Ledger.cacheByteCountDefault
    ) async throws -> [ServedApp] {
        var apps: [ServedApp] = []
        for path in paths {
            apps.append(
                try await ServedApp.open(
                    path: path, settings: settings.settings, cacheByteCountMax: cacheByteCountMax,
                    log: log
                ) { progress.note(path, $0, of: $1) })
        }
        try ServedFiles.refuseTwice(apps, paths)
        try settings.file?.confirm(served: apps.map(\.name))
        return apps
    }

    private func serve(
        in folder: String, _ log: Logger,
        opening: @escaping @Sendable (OpeningProgress) async throws -> [ServedApp],
        _ tell: @escaping @Sendable (Int) throws -> Void
    ) async throws {
        let keys = try KeyStore(folder: folder)
        let options = try options()
        if let limit = OpenFileLimit.raise(to: options.openFilesMax), limit < options.openFilesMax {
            log.warning(
                "this process may open \(limit) files, and \(options.connectionsMax) connections need \(options.openFilesMax): raise the limit (ulimit -n, LimitNOFILE)"
            )
        }
        let server = LedgerServer(
            keys: keys,
            routes: RouteTable.routes
                + Dashboard.ofKeys(isEncrypted: options.certificate != nil).routes,
            options: options, log: log, opening: opening, onRunning: tell)
        try await Serving.run(server, at: options, log)
        try keys.close()
        log.info("stopped")
    }

    private func options() throws -> ServerOptions {
        var options = ServerOptions()
        options.host = host
        options.port = try Serving.port(port) ?? ServerOptions().port
        options.origins = origins
        options.keyRateMax = rate == 0 ? nil : rate
        options.customerRateMax = customerRate == 0 ? nil : customerRate
        options.proxies = proxies.compactMap(AddressRange.init)
        if let certificate, let certificateKey {
            options.certificate = CertificateFiles(certificate: certificate, key: certificateKey)
        }
        return options
    }
}

/// What is believed of each app: from a file of settings, or the same for every app.
private struct ServeSettings {
    var file: AppSettingsFile?
    var all = ServedApp.Settings()

    func settings(_ app: String) -> ServedApp.Settings {
        file.map { $0.settings[app] ?? ServedApp.Settings() } ?? all
    }
}
