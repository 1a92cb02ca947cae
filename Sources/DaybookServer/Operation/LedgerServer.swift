import Daybook
import Hummingbird
import HummingbirdCore
import HummingbirdTLS
public import Logging
import NIOCore
public import ServiceLifecycle

/// Serves ledgers over HTTP until it is told to stop.
public struct LedgerServer: Service {
    private let options: ServerOptions
    private let ledgers = ServedLedgers()
    private let gate: Gate
    private let routes: [Route]
    private let log: Logger
    private let opening: @Sendable (OpeningProgress) async throws -> [ServedApp]
    private let onRunning: @Sendable (_ port: Int) async throws -> Void

    /// - Parameters:
    ///   - keys: The file of keys by which requests are let in; changes of it hold while the server runs.
    ///   - options: Where it listens, and its bounds.
    ///   - log: Gets one line for each request, and what an operator should know.
    ///   - clock: Milliseconds since 1970 UTC, by which keys and tokens are over; `nil`: the machine's.
    ///   - opening: Opens what is served, while the server listens already and says that it is not ready.
    ///   - onRunning: Is told the port once everything is open; where it throws, the log says so.
    public init(
        keys: KeyStore, options: ServerOptions = ServerOptions(), log: Logger,
        clock: (@Sendable () -> Int64)? = nil,
        opening: @escaping @Sendable (OpeningProgress) async throws -> [ServedApp],
        onRunning: @escaping @Sendable (_ port: Int) async throws -> Void = { _ in }
    ) {
        self.init(
            keys: keys, routes: RouteTable.routes, options: options, log: log, clock: clock,
            opening: opening, onRunning: onRunning)
    }

    /// - Parameters:
    ///   - keys: `nil`: there are none, and no route that needs one is among those that are served.
    ///   - routes: What is served.
    package init(
        keys: KeyStore?, routes: [Route], options: ServerOptions, log: Logger,
        clock: (@Sendable () -> Int64)? = nil,
        opening: @escaping @Sendable (OpeningProgress) async throws -> [ServedApp],
        onRunning: @escaping @Sendable (_ port: Int) async throws -> Void = { _ in }
    ) {
        self.routes = routes
        self.options = options
        self.opening = opening
        gate = Gate(ring: keys.map { KeyRing($0, log: log) }, clock: clock ?? { SystemClock.now() })
        self.log = log
        self.onRunning = onRunning
    }

    /// Listens and answers; returns after a graceful stop, with snapshots written and every ledger closed.
    /// - Throws: Where it cannot listen or has no good certificate, and what opening throws.
    public func run() async throws {
        defer { close() }
        let certificate = try options.certificate.map { try ServerCertificate($0, log: log) }
        let (ports, listening) = AsyncStream<Int>.makeStream()
        let application = try application(certificate) { listening.yield($0) }
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask {
                defer { listening.finish() }
                try await application.run()
            }
            tasks.addTask {
                for await port in ports {
                    ledgers.serve(try await opening(ledgers.opening))
                    do {
                        return try await onRunning(port)
                    } catch {
                        return log.warning("the address was not told: \(error)")
                    }
                }
            }
            if let certificate { tasks.addTask { try await certificate.run() } }
            // Where one fails, the others are cancelled.
            for try await _ in tasks {}
        }
    }

    private func close() {
        for app in ledgers.all {
            do {
                try app.ledger.close()
            } catch {
                log.error("\(app.ledger.app): the ledger was not closed: \(error)")
            }
        }
    }

    private func application(
        _ certificate: ServerCertificate?, onListening: @escaping @Sendable (Int) -> Void
    ) throws -> some ApplicationProtocol {
        let metrics = PrometheusRegistry()
        let dispatcher = Dispatcher(
            routes: routes, ledgers: ledgers, gate: gate,
            rate: RateLimit(
                keyQuota: options.keyRateMax.map { .init(requests: 10 * $0, seconds: 10) },
                customerQuota: options.customerRateMax.map { .init(requests: 10 * $0, seconds: 10) }
            ),
            origins: CrossOrigin(origins: Set(options.origins)),
            streams: StreamCount(max: options.streamsMax), metrics: metrics,
            meters: RequestMeters(metrics), log: log)
        let router = Router(context: ServerContext.self)
        router.add(middleware: UnknownRoutes(dispatcher: dispatcher))
        for route in routes {
            router.on(RouterPath(route.path), method: route.method) { request, context in
                await dispatcher.respond(to: request, context, by: route)
            }
        }
        // The library of the server logs by itself only what its own makers look for.
        var quiet = log
        quiet.logLevel = .critical
        let plain = HTTPServerBuilder.http1(configuration: channels)
        return Application(
            router: router,
            server: try certificate.map {
                try .tls(plain, tlsConfiguration: $0.configuration())
            } ?? plain,
            configuration: ApplicationConfiguration(
                address: .hostname(options.host, port: options.port), serverName: nil,
                // All clients come back at once when a server starts again; what waits to be taken is not refused.
                backlog: options.connectionsMax,
                availableConnectionsDelegate: .maximum(options.connectionsMax, logger: quiet)),
            onServerRunning: { onListening($0.localAddress?.port ?? 0) }, logger: quiet)
    }

    private var channels: HTTP1Channel.Configuration {
        let time = TimeAmount(options.requestTimeMax)
        let bytes = (routes.map(\.bodyByteCountMax).max() ?? 0) + (1 << 20)
        let writeTime = TimeAmount(options.writeTimeMax)
        let log = log
        let peers =
            options.proxies.isEmpty ? nil : PeerGuard.Rule(proxies: options.proxies, log: log)
        return HTTP1Channel.Configuration(
            additionalChannelHandlers: (peers.map { [PeerGuard($0)] } ?? []) + [
                RequestBounds(
                    timeMax: time, writeTimeMax: writeTime, byteCountMax: bytes, log: log)
            ],
            idleTimeout: TimeAmount(options.idleTimeMax),
            httpDecoderConfiguration: .init(
                maxHeaderFieldSize: 16 << 10, maxHeaderListSize: 64 << 10, maxHeaderFieldCount: 100)
        )
    }
}
