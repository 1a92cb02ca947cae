import DaybookEvents
import DaybookIngest
import Testing

/// Certificates that must not be believed, each with the reason.
@Suite("Hostile chains")
struct HostileChainTests {
    @Test("What nothing is wrong with passes, in every kind")
    func good() throws {
        let authority = try Sandbox.authority()
        let verifier = try Sandbox.verifier(authority)
        let texts: [(AppStorePayloadKind, String)] = [
            (.transaction, try authority.sign(Sandbox.transaction())),
            (.renewal, try authority.sign(Sandbox.renewal())),
            (.notification, try authority.sign(Sandbox.notification())),
            (
                .appTransaction,
                try authority.sign([
                    "receiptType": "LocalTesting", "bundleId": .string(Sandbox.bundleID),
                    "receiptCreationDate": .integer(Sandbox.now),
                ])
            ),
        ]
        let root = try AppStoreRoots(der: [authority.root]).fingerprints[0]
        for (kind, text) in texts {
            let outcome = verifier.verify(text, as: kind, now: Sandbox.now)
            #expect(outcome.statement?.root == root, "\(kind): \(outcome)")
        }
    }

    @Test(
        "A flaw in the certificates is seen",
        arguments: [
            (.leafWithoutMarker, "leaf lacks Apple's extension 1.2.840.113635.100.6.11.1"),
            (.leafWithOtherMarker, "leaf lacks Apple's extension 1.2.840.113635.100.6.11.1"),
            (
                .intermediateWithoutMarker,
                "intermediate lacks Apple's extension 1.2.840.113635.100.6.2.1"
            ),
            (.intermediateIsNoAuthority, "intermediate is no authority"),
            (.leafExpired, "the leaf is valid from"),
            (.leafOfAnotherAuthority, "leaf is not signed by the intermediate"),
            (.pathTooLong, "path is too long"),
        ] as [(SandboxAuthority.Flaw, String)])
    func flaws(_ flaw: SandboxAuthority.Flaw, _ detail: String) throws {
        let authority = try Sandbox.authority(flaw)
        let text = try authority.sign(Sandbox.transaction())
        let outcome = try Sandbox.verifier(authority).verify(
            text, as: .transaction, now: Sandbox.now)
        #expect(outcome.reason == .chain)
        #expect(outcome.refusal?.detail.contains(detail) == true, "\(outcome)")
    }

    @Test("Validity is asked at the moment of signing, both ends included, whatever the clock says")
    func validity() throws {
        let authority = try Sandbox.authority()
        let verifier = try Sandbox.verifier(authority)
        let from = Sandbox.from / 1_000 * 1_000
        let until = Sandbox.until / 1_000 * 1_000 + 999
        let rows: [(Int64, PayloadRefusal.Reason?)] = [
            (from - 1, .chain), (from, nil), (until, nil), (until + 1, .chain),
        ]
        // Twice: the first time the chain is followed, the second time it is remembered.
        for _ in 0..<2 {
            for (signedAt, reason) in rows {
                var transaction = Sandbox.transaction()
                transaction.signedAt = signedAt
                let text = try authority.sign(transaction)
                for now in [0, Sandbox.now, Sandbox.until + Sandbox.year] {
                    let outcome = verifier.verify(text, as: .transaction, now: now)
                    #expect(outcome.reason == reason, "signed at \(signedAt): \(outcome)")
                }
            }
        }
        // Without a date of its own, a payload is judged by the clock.
        var undated = Sandbox.transaction()
        undated.others = ["signedDate": nil]
        let text = try authority.sign(undated)
        #expect(verifier.verify(text, as: .transaction, now: Sandbox.now).reason == nil)
        #expect(verifier.verify(text, as: .transaction, now: until + 1).reason == .chain)
    }

