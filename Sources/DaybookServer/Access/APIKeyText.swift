// The text of a key, 64 characters:
//
//   "daybook_"      8  so that scanners for secrets know it
//   id             12  lower-case hexadecimal, 6 random bytes: names the key in lists, logs and events
//   "_"             1
//   secret         43  base64url (RFC 4648 §5) of 32 random bytes

import DaybookEvents
import DaybookIngest

/// A key as it is given out, once.
struct APIKeyText {
    static let prefix = "daybook_"
    private static let idCount = 12
    private static let secretCount = 43

    let id: String
    /// 32 bytes.
    let secret: [UInt8]

    static func random() -> APIKeyText {
        var numbers = SystemRandomNumberGenerator()
        func bytes(_ count: Int) -> [UInt8] {
            (0..<count).map { _ in UInt8.random(in: 0...255, using: &numbers) }
        }
        return APIKeyText(id: Digest.hexadecimal(bytes(6)), secret: bytes(32))
    }

    var text: String { "\(Self.prefix)\(id)_\(Base64.encode(secret, .url))" }

    /// What is kept of the secret. It is random, so a plain digest is as good as a slow one.
    var digest: [UInt8] { Digest.sha256(secret) }
}

extension APIKeyText {
    /// `nil` for what is no key of ours.
    init?(_ text: some StringProtocol) {
        let parts = text.dropFirst(Self.prefix.count).split(
            separator: "_", maxSplits: 1, omittingEmptySubsequences: false)
        guard text.hasPrefix(Self.prefix), parts.count == 2,
            parts[0].utf8.count == Self.idCount, parts[1].utf8.count == Self.secretCount,
            let secret = Base64.decode(String(parts[1]), .url)
        else { return nil }
        self.init(id: String(parts[0]), secret: secret)
    }
}
