import Daybook
import DaybookEvents
import HTTPTypes
import Hummingbird
import HummingbirdCore
public import Logging
import NIOCore
public import ServiceLifecycle

/// Serves ledgers over HTTP until it is told to stop.
public struct LedgerServer: Service {
    private let options: ServerOptions
    private let ledgers: ServedLedgers
    private let gate: Gate
    private let log: Logger
    private let onRunning: @Sendable (_ port: Int) async -> Void

    /// - Parameters:
    ///   - onRunning: Is told the port once the server listens.
    public init(
        _ apps: [ServedApp], keys: KeyStore, options: ServerOptions = ServerOptions(), log: Logger,
        clock: (@Sendable () -> Int64)? = nil,
        onRunning: @escaping @Sendable (_ port: Int) async -> Void = { _ in }
    ) {
        self.options = options
        ledgers = ServedLedgers(apps)
        gate = Gate(ring: KeyRing(keys), clock: clock ?? { SystemClock.now() })
        self.log = log
        self.onRunning = onRunning
    }

    /// Listens and answers; returns after a graceful stop, with snapshots written and every ledger closed.
    /// - Throws: Where it cannot listen.
    public func run() async throws {
        do {
            try await application().run()
        } catch {
            close()
            throw error
        }
        close()
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

    private func application() -> some ApplicationProtocol {
        let dispatcher = Dispatcher(
            ledgers: ledgers, gate: gate,
            rate: RateLimit(
                keyQuota: options.keyRateMax.map { .init(requests: 10 * $0, seconds: 10) },
                customerQuota: options.customerRateMax.map { .init(requests: 10 * $0, seconds: 10) }
            ),
            origins: CrossOrigin(origins: Set(options.origins)),
            streams: StreamCount(max: options.streamsMax), log: log)
        let router = Router(context: ServerContext.self)
        router.add(middleware: UnknownRoutes(dispatcher: dispatcher))
        for route in RouteTable.routes {
            router.on(RouterPath(route.path), method: route.method) { request, context in
                await dispatcher.respond(to: request, context, by: route)
            }
        }
        // The library of the server logs by itself only what its own makers look for.
        var quiet = log
        quiet.logLevel = .error
        let onRunning = onRunning
        return Application(
            router: router, server: .http1(configuration: channels),
            configuration: ApplicationConfiguration(
                address: .hostname(options.host, port: options.port), serverName: nil,
                availableConnectionsDelegate: .maximum(options.connectionsMax, logger: quiet)),
            onServerRunning: { channel in
                await onRunning(channel.localAddress?.port ?? 0)
            }, logger: quiet)
    }

    private var channels: HTTP1Channel.Configuration {
        let time = TimeAmount(options.requestTimeMax)
        let bytes = (RouteTable.routes.map(\.bodyByteCountMax).max() ?? 0) + (1 << 20)
        return HTTP1Channel.Configuration(
            additionalChannelHandlers: [RequestBounds(timeMax: time, byteCountMax: bytes)],
            idleTimeout: TimeAmount(options.idleTimeMax),
            httpDecoderConfiguration: .init(
                maxHeaderFieldSize: 16 << 10, maxHeaderListSize: 64 << 10, maxHeaderFieldCount: 100)
        )
    }
}
