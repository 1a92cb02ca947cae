import DaybookIngest
import Testing

@Suite("Base64")
struct Base64Tests {
    /// RFC 4648 §10.
    static let examples: [(String, String)] = [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
        ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
    ]

    @Test("The examples of RFC 4648 read and write", arguments: examples)
    func readsAndWrites(_ plain: String, _ encoded: String) {
        let bytes = Array(plain.utf8)
        #expect(Base64.encode(bytes, .standard) == encoded)
        #expect(Base64.decode(encoded, .standard) == bytes)
        let unpadded = encoded.filter { $0 != "=" }
        #expect(Base64.encode(bytes, .url) == unpadded)
        #expect(Base64.decode(unpadded, .url) == bytes)
    }

    @Test("Every byte in every place comes back, in both alphabets")
    func roundTrip() {
        for count in 1...7 {
            for byte in UInt8.min...UInt8.max {
                let bytes = (0..<count).map { byte &+ UInt8(truncatingIfNeeded: $0 * 67) }
                for alphabet in [Base64.Alphabet.standard, .url] {
                    #expect(Base64.decode(Base64.encode(bytes, alphabet), alphabet) == bytes)
                }
            }
        }
        #expect(Base64.encode([0xFB, 0xEF, 0xFF], .url) == "--__")
        #expect(Base64.encode([0xFB, 0xEF, 0xFF], .standard) == "++//")
    }

    @Test(
        "Every other spelling is refused",
        arguments: [
            ("Zg", .standard), ("Zg=", .standard), ("Zg===", .standard), ("=Zg=", .standard),
            ("Zg==\n", .standard), ("Zm 9v", .standard), ("Z===", .standard), ("====", .standard),
            ("=", .standard), ("Zh==", .standard), ("Zm9=", .standard), ("--__", .standard),
            ("Zg==Zg==", .standard), ("Zm9v=", .standard), ("Zé==", .standard),
            ("Zg==", .url), ("Zm8=", .url), ("Z", .url), ("Zm9vY", .url), ("Zh", .url),
            ("Zm9", .url), ("++//", .url), ("Zm9v\n", .url), (" Zm9v", .url), ("Zm.v", .url),
            ("\u{0}m9v", .url), ("Zmé", .url),
        ] as [(String, Base64.Alphabet)])
    func refused(_ text: String, _ alphabet: Base64.Alphabet) {
        #expect(Base64.decode(text, alphabet) == nil)
    }
}
