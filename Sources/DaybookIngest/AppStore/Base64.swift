/// Base64 as RFC 4648 defines it, read strictly: one text for each sequence of bytes.
enum Base64 {
    enum Alphabet {
        /// RFC 4648 §4, padded to a multiple of four.
        case standard
        /// RFC 4648 §5 without padding, as JSON Web Signatures use it (RFC 7515 §2).
        case url
    }

    /// The bytes; `nil` for a foreign character, wrong padding, or bits that no byte is made of.
    static func decode(_ text: some Sequence<UInt8>, _ alphabet: Alphabet) -> [UInt8]? {
        var characters = Array(text)
        if alphabet == .standard {
            guard characters.count % 4 == 0 else { return nil }
            var padding = 0
            while padding < 2, characters.last == UInt8(ascii: "=") {
                characters.removeLast()
                padding += 1
            }
        }
        guard characters.count % 4 != 1 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(characters.count * 3 / 4)
        var bits: UInt32 = 0
        var bitCount = 0
        for character in characters {
            guard let value = value(of: character, alphabet) else { return nil }
            bits = bits << 6 | UInt32(value)
            bitCount += 6
            if bitCount >= 8 {
                bitCount -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(bitCount)))
                bits &= (1 << UInt32(bitCount)) - 1
            }
        }
        // Left-over bits that are set would be a second spelling of the same bytes.
        return bits == 0 ? bytes : nil
    }

    /// The text without padding in the URL alphabet, with padding in the standard one.
    static func encode(_ bytes: [UInt8], _ alphabet: Alphabet) -> String {
        let digits = Array(
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)
            + Array((alphabet == .url ? "-_" : "+/").utf8)
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            var bits = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            bits <<= UInt32(8 * (3 - group.count))
            for index in 0..<4 {
                if index <= group.count {
                    text.append(digits[Int(bits >> UInt32(18 - 6 * index) & 63)])
                } else if alphabet == .standard {
                    text.append(UInt8(ascii: "="))
                }
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static func value(of character: UInt8, _ alphabet: Alphabet) -> UInt8? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0") + 52
        case UInt8(ascii: "+") where alphabet == .standard: 62
        case UInt8(ascii: "/") where alphabet == .standard: 63
        case UInt8(ascii: "-") where alphabet == .url: 62
        case UInt8(ascii: "_") where alphabet == .url: 63
        default: nil
        }
    }
}
