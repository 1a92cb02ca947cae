import Daybook
import DaybookDashboard
import DaybookEvents
import DaybookFixtures
import DaybookIngest
import DaybookServer
import Foundation
import Logging
import NIOHTTP1
import ServiceLifecycle
import Synchronization
import Testing

/// A server of ledgers in a folder of its own, on a port of its own, as long as a test's body runs.
final class ServerBench: Sendable {
    let folder: String
    let client: HTTPClient
    let keys: KeyStore
    /// By app: a key with the scope that is named, made when it is first asked for.
    private let texts = Mutex<[String: String]>([:])

    private let checks = Mutex<[@Sendable () -> Void]>([])

    /// Has something looked at after the server stopped, while its files are still there.
    func beforeRemoval(_ check: @escaping @Sendable () -> Void) {
        checks.withLock { $0.append(check) }
    }

    private init(folder: String, port: Int, keys: KeyStore) {
        self.folder = folder
        client = HTTPClient(port: port)
        self.keys = keys
    }

    /// Serves apps of the repository while a body runs, and stops as an operator does.
    /// - Parameters:
    ///   - settings: By what payloads of stores are verified.
    ///   - log: `nil`: nothing is logged.
    ///   - changes: Passages of the catalogs and what they say instead.
    ///   - gate: The ledgers are opened once it ends; the body runs before.
    static func serving(
        _ apps: [String] = ["dozzi"], options: ServerOptions = ServerOptions(),
        settings: ServedApp.Settings = ServedApp.Settings(),
        clock: @escaping @Sendable () -> Int64 = { Fixtures.now }, log: Logger? = nil,
        openingAfter gate: AsyncStream<Void>? = nil, replacing changes: [String: String] = [:],
        _ body: @escaping @Sendable (ServerBench) async throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "daybook-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        // A test that already failed must not fail again for leaving something behind.
        defer { try? FileManager.default.removeItem(at: folder) }
        var options = options
        options.port = gate == nil ? 0 : try FreePort.find()
        let log = log ?? Logger(label: "server-bench") { _ in SwiftLogNoOpLogHandler() }
        var paths: [String] = []
        for app in apps {
            let path = folder.appending(path: "\(app).sqlite").path
            let catalog = String(decoding: try Fixtures.catalogDocument(app), as: UTF8.self)
            let ledger = try await Ledger.create(
                at: path,
                catalog: Array(
                    changes.reduce(catalog) { $0.replacing($1.key, with: $1.value) }.utf8),
                clock: clock)
            try ledger.close()
            paths.append(path)
        }
        let keys = try KeyStore(folder: folder.path)
        let (ports, port) = AsyncStream<Int>.makeStream()
        let (ledgers, quiet) = (paths, log)
        let server = LedgerServer(
            keys: try KeyStore(folder: folder.path),
            routes: RouteTable.routes
                + Dashboard.ofKeys(isEncrypted: options.certificate != nil).routes,
            options: options, log: log,
            clock: clock,
            opening: { _ in
                if let gate { for await _ in gate {} }
                return try ledgers.map {
                    try ServedApp(
                        path: $0, settings: { _ in settings }, log: quiet, clock: clock)
                }
            },
            onRunning: { port.yield($0) })
        let group = ServiceGroup(services: [server], logger: log)
        let early = gate == nil ? nil : options.port
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask {
                // Where it cannot start, its port is not waited for.
                defer { port.finish() }
                try await group.run()
            }
            var found = early
            if found == nil {
                for await port in ports {
                    found = port
                    break
                }
            }
            let bench = ServerBench(folder: folder.path, port: found ?? 0, keys: keys)
            guard found != nil else { return try await tasks.waitForAll() }
            do {
                try await body(bench)
            } catch {
                await group.triggerGracefulShutdown()
                try await tasks.waitForAll()
                throw error
            }
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
            for check in bench.checks.withLock({ $0 }) { check() }
        }
        try keys.close()
    }

    /// Asks again until it is so; fails after thirty seconds.
    static func eventually(_ isSo: () async throws -> Bool) async throws {
        for _ in 0..<600 {
            if try await isSo() { return }
            try await Task.sleep(for: .milliseconds(50))
        }
        Issue.record("It did not become so within thirty seconds.")
    }

    /// The header of a key that has these scopes.
    func key(_ scopes: Scope..., app: String = "dozzi") throws -> (String, String) {
        let name = app + "/" + scopes.map(\.rawValue).sorted().joined(separator: " ")
        let text = try texts.withLock { texts in
            if let text = texts[name] { return text }
            let (_, text) = try keys.create(
                Set(scopes), app: app, label: "test", by: "test", now: Fixtures.now)
            texts[name] = text
            return text
        }
        return ("authorization", "Bearer \(text)")
    }

    func path(_ app: String = "dozzi") -> String { "\(folder)/\(app).sqlite" }

    // MARK: Requests, by default with a key of the app's backend

    func get(
        _ path: String, _ headers: [(String, String)]? = nil
    ) async throws -> HTTPReply {
        try await client.send(.GET, path, headers: try headers ?? [key(.store)])
    }

    func post(
        _ path: String, _ body: JSONObject, _ headers: [(String, String)]? = nil
    ) async throws -> HTTPReply {
        try await client.send(
            .POST, path, headers: try headers ?? [key(.store)], body: body.canonicalBytes)
    }
}
