import ArgumentParser
import Daybook
import DaybookEvents
import DaybookIngest
import DaybookServer
import Foundation
import Logging
import NIOCore
import ServiceLifecycle

struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Serve ledgers over HTTP.",
        discussion: """
            Serves one ledger, or with --data every ledger of a folder, each under /v1/APP/. Who may ask for what is \
            said by keys ("daybook key"), which are kept in server.sqlite beside the ledgers. The command line works \
            on the same files meanwhile. Ends by SIGTERM or SIGINT once what was begun is done.

              daybook serve ledger.sqlite --bundle-id com.dozzi.app
              daybook serve --data . --json
              daybook serve --demo
            """)

    @Argument(help: "The ledger.")
    var ledger: String?

    @Option(help: ArgumentHelp("Serve every ledger of this folder.", valueName: "folder"))
    var data: String?

    @Flag(help: "Serve the recorded apps from a temporary folder, with a key for each.")
    var demo = false

    @Option(
        help: ArgumentHelp(
            "Where to listen; 0.0.0.0 for all addresses, behind a proxy.", valueName: "address"))
    var host = "127.0.0.1"

    @Option(
        help: ArgumentHelp(
            "0: any free one. Default: $DAYBOOK_PORT, else 8080.", valueName: "port"))
    var port: Int?

    @Option(
        name: .customLong("origin"),
        help: ArgumentHelp(
            "Whose web pages may ask from a browser, such as https://app.example; may be repeated.",
            valueName: "origin"))
    var origins: [String] = []

    @Option(
        help: ArgumentHelp(
            "Requests a second that one key may send on average over ten seconds; 0: as many as it likes.",
            valueName: "n"))
    var rate: Int64 = ServerOptions().keyRateMax ?? 0

    @Option(
        help: ArgumentHelp(
            "The same of one customer, for client keys.", valueName: "n"))
    var customerRate: Int64 = ServerOptions().customerRateMax ?? 0

    @Flag(help: "Write the log as lines of JSON instead of text.")
    var json = false

    @Option(
        help: ArgumentHelp("Folder of the apps of --demo.", valueName: "folder"))
    var events: String?

    @OptionGroup var verifier: VerifierOptions

    mutating func validate() throws {
        guard [ledger != nil, data != nil, demo].count(where: { $0 }) == 1 else {
            throw ValidationError("Say which: a LEDGER, --data FOLDER, or --demo.")
        }
        if let port, !(0...65_535).contains(port) {
            throw ValidationError("--port \(port): write 0 to 65535.")
        }
        for (name, rate) in [("--rate", rate), ("--customer-rate", customerRate)] {
            guard (0...1_000_000).contains(rate) else {
                throw ValidationError("\(name) \(rate): write 0 to 1000000.")
            }
        }
        for origin in origins { try Self.check(origin) }
    }

    /// An origin as browsers send it (RFC 6454 §6.2): a slash at its end would never be met.
    private static func check(_ origin: String) throws {
        let parts = origin.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 3, ["https:", "http:"].contains(parts[0]), parts[1].isEmpty,
            !parts[2].isEmpty, origin == origin.lowercased()
        else {
            throw ValidationError(
                "--origin \(origin): write scheme and host alone, such as https://app.example.")
        }
    }

    mutating func run() async throws {
        let log = ServerLog.logger(isJSON: json)
        if demo {
            let folder = try TemporaryFolder("daybook-serve", endsProcess: false)
            let served = try await DemoServer(folder: folder.path, events: events).open(log: log)
            try await serve(served.apps, in: folder.path, log) { port in
                try Terminal.output.write(served.lines(port: port))
            }
            return withExtendedLifetime(folder) {}
        }
        let paths = try paths()
        let verifiers = try verifiers()
        let apps = try paths.map { try ServedApp(path: $0, verifiers: verifiers, log: log) }
        try Self.refuseTwice(apps, paths)
        let folder = data ?? KeyCommand.folder(of: paths[0])
        let names = apps.map(\.name).joined(separator: ", ")
        let host = host
        try await serve(apps, in: folder, log) { port in
            log.info("serving \(names) at http://\(host):\(port)/v1")
        }
    }

    private func serve(
        _ apps: [ServedApp], in folder: String, _ log: Logger,
        _ tell: @escaping @Sendable (Int) throws -> Void
    ) async throws {
        let keys = try KeyStore(folder: folder)
        var options = ServerOptions()
        options.host = host
        options.port = try listeningPort()
        options.origins = origins
        options.keyRateMax = rate == 0 ? nil : rate
        options.customerRateMax = customerRate == 0 ? nil : customerRate
        let server = LedgerServer(
            apps, keys: keys, options: options, log: log,
            onRunning: { port in
                do {
                    try tell(port)
                } catch {
                    log.warning("the address was not told: \(error)")
                }
            })
        var quiet = log
        quiet.logLevel = .error
        var configuration = ServiceGroupConfiguration(
            services: [server], gracefulShutdownSignals: [.sigterm, .sigint], logger: quiet)
        configuration.maximumGracefulShutdownDuration = options.stopTimeMax
        do {
            try await ServiceGroup(configuration: configuration).run()
        } catch let error as IOError {
            throw Failure(
                .environment, "cannot_listen",
                "\(host):\(options.port) cannot be listened on: \(error)"
            )
        }
        try keys.close()
        log.info("stopped")
    }

    private func listeningPort() throws -> Int {
        if let port { return port }
        let named = ProcessInfo.processInfo.environment["DAYBOOK_PORT"] ?? ""
        if named.isEmpty { return ServerOptions().port }
        guard let port = Int(named), (0...65_535).contains(port) else {
            throw Failure(.usage, "usage", "$DAYBOOK_PORT is \(named): write 0 to 65535")
        }
        return port
    }

    // MARK: What is served

    private func paths() throws -> [String] {
        if let ledger { return [ledger] }
        let folder = data ?? "."
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        } catch {
            throw Failure(.environment, "no_folder", "\(folder) cannot be listed")
        }
        let paths = names.filter { $0.hasSuffix(".sqlite") && $0 != KeyStore.fileName }
            .map { "\(folder)/\($0)" }
        guard !paths.isEmpty else {
            throw Failure(
                .environment, "no_ledger",
                "\(folder) holds no *.sqlite; make one with \"daybook init \(folder)/APP.sqlite --catalog FILE\""
            )
        }
        return paths
    }

    /// For each environment whose payloads may come; none where no app was named.
    private func verifiers() throws -> [DaybookEvents.Environment: AppStoreVerifier] {
        guard verifier.namesApp else { return [:] }
        var verifiers: [DaybookEvents.Environment: AppStoreVerifier] = [:]
        for environment in DaybookEvents.Environment.allCases {
            verifiers[environment] = try verifier.verifier(environment)
        }
        return verifiers
    }

    /// Under one name there is one ledger.
    private static func refuseTwice(_ apps: [ServedApp], _ paths: [String]) throws {
        var seen: [String: String] = [:]
        for (app, path) in zip(apps, paths) {
            if let other = seen.updateValue(path, forKey: app.name) {
                throw Failure(
                    .environment, "app_twice",
                    "\(other) and \(path) are both ledgers of \(app.name)")
            }
        }
    }
}
