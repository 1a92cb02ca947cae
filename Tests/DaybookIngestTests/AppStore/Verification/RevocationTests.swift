import DaybookEvents
import DaybookIngest
import Testing

@Suite("App Store: certificates that were withdrawn")
struct RevocationTests {
    private static let now = Sandbox.now

    private static func authority(
        _ flaw: SandboxAuthority.Flaw? = nil
    ) throws -> SandboxAuthority {
        try SandboxAuthority(
            seed: Array("bedtime".utf8), from: Sandbox.from, until: Sandbox.until, flaw: flaw,
            responder: Responder.address)
    }

    private static func verifier(
        _ authority: SandboxAuthority, asking responder: Responder?
    ) throws -> AppStoreVerifier {
        AppStoreVerifier(
            identity: Sandbox.identity(), roots: try AppStoreRoots(der: [authority.root]),
            revocation: responder?.revocation)
    }

    private static func bytes(_ authority: SandboxAuthority) throws -> [UInt8] {
        Array(try authority.sign(Sandbox.notification()).utf8)
    }

    @Test(
        "Only a signed and current word refuses for good; whatever else is not good is retryable",
        arguments: [
            (Responder.Answer.good, nil), (.revoked, .chain), (.unknown, .retryable),
            (.foreign, .retryable), (.outdated, .retryable), (.garbage, .retryable),
            (.tooLong, .retryable), (.none, .retryable),
        ] as [(Responder.Answer, PayloadRefusal.Reason?)])
    func answers(_ answer: Responder.Answer, _ expected: PayloadRefusal.Reason?) async throws {
        let authority = try Self.authority()
        let text = try Self.bytes(authority)
        for responder in [try Responder(answer), try Responder(.good, answer)] {
            let verifier = try Self.verifier(authority, asking: responder)
            let outcome = await verifier.confirm(text, as: .notification, now: Self.now)
            #expect(outcome.reason == expected, "\(outcome.refusal?.detail ?? "")")
            #expect(responder.count > 0)
            // The same without asking.
            #expect(verifier.verify(text, as: .notification, now: Self.now).reason == nil)
        }
    }

    @Test("An intermediate that was withdrawn counts although no responder answers about the leaf")
    func intermediate() async throws {
        let authority = try Self.authority()
        let verifier = try Self.verifier(authority, asking: try Responder(.none, .revoked))
        let outcome = await verifier.confirm(
            try Self.bytes(authority), as: .notification, now: Self.now)
        #expect(outcome.reason == .chain)
    }

    @Test("One answer does for an hour, a silence for a minute, and then it is asked anew")
    func memory() async throws {
        let authority = try Self.authority()
        let responder = try Responder(.good)
        let verifier = try Self.verifier(authority, asking: responder)
        for index in 0..<20 {
            var transaction = Sandbox.transaction()
            transaction.transactionID = "\(3_000_000_000 + index)"
            let text = Array(try authority.sign(transaction).utf8)
            let outcome = await verifier.confirm(text, as: .transaction, now: Self.now)
            #expect(outcome.reason == nil)
        }
        // Leaf and intermediate.
        #expect(responder.count == 2)
        responder.change(.revoked)
        let text = try Self.bytes(authority)
        func reason(after wait: Int64) async -> PayloadRefusal.Reason? {
            await verifier.confirm(text, as: .notification, now: Self.now + wait).reason
        }
        #expect(await reason(after: Sandbox.hour - 1) == nil)
        #expect(await reason(after: Sandbox.hour) == .chain)
        responder.change(.none)
        #expect(await reason(after: 2 * Sandbox.hour) == .retryable)
        responder.change(.good)
        #expect(await reason(after: 2 * Sandbox.hour + 59_999) == .retryable)
        #expect(await reason(after: 2 * Sandbox.hour + 60_000) == nil)
    }

    @Test(
        "No responder is asked offline, about what names no responder, and about what is refused anyway"
    )
    func unasked() async throws {
        let authority = try Self.authority()
        let text = try Self.bytes(authority)
        let offline = try Self.verifier(authority, asking: nil)
        #expect(await offline.confirm(text, as: .notification, now: Self.now).reason == nil)
        let responder = try Responder(.revoked, .revoked)
        let online = try Self.verifier(authority, asking: responder)
        #expect(online.verify(text, as: .notification, now: Self.now).reason == nil)
        #expect(await online.confirm(text, as: .transaction, now: Self.now).reason == .format)
        let silent = try Sandbox.authority()
        let other = try Self.verifier(silent, asking: responder)
        let plain = try Self.bytes(silent)
        #expect(await other.confirm(plain, as: .notification, now: Self.now).reason == nil)
        #expect(responder.count == 0)
    }

    @Test("A leaf that expired since is not asked about; what stands above it is")
    func expired() async throws {
        // Valid for a second, and signed within it.
        let authority = try Self.authority(.leafExpired)
        var transaction = Sandbox.transaction()
        transaction.signedAt = Sandbox.from
        let text = Array(try authority.sign(transaction).utf8)
        let responder = try Responder(.revoked)
        let verifier = try Self.verifier(authority, asking: responder)
        #expect(await verifier.confirm(text, as: .transaction, now: Self.now).reason == nil)
        #expect(responder.count == 1)
        let strict = try Self.verifier(authority, asking: try Responder(.good, .revoked))
        #expect(await strict.confirm(text, as: .transaction, now: Self.now).reason == .chain)
        // Long after everything has expired.
        let late = Sandbox.until + Sandbox.year
        #expect(await strict.confirm(text, as: .transaction, now: late).reason == nil)
    }
}
