/// SipHash-2-4 (Aumasson and Bernstein 2012): a keyed hash of short inputs that cannot be steered without the key.
///
/// Why not the standard library's: `Hasher` has another key in every process, and these hashes stand in files.
public struct SipHash: Sendable {
    /// The 128-bit key.
    public struct Key: Sendable, Hashable {
        /// Bytes 0 to 7 of the key, little-endian.
        public var low: UInt64
        /// Bytes 8 to 15 of the key, little-endian.
        public var high: UInt64

        /// Creates a key from its two halves.
        public init(low: UInt64, high: UInt64) {
            self.low = low
            self.high = high
        }
    }

    private var v0: UInt64
    private var v1: UInt64
    private var v2: UInt64
    private var v3: UInt64

    private init(_ key: Key, isWide: Bool) {
        v0 = key.low ^ 0x736F_6D65_7073_6575
        v1 = key.high ^ 0x646F_7261_6E64_6F6D ^ (isWide ? 0xEE : 0)
        v2 = key.low ^ 0x6C79_6765_6E65_7261
        v3 = key.high ^ 0x7465_6462_7974_6573
    }

    @inline(__always)
    private mutating func round() {
        v0 = v0 &+ v1
        v1 = (v1 << 13 | v1 >> 51) ^ v0
        v0 = v0 << 32 | v0 >> 32
        v2 = v2 &+ v3
        v3 = (v3 << 16 | v3 >> 48) ^ v2
        v0 = v0 &+ v3
        v3 = (v3 << 21 | v3 >> 43) ^ v0
        v2 = v2 &+ v1
        v1 = (v1 << 17 | v1 >> 47) ^ v2
        v2 = v2 << 32 | v2 >> 32
    }

    @inline(__always)
    private mutating func take(_ word: UInt64) {
        v3 ^= word
        round()
        round()
        v0 ^= word
    }

    /// The last four rounds and what they leave.
    @inline(__always)
    private mutating func finish() -> UInt64 {
        for _ in 0..<4 { round() }
        return v0 ^ v1 ^ v2 ^ v3
    }

    private mutating func take(_ bytes: UnsafeRawBufferPointer) {
        var index = 0
        while index + 8 <= bytes.count {
            take(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)))
            index += 8
        }
        var last = UInt64(truncatingIfNeeded: bytes.count) << 56
        var shift: UInt64 = 0
        while index < bytes.count {
            last |= UInt64(bytes[index]) << shift
            shift += 8
            index += 1
        }
        take(last)
    }

    /// 64 bits of some bytes.
    public static func hash64(_ key: Key, _ bytes: UnsafeRawBufferPointer) -> UInt64 {
        var state = SipHash(key, isWide: false)
        state.take(bytes)
        state.v2 ^= 0xFF
        return state.finish()
    }

    /// 64 bits of three words, as of their 24 bytes in little-endian order.
    public static func hash64(
        _ key: Key, _ first: UInt64, _ second: UInt64, _ third: UInt64
    ) -> UInt64 {
        var state = SipHash(key, isWide: false)
        state.take(first)
        state.take(second)
        state.take(third)
        state.take(24 << 56)
        state.v2 ^= 0xFF
        return state.finish()
    }

    /// 128 bits of some bytes; `low` are the first eight.
    public static func hash128(
        _ key: Key, _ bytes: UnsafeRawBufferPointer
    ) -> (low: UInt64, high: UInt64) {
        var state = SipHash(key, isWide: true)
        state.take(bytes)
        state.v2 ^= 0xEE
        let low = state.finish()
        state.v1 ^= 0xDD
        return (low, state.finish())
    }
}
