import Foundation

/// The repository's recorded streams, by app.
struct DemoFolder {
    struct App {
        let name: String
        let catalog: String
        /// Paths, by name.
        let streams: [String]
    }

    let apps: [App]

    /// Whether a stream shows what other rules than the app's would record of the same customer.
    static func isOfOtherRules(_ path: String) -> Bool {
        path.split(separator: "/").last?.hasPrefix("diverges-") == true
    }

    /// Looks for `events/` from here upwards, then from the program upwards.
    static func find(_ given: String?) throws -> DemoFolder {
        if let given {
            guard let folder = DemoFolder(given) else {
                throw Failure(
                    .environment, "no_events",
                    "\(given) holds no app; expected \(given)/APP/catalog.yaml")
            }
            return folder
        }
        let program = Bundle.main.executablePath ?? CommandLine.arguments[0]
        for start in [FileManager.default.currentDirectoryPath, program] {
            var path = URL(filePath: start)
            while path.path != "/" {
                if let folder = DemoFolder(path.appending(path: "events").path) { return folder }
                path = path.deletingLastPathComponent()
            }
        }
        throw Failure(
            .environment, "no_events",
            "there is no events/ here or above; run the demo in the repository, or say --events FOLDER"
        )
    }

    private init?(_ path: String) {
        let files = FileManager.default
        // A folder that cannot be listed holds no apps, which is then reported.
        let names = ((try? files.contentsOfDirectory(atPath: path)) ?? []).sorted()
        apps = names.compactMap { name in
            let folder = "\(path)/\(name)"
            let catalog = "\(folder)/catalog.yaml"
            guard files.fileExists(atPath: catalog) else { return nil }
            let found = ((try? files.contentsOfDirectory(atPath: folder)) ?? []).sorted()
            let streams = found.filter { $0.hasSuffix(".ndjson") }.map { "\(folder)/\($0)" }
            return App(name: name, catalog: catalog, streams: streams)
        }
        if apps.isEmpty { return nil }
    }
}
