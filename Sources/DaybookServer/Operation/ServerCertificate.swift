import Logging
import NIOCertificateReloading
import NIOSSL

/// Where the certificate stands by which a server names itself, and its private key.
public struct CertificateFiles: Sendable {
    /// PEM: the certificate, then those that lead to its root.
    public var certificate: String
    /// PEM.
    public var key: String
    /// Between two looks at the files.
    public var reloadInterval = Duration.seconds(60)

    /// Names the files; they are read when the server starts, then looked at every minute.
    public init(certificate: String, key: String) {
        self.certificate = certificate
        self.key = key
    }
}

/// A certificate that cannot be used.
public struct CertificateError: Error, CustomStringConvertible {
    /// Which files cannot be used, and why.
    public let description: String
}

/// A certificate that is read again where its files change, so that a renewed one needs no restart.
struct ServerCertificate: Sendable {
    private let reloader: TimedCertificateReloader

    /// - Throws: `CertificateError` where the files cannot be read, or the key is not that of the certificate.
    init(_ files: CertificateFiles, log: Logger) throws {
        do {
            reloader = try Self.reloader(files, log)
        } catch {
            throw CertificateError(
                description:
                    "\(files.certificate) with the key \(files.key) is no certificate to serve by: \(error)"
            )
        }
    }

    private static func reloader(
        _ files: CertificateFiles, _ log: Logger
    ) throws -> TimedCertificateReloader {
        try TimedCertificateReloader.makeReloaderValidatingSources(
            configuration: TimedCertificateReloader.Configuration(
                refreshInterval: files.reloadInterval,
                certificateSource: .init(location: .file(path: files.certificate), format: .pem),
                privateKeySource: .init(location: .file(path: files.key), format: .pem)
            ) { configuration in
                configuration.onCertificateLoaded = { change in
                    guard let former = change.previousX509CertificateChain?.first,
                        former != change.currentX509CertificateChain.first
                    else { return }
                    log.info("the certificate was renewed")
                }
                configuration.onCertificateLoadFailed = { failure in
                    log.error(
                        "the certificate was not read again, and the former one stays: \(failure.error)"
                    )
                }
            })
    }

    func configuration() throws -> TLSConfiguration {
        var configuration = try TLSConfiguration.makeServerConfiguration(
            certificateReloader: reloader)
        configuration.minimumTLSVersion = .tlsv12
        return configuration
    }

    /// Looks at the files until the server stops.
    func run() async throws { try await reloader.run() }
}
