import DaybookDomain
import Testing

@Suite("Digests as texts")
struct StateDigestTests {
    private static let text = String(repeating: "0123456789abcdef", count: 4)

    @Test("A digest reads the text that it wrote")
    func roundTrip() throws {
        let digest = try #require(StateDigest(Self.text))
        #expect(digest.description == Self.text)
        #expect(StateDigest(Self.text.uppercased()) == digest)
        #expect(digest != StateDigest())
        #expect(StateDigest(String(repeating: "0", count: 64)) == StateDigest())
    }

    @Test(
        "What is not 64 hexadecimal digits is no digest",
        arguments: ["+", "-", "g", "/", ":", "@", "`", "G", " ", "\u{e9}"])
    func refused(_ character: String) {
        let digits = Self.text.dropFirst(character.utf8.count)
        for place in [0, 15, 16, 48, digits.count] {
            let text = digits.prefix(place) + character + digits.dropFirst(place)
            #expect(text.utf8.count == 64)
            #expect(StateDigest(String(text)) == nil)
        }
    }

    @Test("A digit more or less is no digest")
    func length() {
        #expect(StateDigest(String(Self.text.dropLast())) == nil)
        #expect(StateDigest(Self.text + "0") == nil)
        #expect(StateDigest("") == nil)
    }
}
