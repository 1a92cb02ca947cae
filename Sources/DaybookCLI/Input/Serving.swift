import DaybookServer
import Foundation
import Logging
import NIOCore
import ServiceLifecycle

/// Runs a server until it is told to stop, and tells in our words why it could not.
enum Serving {
    static func run(
        _ server: LedgerServer, at options: ServerOptions, _ log: Logger
    ) async throws {
        var quiet = log
        quiet.logLevel = .critical
        var configuration = ServiceGroupConfiguration(
            services: [server], gracefulShutdownSignals: [.sigterm, .sigint], logger: quiet)
        configuration.maximumGracefulShutdownDuration = options.stopTimeMax
        do {
            try await ServiceGroup(configuration: configuration).run()
        } catch let error as IOError {
            throw Failure(
                .environment, "cannot_listen",
                "\(options.host):\(options.port) cannot be listened on: \(String(cString: strerror(error.errnoCode))); say another one with --host and --port"
            )
        } catch let error as CertificateError {
            throw Failure(.environment, "bad_certificate", error.description)
        }
    }

    /// The port of an option, else of `$DAYBOOK_PORT`; `nil`: neither says one.
    static func port(_ option: Int?) throws -> Int? {
        if let option { return option }
        let named = ProcessInfo.processInfo.environment["DAYBOOK_PORT"] ?? ""
        if named.isEmpty { return nil }
        guard let port = Int(named), (0...65_535).contains(port) else {
            throw Failure(.usage, "usage", "$DAYBOOK_PORT is \(named): write 0 to 65535")
        }
        return port
    }
}
