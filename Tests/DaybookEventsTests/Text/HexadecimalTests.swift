import DaybookEvents
import Testing

@Suite("Bytes as hexadecimal digits")
struct HexadecimalTests {
    @Test("Digits of either case are read, and what was written is read back")
    func digits() {
        #expect(Digest.bytes(hexadecimal: "") == [])
        #expect(Digest.bytes(hexadecimal: "00ff7Fa0") == [0, 255, 127, 160])
        let all = (0...255).map { UInt8($0) }
        #expect(Digest.bytes(hexadecimal: Digest.hexadecimal(all)) == all)
    }

    @Test(
        "A sign, a blank or half a byte is none",
        arguments: ["+f", "-0", "f+", "0-", " 1", "g0", "0", "123", "\u{e9}"])
    func refused(_ text: String) {
        #expect(Digest.bytes(hexadecimal: text) == nil)
    }

    @Test("A ledger's secret is 64 digits and no sign")
    func secret() throws {
        let text = String(repeating: "0f", count: 32)
        let secret = try #require(LedgerSecret(hexadecimal: text))
        #expect(secret.hexadecimal == text)
        for other in ["+f" + text.dropFirst(2), "-0" + text.dropFirst(2), text + "00", "0f"] {
            #expect(LedgerSecret(hexadecimal: other) == nil)
        }
    }

    @Test("A reference without its text is shown in 32 digits, so that no two look alike")
    func references() {
        let first = Reference(high: 0x1, low: 0x23)
        let second = Reference(high: 0x12, low: 0x3)
        #expect(first.hexadecimal == "00000000000000010000000000000023")
        #expect(first.hexadecimal != second.hexadecimal)
    }
}
