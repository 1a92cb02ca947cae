/// How a server runs.
public struct ServerOptions: Sendable {
    /// Where it listens; `0.0.0.0` or `::` for all addresses of the machine.
    public var host = "127.0.0.1"
    /// 0: any free one.
    public var port = 8_080
    /// The most connections at once; further ones wait until one ends.
    public var connectionsMax = 4_096
    /// The most streams of changes at once.
    public var streamsMax = 1_000
    /// How long the bytes of a request may take from the first header's end to the last byte.
    public var requestTimeMax = Duration.seconds(30)
    /// How long a connection may be open without a request, or without an end of its headers.
    public var idleTimeMax = Duration.seconds(60)
    /// How long a client may leave bytes untaken that are written for it, once 64 KiB of them wait.
    public var writeTimeMax = Duration.seconds(30)
    /// How long a stop waits for requests that were begun.
    public var stopTimeMax = Duration.seconds(10)

    /// Requests a second that a key may send on average over ten seconds; `nil`: as many as it likes.
    public var keyRateMax: Int64? = 5_000
    /// The same of one customer's client.
    public var customerRateMax: Int64? = 20
    /// Whose web pages may ask from a browser, such as `https://app.example`.
    public var origins: [String] = []

    /// Only connections from these are taken; empty: from anywhere.
    public var proxies: [AddressRange] = []
    /// `nil`: without TLS.
    public var certificate: CertificateFiles?

    /// A server for this machine alone, on port 8080 and without TLS.
    public init() {}

    /// The files that connections, ledgers and what lies beside them need.
    public var openFilesMax: Int { connectionsMax + 1_024 }
}
