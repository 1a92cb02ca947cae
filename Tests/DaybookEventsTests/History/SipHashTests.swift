import DaybookEvents
import Testing

/// The keyed hash against the vectors of its authors (https://github.com/veorq/SipHash, vectors.h).
struct SipHashTests {
    /// Bytes 00 to 0f.
    private static let key = SipHash.Key(low: 0x0706_0504_0302_0100, high: 0x0F0E_0D0C_0B0A_0908)

    private static func bytes(_ count: Int) -> [UInt8] { (0..<count).map { UInt8($0) } }

    @Test(
        "64 bits are those of the reference",
        arguments: [
            (0, 0x726F_DB47_DD0E_0E31), (1, 0x74F8_39C5_93DC_67FD), (7, 0xAB02_00F5_8B01_D137),
            (8, 0x93F5_F579_9A93_2462), (15, 0xA129_CA61_49BE_45E5),
        ] as [(Int, UInt64)])
    func narrow(count: Int, expected: UInt64) {
        let found = Self.bytes(count).withUnsafeBytes { SipHash.hash64(Self.key, $0) }
        #expect(found == expected)
    }

    @Test("128 bits of nothing are those of the reference")
    func wide() {
        let found = [UInt8]().withUnsafeBytes { SipHash.hash128(Self.key, $0) }
        // a3817f04ba25a8e66df67214c7550293
        #expect(found.low == 0xE6A8_25BA_047F_81A3)
        #expect(found.high == 0x9302_55C7_1472_F66D)
    }

    @Test("Three words hash as their 24 bytes do, and another key gives another hash")
    func words() {
        let found = SipHash.hash64(
            Self.key, 0x0706_0504_0302_0100, 0x0F0E_0D0C_0B0A_0908, 0x1716_1514_1312_1110)
        let expected = Self.bytes(24).withUnsafeBytes { SipHash.hash64(Self.key, $0) }
        #expect(found == expected)
        let other = SipHash.Key(low: Self.key.low ^ 1, high: Self.key.high)
        #expect(Self.bytes(24).withUnsafeBytes { SipHash.hash64(other, $0) } != expected)
    }
}
