/// An address of a page: a path and its parameters, encoded (RFC 3986 §3.3, §3.4).
package struct Link {
    package let text: String

    /// - Parameter parameters: Those without a value are left out.
    package init(_ path: String, _ parameters: [(String, String?)] = []) {
        let pairs = parameters.compactMap { name, value in
            value.map { "\(name)=\(Self.encoded($0))" }
        }
        text = pairs.isEmpty ? path : path + "?" + pairs.joined(separator: "&")
    }

    /// One part of a path or one value, with everything but unreserved characters encoded.
    package static func encoded(_ text: String) -> String {
        var encoded = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"), UInt8(ascii: "~"):
                encoded.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                encoded += digits.utf8.count == 1 ? "%0\(digits)" : "%\(digits)"
            }
        }
        // A part that is "." or ".." would be taken for a step through the path.
        return text == "." || text == ".." ? text.replacing(".", with: "%2E") : encoded
    }
}

/// Where pages are.
enum Paths {
    static let signIn = "/sign-in"
    static let signOut = "/sign-out"
    static let open = "/open"

    static func app(_ app: String) -> String { "/apps/\(Link.encoded(app))" }

    static func customer(_ app: String, _ subject: String) -> String {
        "\(self.app(app))/customers/\(Link.encoded(subject))"
    }
}
