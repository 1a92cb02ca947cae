import DaybookEvents
import DaybookIngest
import DaybookServer

/// Texts that cannot be guessed.
enum RandomText {
    /// base64url (RFC 4648 §5) of 32 random bytes.
    static func make() -> String {
        var numbers = SystemRandomNumberGenerator()
        let bytes = (0..<32).map { _ in UInt8.random(in: 0...255, using: &numbers) }
        return Base64.encode(bytes, .url)
    }

    static func digest(_ text: String) -> [UInt8] { Digest.sha256(text.utf8) }

    /// Compares by digests, in a time that does not tell where they differ.
    static func areEqual(_ left: String, _ right: String) -> Bool {
        ConstantTime.areEqual(digest(left), digest(right))
    }
}
