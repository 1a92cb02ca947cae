/// Reads percent-encoded parts of a URL.
enum QueryText {
    /// The parameters of a query, in their order.
    /// - Throws: `Problem` for what is no UTF-8 once decoded.
    static func parameters(_ query: String) throws -> [(name: String, value: String)] {
        try query.split(separator: "&", omittingEmptySubsequences: true).map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (
                try decoded(parts[0], plusIsSpace: true),
                parts.count > 1 ? try decoded(parts[1], plusIsSpace: true) : ""
            )
        }
    }

    /// - Parameter plusIsSpace: In queries, as forms encode them; a time zone's `+` must come as `%2B` there.
    static func decoded(_ text: some StringProtocol, plusIsSpace: Bool = false) throws -> String {
        var bytes: [UInt8] = []
        var rest = text.utf8.makeIterator()
        while let byte = rest.next() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = rest.next().flatMap(digit), let low = rest.next().flatMap(digit)
                else { throw undecodable(text) }
                bytes.append(high << 4 | low)
            case UInt8(ascii: "+") where plusIsSpace: bytes.append(UInt8(ascii: " "))
            default: bytes.append(byte)
            }
        }
        guard let decoded = String(validating: bytes, as: UTF8.self), !decoded.utf8.contains(0)
        else { throw undecodable(text) }
        return decoded
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    private static func undecodable(_ text: some StringProtocol) -> Problem {
        .badRequest(
            "bad_url",
            "a part of the URL is not percent-encoded UTF-8 without U+0000: \(text.prefix(64))")
    }
}
