import DaybookDomain
import DaybookEvents
import DaybookServer
import Foundation

/// What `serve --apps` reads: YAML with the settings of each app, by its name.
///
///     dozzi:
///       bundle_ids: [com.dozzi.app]
///       app_apple_id: 6444000001
///       roots: [root.pem]
///       online: true
///       revenuecat_authorization_file: revenuecat.txt
struct AppSettingsFile {
    /// By app.
    private(set) var settings: [String: ServedApp.Settings] = [:]

    private let path: String
    private static let members = [
        "bundle_ids", "app_apple_id", "roots", "online", "revenuecat_authorization_file",
    ]

    init(_ path: String) throws {
        self.path = path
        let text = String(decoding: try InputFile(path).all(), as: UTF8.self)
        let root: JSONValue
        do {
            root = try YAMLText.json(text)
        } catch {
            throw Failure(.badInput, "bad_settings", "\(path): \(error)")
        }
        guard let apps = root.object else {
            throw refusal("it is no map of apps", in: nil)
        }
        for app in apps.members {
            guard let object = app.value.object else {
                throw refusal("write its settings as a map", in: app.name)
            }
            settings[app.name] = try read(object, of: app.name)
        }
    }

    /// - Throws: For an app that is not served: most likely its name is misspelled.
    func confirm(served apps: [String]) throws {
        for name in settings.keys.sorted() where !apps.contains(name) {
            let near = NearestName.of(name, among: apps).map { "; did you mean \($0)?" } ?? ""
            throw refusal("no ledger of it is served\(near)", in: name)
        }
    }

    private func read(_ object: JSONObject, of app: String) throws -> ServedApp.Settings {
        for member in object.members where !Self.members.contains(member.name) {
            let near = NearestName.of(member.name, among: Self.members)
            throw refusal(
                "\(member.name) is no setting\(near.map { "; did you mean \($0)?" } ?? "")", in: app
            )
        }
        func read<Value>(
            _ name: String, _ fault: String, _ convert: (JSONValue) -> Value?
        ) throws -> Value? {
            guard let value = object[name] else { return nil }
            guard let found = convert(value) else { throw refusal("\(name) is \(fault)", in: app) }
            return found
        }
        func texts(_ name: String) throws -> [String]? {
            try read(name, "no list of texts") { value in
                let texts = value.array?.compactMap(\.text)
                return texts?.count == value.array?.count ? texts : nil
            }
        }
        var settings = ServedApp.Settings()
        if let ids = try texts("bundle_ids"), !ids.isEmpty {
            let identity = StoreIdentity(
                bundleIDs: ids,
                appAppleID: try read("app_apple_id", "no number") { $0.integer },
                roots: (try texts("roots") ?? []).map(beside),
                isOnline: try read("online", "neither true nor false") { $0.bool } ?? false)
            settings.verifiers = try identity.verifiers()
        } else if let lost = object.members.first(where: {
            ["app_apple_id", "roots", "online"].contains($0.name)
        }) {
            throw refusal("\(lost.name) means nothing without bundle_ids", in: app)
        }
        if let name = try read("revenuecat_authorization_file", "no path", { $0.text }) {
            settings.revenueCatAuthorization = try SecretFile.line(beside(name))
        }
        return settings
    }

    /// Paths are relative to the file that names them.
    private func beside(_ name: String) -> String {
        name.hasPrefix("/")
            ? name : URL(filePath: path).deletingLastPathComponent().appending(path: name).path
    }

    private func refusal(_ reason: String, in app: String?) -> Failure {
        Failure(.badInput, "bad_settings", "\(path): \(app.map { "\($0): " } ?? "")\(reason)")
    }
}

/// A secret in a file, so that it stands in no list of processes and in no shell's history.
enum SecretFile {
    /// The only line of a file.
    static func line(_ path: String) throws -> String {
        let text = String(decoding: try InputFile(path).all(), as: UTF8.self)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: true)
        guard lines.count == 1, let line = lines.first, !line.contains("\r") else {
            throw Failure(.badInput, "bad_secret", "\(path) has to hold one line of text")
        }
        return String(line)
    }
}
