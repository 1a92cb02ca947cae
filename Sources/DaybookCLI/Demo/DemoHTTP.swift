import Daybook
import DaybookEvents
import DaybookServer
import Foundation
import Logging
import ServiceLifecycle

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The same over HTTP: a server on a free port, a notification that is signed, a use, what changed, and the stop.
struct DemoHTTP {
    let stage: Stage
    let folder: String
    let catalog: String

    private static let product = "com.magicalstories.premium.monthly"
    private static let bundleID = "com.example.stories"
    private static let customer = "nora"

    private var ledger: String { "\(folder)/served/stories.sqlite" }
    private var authority: String { "\(folder)/served/own.key" }
    private var root: String { "\(folder)/served/own.pem" }

    /// - Returns: What was answered, for `--json`.
    func play() async throws -> JSONObject {
        try stage.chapter(
            "Over HTTP", "A server on a free port; what an app and the App Store would send it.")
        try OutputFile.makeFolder("\(folder)/served")
        try await quietly("init", ledger, "--catalog", catalog)
        try await quietly("sandbox", "create", authority, "--root", root)
        let notification = try await quietly(
            "sandbox", "sign", "--authority", authority, "--bundle-id", Self.bundleID,
            "--product", Self.product, "--type", "SUBSCRIBED", "--token", Self.customer,
            "--expires", RFC3339.format(SystemClock.now() + 30 * 86_400_000))
        return try await serving { address, key in
            let base = "\(address)/v1/magical-stories"
            let customer = "\(base)/customers/\(Self.customer)"
            let open = try await send(
                "\(base)/apple/notifications?environment=test", nil, notification)
            let status = try await send("\(customer)/status?environment=test", key, nil)
            let use = try await send(
                "\(customer)/consume", key,
                Array(#"{"environment":"test","meter":"stories","ref":"moon"}"#.utf8))
            let changes = try await send("\(base)/changes?type=usage.recorded", key, nil)
            return [
                "appended": open["appended"] ?? .null, "status": status["status"] ?? .null,
                "used": use["used"] ?? .null, "events": changes["events"] ?? .null,
            ]
        }
    }

    // MARK: The server

    private func serving(
        _ body: @escaping (_ address: String, _ key: String) async throws -> JSONObject
    ) async throws -> JSONObject {
        var log = Logger(label: "daybook") { _ in SwiftLogNoOpLogHandler() }
        log.logLevel = .critical
        let verifier = try VerifierOptions.parse(["--bundle-id", Self.bundleID, "--root", root])
        let settings = ServedApp.Settings(verifiers: [.test: try verifier.verifier(.test)])
        let (path, quiet) = (ledger, log)
        let name = try Ledger.open(ledger, readOnly: true).app
        let keys = try KeyStore(folder: "\(folder)/served")
        let (_, key) = try keys.create(
            [.store, .analyst], app: name, label: "demo", by: "demo", now: SystemClock.now())
        var options = ServerOptions()
        options.port = 0
        let (ports, port) = AsyncStream<Int>.makeStream()
        let server = LedgerServer(
            keys: keys, options: options, log: log,
            opening: { progress in
                [
                    try await ServedApp.open(path: path, settings: { _ in settings }, log: quiet) {
                        progress.note(path, $0, of: $1)
                    }
                ]
            }, onRunning: { port.yield($0) })
        let group = ServiceGroup(services: [server], logger: log)
        let run = Task { try await group.run() }
        var answer = JSONObject()
        for await port in ports {
            try stage.prompt("daybook serve \(ledger) --bundle-id \(Self.bundleID) --root \(root)")
            answer = try await body("http://127.0.0.1:\(port)", key)
            break
        }
        await group.triggerGracefulShutdown()
        try await run.value
        try keys.close()
        return answer
    }

    /// Sends one request and shows it as it would be typed.
    /// - Returns: The object that was answered; of lines the last one.
    private func send(
        _ address: String, _ key: String?, _ body: [UInt8]?
    ) async throws -> JSONObject {
        guard let url = URL(string: address) else {
            throw Failure(.no, "demo", "\(address) is no address")
        }
        var request = URLRequest(url: url)
        request.httpMethod = body == nil ? "GET" : "POST"
        request.httpBody = body.map { Data($0) }
        if let key { request.setValue("Bearer \(key)", forHTTPHeaderField: "Authorization") }
        let (data, response) = try await URLSession.shared.data(for: request)
        let status = (response as? HTTPURLResponse)?.statusCode ?? 0
        let lines = data.split(separator: 0x0A)
        guard status == 200, let last = lines.last,
            let json = try JSONReader.read(Array(last)).object
        else {
            throw Failure(.no, "demo", "\(address) is answered with 200; it was \(status)")
        }
        try stage.prompt(
            "curl \(key == nil ? "" : "-H \"$KEY\" ")\(body == nil ? "" : "-d … ")'\(address)'")
        try stage.say("    \(status)  \(Self.shown(json))")
        return json
    }

    /// The members that the demo is about.
    private static func shown(_ json: JSONObject) -> HumanText {
        let names = ["appended", "status", "allowed", "used", "limit", "remaining", "events"]
        let members = names.compactMap { name in
            json[name].map { "\(name) \($0.canonicalText)" }
        }
        return HumanText(members.joined(separator: "  "))
    }

    /// Runs a command without showing it.
    /// - Returns: What it prints.
    @discardableResult
    private func quietly(_ words: String...) async throws -> [UInt8] {
        let (bytes, error) = await Terminal.recording {
            try await DaybookCommand.perform(words)
        }
        if let error { throw error }
        return bytes
    }
}
