import Crypto
public import DaybookEvents

/// A hash chain over numbered things that only grow: the names of a ledger, or its streams.
public struct HistoryChain: Sendable, Hashable {
    /// How many links there are.
    public private(set) var count: Int64
    /// Of the last link; zeros before the first.
    public private(set) var hash: HistoryHash

    /// Goes on from a known link; the defaults begin a chain.
    public init(count: Int64 = 0, hash: HistoryHash = .zero) {
        self.count = count
        self.hash = hash
    }

    /// SHA-256 of 0x20, the link before and the name's UTF-8.
    public mutating func append(name: String) {
        var name = name
        name.withUTF8 { append(0x20, UnsafeRawBufferPointer($0)) }
    }

    /// SHA-256 of 0x21, the link before, environment (1), kind (1) and number of the name (4, little-endian).
    public mutating func append(stream: StreamRecord) {
        var bytes = [stream.environment.rawValue, stream.kind.rawValue]
        withUnsafeBytes(of: stream.name.littleEndian) { bytes += $0 }
        bytes.withUnsafeBytes { append(0x21, $0) }
    }

    private mutating func append(_ tag: UInt8, _ bytes: UnsafeRawBufferPointer) {
        var digest = SHA256()
        withUnsafeBytes(of: tag) { digest.update(bufferPointer: $0) }
        hash.withBytes { digest.update(bufferPointer: $0) }
        digest.update(bufferPointer: bytes)
        hash = HistoryHash(digest.finalize())
        count += 1
    }
}
