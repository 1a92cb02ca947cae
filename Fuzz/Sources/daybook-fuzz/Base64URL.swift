import Foundation

/// Base64url without padding (RFC 4648 §5).
func base64URL(_ bytes: [UInt8]) -> String {
    Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
        .replacing("=", with: "")
}

/// - Returns: Nothing for what is not base64url.
func bytes(ofBase64URL text: Substring) -> [UInt8] {
    var standard = text.replacing("-", with: "+").replacing("_", with: "/")
    standard += String(repeating: "=", count: (4 - standard.count % 4) % 4)
    return Array(Data(base64Encoded: String(standard)) ?? Data())
}
