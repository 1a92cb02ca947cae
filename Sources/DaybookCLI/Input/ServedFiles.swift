import DaybookServer
import Foundation

/// Which ledgers a server serves: one, or every ledger of a folder.
enum ServedFiles {
    /// The ledgers of a folder, by name; the keys of a server are none.
    /// - Throws: `Failure` for a folder that cannot be listed or holds no ledger.
    static func ledgers(in folder: String) throws -> [String] {
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        } catch {
            throw Failure(.environment, "no_folder", "\(folder) cannot be listed")
        }
        let paths = names.filter { $0.hasSuffix(".sqlite") && $0 != KeyStore.fileName }
            .map { "\(folder)/\($0)" }
        try Failure.require(
            !paths.isEmpty, .environment, "no_ledger",
            "\(folder) holds no *.sqlite; make one with \"daybook init \(folder)/APP.sqlite --catalog FILE\""
        )
        return paths
    }

    /// Under one name there is one ledger.
    static func refuseTwice(_ apps: [ServedApp], _ paths: [String]) throws {
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
