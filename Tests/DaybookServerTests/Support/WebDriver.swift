import DaybookEvents
import DaybookFixtures
import DaybookServer
import Foundation
import NIOHTTP1
import Testing

/// Chromium driven by Debian's `chromedriver` (W3C WebDriver), as far as a smoke test needs it.
///
/// What Selenium does with far more of it is in the extended tier.
struct WebDriver {
    static let program = "/usr/bin/chromedriver"
    static var isInstalled: Bool {
        FileManager.default.isExecutableFile(atPath: program)
            && FileManager.default.isExecutableFile(atPath: "/usr/bin/chromium")
    }

    private let client: HTTPClient
    private let session: String

    /// Opens a browser while a body runs; one that does not answer is ended after a quarter of an hour, because all tests
    /// at once leave it little of the machine.
    static func browsing(_ body: @escaping @Sendable (WebDriver) async throws -> Void) async throws
    {
        let port = try FreePort.find()
        let process = try ChildCommand(program, ["--port=\(port)"]).start()
        let guardian = Task {
            try await Task.sleep(for: .seconds(900))
            process.signal(SIGTERM)
        }
        defer {
            guardian.cancel()
            process.signal(SIGTERM)
            _ = process.wait()
        }
        let client = HTTPClient(port: port)
        try await ServerBench.eventually { (try? await client.send(.GET, "/status").status) == 200 }
        let driver = try await WebDriver(client)
        do {
            try await body(driver)
        } catch {
            try? await driver.end()
            throw error
        }
        try await driver.end()
    }

    private init(_ client: HTTPClient) async throws {
        let arguments: [JSONValue] = [
            "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
        ]
        let reply = try await client.send(
            .POST, "/session", headers: Self.headers,
            body: Array(
                JSONObject([
                    .init(
                        name: "capabilities",
                        value: [
                            "alwaysMatch": [
                                "goog:chromeOptions": ["args": .array(arguments)],
                                "goog:loggingPrefs": ["browser": "ALL"],
                                // A page that listens for news is never at its end.
                                "pageLoadStrategy": "eager",
                                "timeouts": ["pageLoad": 300_000, "script": 300_000],
                            ]
                        ])
                ]).canonicalBytes))
        let id = reply.json["value"]?.object?["sessionId"]?.text
        session = "/session/" + (try #require(id, "\(reply.text)"))
        self.client = client
    }

    private static let headers = [("content-type", "application/json")]

    private func post(_ path: String, _ body: JSONObject) async throws -> JSONValue {
        let reply = try await client.send(
            .POST, session + path, headers: Self.headers, body: body.canonicalBytes)
        try #require(reply.status == 200, "\(path): \(reply.text)")
        return reply.json["value"] ?? .null
    }

    private func end() async throws {
        _ = try await client.send(.DELETE, session)
    }

    func open(_ address: String) async throws {
        _ = try await post("/url", ["url": .string(address)])
    }

    /// What a piece of script gives back.
    func run(_ script: String) async throws -> JSONValue {
        try await post("/execute/sync", ["script": .string(script), "args": []])
    }

    /// What the page has said to the console since it was asked last.
    func log() async throws -> [String] {
        (try await post("/se/log", ["type": "browser"])).array?.compactMap {
            $0.object?["message"]?.text
        } ?? []
    }
}
