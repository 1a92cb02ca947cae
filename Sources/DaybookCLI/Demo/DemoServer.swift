import Daybook
import DaybookEvents
import DaybookServer

/// The recorded apps, each in a ledger of its own with its recorded streams, and a key for each.
struct DemoServer {
    struct Made {
        var paths: [String]
        /// By app.
        var keys: [(app: String, key: String)]

        /// Three requests that work as they are.
        func lines(port: Int) -> HumanText {
            guard let (app, key) = keys.first(where: { $0.app == "dozzi" }) ?? keys.first else {
                return ""
            }
            let customers = "http://127.0.0.1:\(port)/v1/\(app)/customers"
            let base = "\(customers)/ada"
            let header = "-H 'Authorization: Bearer \(key)'"
            return """
                Serving \(keys.map(\.app).joined(separator: ", ")) until interrupted. Try:

                curl -s \(header) '\(customers)?limit=3'
                curl -s \(header) \(base)/consume -d '{"meter":"stories","ref":"story-1"}'
                curl -s \(header) '\(base)/checks/stories'


                """
        }
    }

    let folder: String
    let events: String?

    /// Makes ledgers and keys.
    func make() async throws -> Made {
        let store = try KeyStore(folder: folder)
        var all = Made(paths: [], keys: [])
        for app in try DemoFolder.find(events).apps {
            let path = "\(folder)/\(app.name).sqlite"
            let name = try await Self.fill(path, app)
            let (_, text) = try store.create(
                [.store, .analyst], app: name, label: "demo", by: "demo", now: SystemClock.now())
            all.paths.append(path)
            all.keys.append((name, text))
        }
        try store.close()
        return all
    }

    /// Makes a ledger with an app's streams, as they were recorded: in the order of that time, after the catalog.
    ///
    /// A line that tells otherwise of what an earlier one told has no place beside it, and is left out.
    /// - Returns: The app's name.
    private static func fill(_ path: String, _ app: DemoFolder.App) async throws -> String {
        var lines: [(recordedAt: Int64, bytes: [UInt8])] = []
        for stream in app.streams where !DemoFolder.isOfOtherRules(stream) {
            for line in try InputFile(stream).all().split(separator: 0x0A) {
                let recorded = try? JSONReader.read(Array(line)).object?["recorded_at"]?.integer
                lines.append((recorded ?? SystemClock.now(), Array(line) + [0x0A]))
            }
        }
        // Stable: lines of one time stay in the order of their file.
        let ordered = lines.enumerated().sorted {
            ($0.element.recordedAt, $0.offset) < ($1.element.recordedAt, $1.offset)
        }.map(\.element)
        let start = (ordered.first?.recordedAt ?? SystemClock.now()) - 86_400_000
        try await Ledger.create(
            at: path, catalog: try InputFile(app.catalog).all(), clock: { start }
        ).close()
        let ledger = try Ledger.open(path)
        var rest = ordered.map(\.bytes)[...]
        _ = try await ledger.importLines(
            { rest.popFirst() }, options: ImportOptions(isAsRecorded: true, keepsGoing: true))
        try ledger.close()
        return ledger.app
    }
}
