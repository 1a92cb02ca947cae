import Crypto
import DaybookEvents
import DaybookTesting
import Testing

@Suite("References")
struct ReferenceTests {
    /// Of every variant and version, and with every pattern of the bits that change places.
    static let uuids: [String] = {
        var texts = [
            "00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff",
        ]
        for variant in "0123456789abcdef" {
            for end in ["00", "3f", "40", "7f", "80", "bf", "c0", "ff"] {
                texts.append("0f3c2a6e-7d51-4c9b-\(variant)f2e-1a2b3c4d5e\(end)")
            }
        }
        return texts
    }()

    @Test("Every UUID has a reference of its own, whether from text or from its bytes")
    func uuidsAreExact() throws {
        #expect(Set(Self.uuids.map { Reference($0) }).count == Self.uuids.count)
        for text in Self.uuids {
            let halves = try #require(UUIDText.parse(text))
            #expect(Reference(uuid: halves) == Reference(text))
            #expect(UUIDText.format(halves) == text)
        }
    }

    @Test("A UUID made of the digest of a long text is another reference than the text")
    func noCollision() throws {
        var random = SplitMix64(seed: 7)
        for _ in 0..<200 {
            let text = "transaction-\(random.next())-\(random.next())"
            let digest = Array(SHA256.hash(data: Array(text.utf8)))
            func half(_ bytes: ArraySlice<UInt8>) -> UInt64 {
                bytes.reduce(0) { $0 << 8 | UInt64($1) }
            }
            let reference = Reference(text)
            // The digest's own bits, the reference's bits, and those with the two places changed back.
            let (high, low) = (half(digest[0..<8]), half(digest[8..<16]))
            for candidate in [
                (high, low), (high, low & ~0x80), (reference.high, reference.low),
                (high, low & ~0xC0 | 0x80 | 1 << 63),
                (high, low & 0x3FFF_FFFF_FFFF_FF3F | 1 << 63 | (low >> 56) & 0xC0),
            ] {
                #expect(Reference(uuid: candidate) != reference)
            }
            #expect(!reference.isExact)
        }
    }

    @Test(
        "A version 4 key is its own bits and is not hashed: all of its 122 random bits can be read back"
    )
    func packed() {
        var random = SplitMix64(seed: 8)
        for _ in 0..<200 {
            let high = random.next() & 0xFFFF_FFFF_FFFF_0FFF | 0x4000
            let low = random.next() & 0x3FFF_FFFF_FFFF_FFFF | 1 << 63
            let reference = Reference(uuid: (high, low))
            #expect(reference.high == high)
            let back =
                reference.low & 0x3FFF_FFFF_FFFF_FF3F | 1 << 63 | (reference.low >> 56) & 0xC0
            #expect(back == low)
        }
    }

    @Test("Text of at most 15 bytes is there itself, and ordered by its bytes")
    func short() {
        let texts = ["", "a", "a\u{0}", "ab", "é", "e\u{301}", "fifteen bytes !", "zz"]
        #expect(Set(texts.map { Reference($0) }).count == texts.count)
        for text in texts {
            #expect(haveSameBytes(Reference(text).exactText, text))
        }
        #expect(Reference.isOrdered(Reference("a"), before: Reference("b")) == true)
        #expect(Reference.isOrdered(Reference("a"), before: Reference("sixteen bytes !!")) == nil)
    }

    @Test("The bytes of a short text stand in their places, of every length", arguments: 0...15)
    func places(_ count: Int) {
        let bytes = (0..<count).map { UInt8(0x61 + $0) }
        var whole = bytes + [UInt8](repeating: 0, count: 16 - count)
        whole[15] = UInt8(count)
        let expected = [whole[..<8], whole[8...]].map { half in
            half.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        }
        let reference = Reference(String(decoding: bytes, as: UTF8.self))
        #expect([reference.high, reference.low] == expected)
    }

    @Test("Whether a text is there is told as the text itself tells it")
    func hasText() {
        let texts = [
            "", "a", "fifteen bytes !", "sixteen bytes !!", "7B9F0C1E-0000-4000-8000-00000000000A",
            "7b9f0c1e-0000-4000-8000-00000000000a", "7b9f0c1e-0000-4000-c000-00000000000a",
            String(repeating: "x", count: 300),
        ]
        let told = texts.map { Reference($0).hasText }
        #expect(told == texts.map { Reference($0).text != nil })
        #expect(told == [true, true, true, false, false, true, false, false])
    }
}