    @Test("A root that comes in the header is not believed, however good its chain is")
    func foreignRoot() throws {
        let foreign = try Sandbox.authority(seed: "somebody else")
        let text = try foreign.sign(Sandbox.transaction())
        #expect(
            try Sandbox.verifier(foreign).verify(text, as: .transaction, now: Sandbox.now).reason
                == nil)
        let ours = try Sandbox.verifier(try Sandbox.authority())
        #expect(ours.verify(text, as: .transaction, now: Sandbox.now).reason == .chain)
        let apple = AppStoreVerifier(identity: Sandbox.identity(), roots: try .apple())
        #expect(apple.verify(text, as: .transaction, now: Sandbox.now).reason == .chain)
    }

    @Test("Certificates in another order, too few, too many, or mixed are refused")
    func swapped() throws {
        let authority = try Sandbox.authority()
        let foreign = try Sandbox.authority(seed: "somebody else")
        let verifier = try Sandbox.verifier(authority)
        let (own, other) = (authority.certificates, foreign.certificates)
        let rows: [[[UInt8]]] = [
            [own[1], own[0], own[2]], [own[0], own[2], own[1]], [own[2], own[1], own[0]],
            [own[0], own[0], own[0]], [own[2], own[2], own[2]], [], [own[0]], [own[0], own[1]],
            own + [own[2]], [other[0], own[1], own[2]], [own[0], other[1], own[2]],
            [other[0], other[1], own[2]], [own[0], own[2], own[2]],
        ]
        for (index, certificates) in rows.enumerated() {
            let text = try Self.sign(Sandbox.transaction(), by: authority, with: certificates)
            let outcome = verifier.verify(text, as: .transaction, now: Sandbox.now)
            // A single certificate is taken in `test`, but then its payload has to be verified by that alone.
            if certificates.count == 1 {
                #expect(outcome.statement?.root == nil && outcome.statement != nil)
            } else {
                #expect(outcome.reason == .chain, "row \(index): \(outcome)")
            }
        }
    }

    @Test("The third certificate decides nothing")
    func third() throws {
        let authority = try Sandbox.authority()
        let foreign = try Sandbox.authority(seed: "somebody else")
        let verifier = try Sandbox.verifier(authority)
        for third in [foreign.root, authority.certificates[0], Array("anything".utf8)] {
            let text = try Self.sign(
                Sandbox.transaction(), by: authority,
                with: [authority.certificates[0], authority.certificates[1], third])
            #expect(verifier.verify(text, as: .transaction, now: Sandbox.now).reason == nil)
        }
    }

    @Test("Bytes after a certificate, or what is no certificate, are refused")
    func trailing() throws {
        let authority = try Sandbox.authority()
        let verifier = try Sandbox.verifier(authority)
        for index in 0..<2 {
            for replacement in [
                authority.certificates[index] + [0], authority.certificates[index].dropLast(),
                [0x30, 0x00], [0x00],
            ] as [[UInt8]] {
                var certificates = authority.certificates
                certificates[index] = replacement
                let text = try Self.sign(Sandbox.transaction(), by: authority, with: certificates)
                let outcome = verifier.verify(text, as: .transaction, now: Sandbox.now)
                #expect(outcome.reason == .chain, "\(outcome)")
            }
        }
    }

    @Test("A sandbox authority counts in the environment test alone, whatever it signs")
    func testOnly() throws {
        let authority = try Sandbox.authority()
        for (environment, name) in [
            (.production, .production), (.sandbox, .sandbox), (.xcode, .xcode),
        ] as [(Environment, AppStoreEnvironment)] {
            let text = try authority.sign(Sandbox.notification(name))
            let verifier = try Sandbox.verifier(authority, in: environment)
            let outcome = verifier.verify(text, as: .notification, now: Sandbox.now)
            #expect(outcome.reason == .chain, "\(outcome)")
        }
    }

    static func sign(
        _ transaction: SandboxTransaction, by authority: SandboxAuthority,
        with certificates: [[UInt8]]
    ) throws -> String {
        var header = authority.header
        header["x5c"] = .array(certificates.map { .string(Base64.encode($0, .standard)) })
        return try authority.sign(transaction.payload.canonicalBytes, header: header)
    }
}
