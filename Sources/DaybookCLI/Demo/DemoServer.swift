import Daybook
import DaybookServer

/// The recorded apps, each in a ledger of its own with a recorded stream, and a key for each.
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
            let base = "http://127.0.0.1:\(port)/v1/\(app)/customers/ada"
            let header = "-H 'Authorization: Bearer \(key)'"
            return """
                Serving \(keys.map(\.app).joined(separator: ", ")) until interrupted. Try:

                curl -s \(header) \(base)/status
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
            try made.close()
            let (_, text) = try store.create(
                [.store, .analyst], app: name, label: "demo", by: "demo", now: SystemClock.now())
            all.paths.append(path)
            all.keys.append((name, text))
        }
        try store.close()
        return all
    }
}
