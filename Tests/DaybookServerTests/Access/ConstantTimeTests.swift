import Crypto
import DaybookServer
import Foundation
import Testing

/// What stands between a wrong secret and everything else.
@Suite("Secrets are compared whole")
struct ConstantTimeTests {
    private static func digest(_ text: String) -> [UInt8] {
        Array(SHA256.hash(data: Data(text.utf8)))
    }

    @Test("Only the same bytes are the same, whichever bit is another one")
    func bits() {
        let secret = Self.digest("secret")
        #expect(ConstantTime.areEqual(secret, secret))
        for bit in 0..<secret.count * 8 {
            var other = secret
            other[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(!ConstantTime.areEqual(secret, other), "bit \(bit)")
        }
        #expect(!ConstantTime.areEqual(secret, []))
        #expect(!ConstantTime.areEqual(secret, Array(secret.dropLast())))
        #expect(ConstantTime.areEqual([], []))
    }

    @Test("Of a hundred thousand guesses none is right")
    func guesses() {
        let secret = Self.digest("secret")
        var right = 0
        for guess in 0..<100_000 where ConstantTime.areEqual(secret, Self.digest("\(guess)")) {
            right += 1
        }
        #expect(right == 0)
    }
}
