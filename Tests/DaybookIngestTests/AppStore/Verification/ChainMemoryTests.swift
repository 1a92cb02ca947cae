import DaybookIngest
import Testing

/// What is remembered saves time and decides nothing.
@Suite("Remembered chains")
struct ChainMemoryTests {
    @Test("One chain is remembered once, however many payloads come with it")
    func once() throws {
        let authority = try Sandbox.authority()
        let verifier = try Sandbox.verifier(authority)
        #expect(verifier.rememberedCount == 0)
        for _ in 0..<3 {
            let text = try authority.sign(Sandbox.notification())
            #expect(verifier.verify(text, as: .notification, now: Sandbox.now).reason == nil)
            #expect(verifier.rememberedCount == 1)
        }
    }

    @Test("Nothing is remembered of what was refused for its chain or its signature")
    func refused() throws {
        let authority = try Sandbox.authority()
        let verifier = try Sandbox.verifier(authority)
        let foreign = try Sandbox.authority(seed: "somebody else").sign(Sandbox.transaction())
        #expect(verifier.verify(foreign, as: .transaction, now: Sandbox.now).reason == .chain)
        // Any sender can encode our certificates in a thousand ways.
        for number in 0..<100 {
            var header = authority.header
            header["kid"] = .string("\(number)")
            var parts = Sandbox.parts(
                try authority.sign(Sandbox.transaction().payload.canonicalBytes, header: header))
            parts[2] = Base64.encode([UInt8](repeating: 7, count: 64), .url)
            let text = parts.joined(separator: ".")
            #expect(verifier.verify(text, as: .transaction, now: Sandbox.now).reason == .signature)
        }
        #expect(verifier.rememberedCount == 0)
    }

    @Test("The memory has a bound, and what it forgot is verified as before")
    func bound() throws {
        let authority = try Sandbox.authority()
        let verifier = try Sandbox.verifier(authority)
        var texts: [String] = []
        for number in 0..<(3 * AppStoreChains.countMax) {
            var header = authority.header
            header["kid"] = .string("\(number)")
            texts.append(
                try authority.sign(Sandbox.transaction().payload.canonicalBytes, header: header))
        }
        var countMax = 0
        for text in texts + texts.reversed() {
            #expect(verifier.verify(text, as: .transaction, now: Sandbox.now).reason == nil)
            countMax = max(countMax, verifier.rememberedCount)
        }
        #expect(countMax == AppStoreChains.countMax)
    }

    @Test("Many threads get the verdicts that one gets")
    func threads() async throws {
        let authority = try Sandbox.authority()
        let verifier = try Sandbox.verifier(authority)
        var cases: [(String, PayloadRefusal.Reason?)] = []
        for number in 0..<(2 * AppStoreChains.countMax) {
            var transaction = Sandbox.transaction()
            // Every third was signed when the leaf was not yet, or not any more, valid.
            if number % 3 == 1 { transaction.signedAt = Sandbox.from - 1_000 }
            if number % 3 == 2 { transaction.signedAt = Sandbox.until + 1_000 }
            var header = authority.header
            header["kid"] = .string("\(number / 3)")
            cases.append(
                (
                    try authority.sign(transaction.payload.canonicalBytes, header: header),
                    number % 3 == 0 ? nil : .chain
                ))
        }
        let shared = cases
        await withTaskGroup(of: Int.self) { group in
            for worker in 0..<8 {
                group.addTask {
                    (0..<shared.count).count { index in
                        let (text, expected) = shared[(index * 7 + worker) % shared.count]
                        let outcome = verifier.verify(text, as: .transaction, now: Sandbox.now)
                        return outcome.reason == expected
                    }
                }
            }
            for await right in group { #expect(right == shared.count) }
        }
        #expect(verifier.rememberedCount <= AppStoreChains.countMax)
    }
}
