import Crypto
import DaybookServer
import Foundation
import InMemoryLogging
import Logging
import NIOSSL
import Testing
import X509

@Suite("TLS, and connections from proxies alone")
struct TLSTests {
    /// A certificate that signs itself, for `localhost`.
    private struct Certificate {
        let pem: String
        let keyPEM: String

        init() throws {
            let key = P256.Signing.PrivateKey()
            let name = try DistinguishedName { CommonName("localhost") }
            let now = Date.now
            let certificate = try X509.Certificate(
                version: .v3, serialNumber: X509.Certificate.SerialNumber(),
                publicKey: X509.Certificate.PublicKey(key.publicKey),
                notValidBefore: now - 3_600, notValidAfter: now + 3_600,
                issuer: name, subject: name, signatureAlgorithm: .ecdsaWithSHA256,
                extensions: try X509.Certificate.Extensions {
                    Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
                    SubjectAlternativeNames([.dnsName("localhost")])
                }, issuerPrivateKey: X509.Certificate.PrivateKey(key))
            pem = try certificate.serializeAsPEM().pemString
            keyPEM = key.pemRepresentation
        }

        /// What a client that believes this certificate alone connects by.
        func context(atMost version: TLSVersion? = nil) throws -> NIOSSLContext {
            var configuration = TLSConfiguration.makeClientConfiguration()
            configuration.trustRoots = .certificates(
                try NIOSSLCertificate.fromPEMBytes(Array(pem.utf8)))
            configuration.minimumTLSVersion = .tlsv1
            configuration.maximumTLSVersion = version
            return try NIOSSLContext(configuration: configuration)
        }
    }

    /// The two files, in a folder that goes away with the test.
    private final class Files: Sendable {
        let folder: String
        var certificate: String { folder + "/certificate.pem" }
        var key: String { folder + "/key.pem" }

        init() throws {
            folder =
                FileManager.default.temporaryDirectory.appending(path: "daybook-tls-\(UUID())")
                .path
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true)
        }

        deinit {
            // A test that already failed must not fail again for leaving something behind.
            try? FileManager.default.removeItem(atPath: folder)
        }

        func write(_ certificate: Certificate, keyOf other: Certificate? = nil) throws {
            try (other ?? certificate).keyPEM.write(toFile: key, atomically: true, encoding: .utf8)
            try certificate.pem.write(
                toFile: self.certificate, atomically: true, encoding: .utf8)
        }

        var options: ServerOptions {
            var options = ServerOptions()
            options.certificate = CertificateFiles(certificate: certificate, key: key)
            options.certificate?.reloadInterval = .milliseconds(20)
            return options
        }
    }

    private static func status(_ bench: ServerBench, _ certificate: Certificate) async -> Int? {
        // A handshake that fails is what some of the tests want.
        guard let context = try? certificate.context() else { return nil }
        return try? await bench.client.over(context).send(.GET, "/ready").status
    }

    @Test("A certificate is used, renewed without a restart, and kept where its files do not fit")
    func renewed() async throws {
        let (first, second) = (try Certificate(), try Certificate())
        let files = try Files()
        try files.write(first)
        let lines = InMemoryLogHandler()
        var log = Logger(label: "tls") { _ in lines }
        log.logLevel = .info
        try await ServerBench.serving(options: files.options, log: log) { bench in
            #expect(await Self.status(bench, first) == 200)
            // Who believes another certificate gets no answer, and neither does who sends in clear text.
            #expect(await Self.status(bench, second) == nil)
            let plain = try await bench.client.raw([Array("GET /ready HTTP/1.1\r\n\r\n".utf8)])
            #expect(!plain.hasPrefix("HTTP/1.1 200"))

            try files.write(first, keyOf: second)
            try await ServerBench.eventually {
                lines.entries.contains { "\($0.message)".contains("was not read again") }
            }
            #expect(await Self.status(bench, first) == 200)

            try files.write(second)
            try await ServerBench.eventually { await Self.status(bench, second) == 200 }
            #expect(await Self.status(bench, first) == nil)
            #expect(lines.entries.contains { "\($0.message)" == "the certificate was renewed" })
        }
    }

    @Test("The cookie of a session is for TLS alone where the server speaks it")
    func cookie() async throws {
        let certificate = try Certificate()
        let files = try Files()
        try files.write(certificate)
        try await ServerBench.serving(options: files.options) { bench in
            let (_, text) = try bench.keys.create(
                [.support], app: "dozzi", label: "page", by: "test", now: 0)
            let client = bench.client.over(try certificate.context())
            let reply = try await client.send(
                .POST, "/sign-in", headers: [("content-type", "application/x-www-form-urlencoded")],
                body: Array("key=\(text)".utf8))
            let cookie = try #require(reply.headers["set-cookie"])
            #expect(cookie.hasPrefix("__Host-daybook-session") && cookie.hasSuffix("; Secure"))
            let own = String(cookie.prefix { $0 != ";" })
            let page = try await client.send(.GET, "/apps/dozzi", headers: [("cookie", own)])
            #expect(page.status == 200)
        }
    }

    @Test("TLS below 1.2 is refused")
    func versions() async throws {
        let certificate = try Certificate()
        let files = try Files()
        try files.write(certificate)
        try await ServerBench.serving(options: files.options) { bench in
            for (version, isTaken) in [(TLSVersion.tlsv11, false), (.tlsv12, true)] {
                let client = bench.client.over(try certificate.context(atMost: version))
                // The error of a refused handshake is of the other end's choosing.
                let reply = try? await client.send(.GET, "/ready")
                #expect((reply?.status == 200) == isTaken, "\(version)")
            }
        }
    }

    @Test("A pair of files that does not fit is refused at the start")
    func wrongPair() async throws {
        let files = try Files()
        try files.write(try Certificate(), keyOf: try Certificate())
        do {
            try await ServerBench.serving(options: files.options) { _ in }
            Issue.record("It served.")
        } catch is DaybookServer.CertificateError {}
    }

    @Test("Behind a proxy no other address gets an answer")
    func proxies() async throws {
        var options = ServerOptions()
        options.proxies = [try #require(AddressRange("10.0.0.0/8"))]
        try await ServerBench.serving(options: options) { bench in
            let reply = try await bench.client.raw([Array("GET /ready HTTP/1.1\r\n\r\n".utf8)])
            #expect(reply == "")
        }
        options.proxies.append(try #require(AddressRange("127.0.0.0/8")))
        try await ServerBench.serving(options: options) { bench in
            let reply = try await bench.client.send(.GET, "/ready")
            #expect(reply.status == 200)
        }
    }

    @Test(
        "What is a range of addresses",
        arguments: [
            ("10.0.0.0/8", true), ("::1", true), ("fd00::/8", true), ("0.0.0.0/0", true),
            ("10.0.0.0/33", false), ("10.0.0.0/-1", false), ("10.0.0.0/", false), ("", false),
            ("localhost", false), ("10.0.0", false), ("/8", false), ("::1/129", false),
        ])
    func ranges(text: String, isOne: Bool) {
        #expect((AddressRange(text) != nil) == isOne)
    }
}
