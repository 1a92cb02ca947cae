/// Base64 as RFC 4648 defines it, read strictly: one text for each sequence of bytes.
package enum Base64 {
    package enum Alphabet: Sendable {
        /// RFC 4648 §4, padded to a multiple of four.
        case standard
        /// RFC 4648 §5 without padding, as JSON Web Signatures use it (RFC 7515 §2).
        case url
    }

    /// The bytes; `nil` for a foreign character, wrong padding, or bits that no byte is made of.
    package static func decode(_ text: String, _ alphabet: Alphabet) -> [UInt8]? {
        var text = text
        return text.withUTF8 { decode($0, alphabet) }
    }

    /// The bytes; `nil` for a foreign character, wrong padding, or bits that no byte is made of.
    package static func decode(_ text: ArraySlice<UInt8>, _ alphabet: Alphabet) -> [UInt8]? {
        text.withUnsafeBufferPointer { decode($0, alphabet) }
    }

    private static func decode(
        _ text: UnsafeBufferPointer<UInt8>, _ alphabet: Alphabet
    ) -> [UInt8]? {
        let count = text.count - paddingCount(text, alphabet)
        guard alphabet == .url || text.count % 4 == 0, count % 4 != 1 else { return nil }
        // Without capacity the standard library writes into the one empty array that all threads share.
        guard count > 0 else { return [] }
        var isGood = true
        let bytes = [UInt8](unsafeUninitializedCapacity: count * 3 / 4) { output, byteCount in
            let values = alphabet == .url ? urlValues : standardValues
            isGood = values.withUnsafeBufferPointer { values in
                fill(output, from: text, count, values)
            }
            // All of the capacity was written, or nothing of it is handed out.
            byteCount = isGood ? output.count : 0
        }
        return isGood ? bytes : nil
    }

    private static func paddingCount(
        _ text: UnsafeBufferPointer<UInt8>, _ alphabet: Alphabet
    ) -> Int {
        guard alphabet == .standard, text.last == UInt8(ascii: "=") else { return 0 }
        return text.count >= 2 && text[text.count - 2] == UInt8(ascii: "=") ? 2 : 1
    }

    /// Invariant: `output` has space for exactly the bytes of `count` characters, and `values` has 256 entries.
    private static func fill(
        _ output: UnsafeMutableBufferPointer<UInt8>, from text: UnsafeBufferPointer<UInt8>,
        _ count: Int, _ values: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        // Of foreign characters, the two highest bits remain here.
        var seen: UInt8 = 0
        var from = 0
        var to = 0
        while from + 4 <= count {
            let first = values[Int(text[from])]
            let second = values[Int(text[from + 1])]
            let third = values[Int(text[from + 2])]
            let fourth = values[Int(text[from + 3])]
            seen |= first | second | third | fourth
            output[to] = first << 2 | second >> 4
            output[to + 1] = second << 4 | third >> 2
            output[to + 2] = third << 6 | fourth
            from += 4
            to += 3
        }
        guard from < count else { return seen < 64 }
        let first = values[Int(text[from])]
        let second = values[Int(text[from + 1])]
        output[to] = first << 2 | second >> 4
        seen |= first | second
        // Left-over bits that are set would be a second spelling of the same bytes.
        guard count - from == 3 else { return seen < 64 && second & 15 == 0 }
        let third = values[Int(text[from + 2])]
        output[to + 1] = second << 4 | third >> 2
        seen |= third
        return seen < 64 && third & 3 == 0
    }

    /// The text without padding in the URL alphabet, with padding in the standard one.
    package static func encode(_ bytes: [UInt8], _ alphabet: Alphabet) -> String {
        let digits = alphabet == .url ? urlDigits : standardDigits
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

    private static let standardDigits = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let urlDigits = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    private static let standardValues = values(standardDigits)
    private static let urlValues = values(urlDigits)

    /// What each byte stands for; 255 for those that are no digits.
    private static func values(_ digits: [UInt8]) -> [UInt8] {
        var values = [UInt8](repeating: 255, count: 256)
        for (value, digit) in digits.enumerated() { values[Int(digit)] = UInt8(value) }
        return values
    }
}
