import ArgumentParser
import Daybook
import DaybookDashboard
import DaybookServer
import Logging

struct DashboardCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dashboard", abstract: "Show ledgers in a browser of this machine.",
        discussion: """
            Prints an address that opens the pages once, in one browser; they change nothing. Several people and \
            machines use "daybook serve", whose pages open with keys. Ends by SIGTERM or SIGINT.

              daybook dashboard ledger.sqlite
              daybook dashboard --data . --port 8081
              daybook dashboard --demo
            """)

    @Argument(help: "The ledger.")
    var ledger: String?

    @Option(help: .value("folder", "Show every ledger of this folder."))
    var data: String?

    @Flag(help: "Show the recorded apps, from a temporary folder.")
    var demo = false

    @Option(help: .value("port", "Default: $DAYBOOK_PORT, else any free one."))
    var port: Int?

    @Flag(help: "Print the address as JSON, and the log as lines of JSON.")
    var json = false

    @Option(help: .value("folder", "Folder of the apps of --demo."))
    var events: String?

    mutating func validate() throws {
        try require(
            [ledger != nil, data != nil, demo].count(where: { $0 }) == 1,
            "Say which: a LEDGER, --data FOLDER, or --demo.")
        try ValidationError.check("--port", port, in: 0...65_535)
    }

    mutating func run() async throws {
        FreeMemory.bound()
        var log = ServerLog.logger(isJSON: json)
        // Each page is a line; the person who looks at them needs none.
        if !json { log.logLevel = .warning }
        guard demo else {
            let paths = try ledger.map { [$0] } ?? ServedFiles.ledgers(in: data ?? ".")
            return try await serve(paths, log)
        }
        let folder = try TemporaryFolder("daybook-dashboard", endsProcess: false)
        let made = try await DemoServer(folder: folder.path, events: events).make()
        try await serve(made.paths, log)
        withExtendedLifetime(folder) {}
    }

    private func serve(_ paths: [String], _ log: Logger) async throws {
        var options = ServerOptions()
        options.port = try Serving.port(port) ?? 0
        let dashboard = Dashboard.local()
        let isJSON = json
        let server = LedgerServer(
            keys: nil, routes: dashboard.routes, options: options, log: log,
            opening: { progress in
                let apps = try paths.map { path in
                    try ServedApp(
                        readOnly: path, log: log,
                        progress: { progress.note(path, $0, of: $1) })
                }
                try ServedFiles.refuseTwice(apps, paths)
                return apps
            },
            onRunning: { port in
                let address = "http://127.0.0.1:\(port)\(dashboard.openingPath ?? "/")"
                if isJSON {
                    try Terminal.output.write(["address": .string(address)])
                } else {
                    try Terminal.output.write(
                        "Open once, in a browser of this machine:\n\n  \(address)\n\nEnds with Ctrl-C.\n"
                    )
                }
            })
        try await Serving.run(server, at: options, log)
    }
}
