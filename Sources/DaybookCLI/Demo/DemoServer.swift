import Daybook
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
            let made = try await Ledger.create(
                at: path, catalog: try InputFile(app.catalog).all())
            let name = made.app
            for stream in app.streams { try await Self.record(stream, in: made) }
            try made.close()
            let (_, text) = try store.create(
                [.store, .analyst], app: name, label: "demo", by: "demo", now: SystemClock.now())
            all.paths.append(path)
            all.keys.append((name, text))
        }
        try store.close()
        return all
    }

    /// A stream that tells otherwise of what an earlier one told has no place beside it, and is left out.
    private static func record(_ stream: String, in ledger: Ledger) async throws {
        var chunks = [try InputFile(stream).all()]
        do {
            _ = try await ledger.importLines { chunks.popLast() }
        } catch LedgerError.badInput {}
    }
}
