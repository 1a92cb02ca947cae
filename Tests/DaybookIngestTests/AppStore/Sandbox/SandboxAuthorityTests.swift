import DaybookEvents
import DaybookIngest
import Testing

@Suite("The sandbox authority")
struct SandboxAuthorityTests {
    @Test("The same seed makes the same keys, so that a root that was trusted stays trusted")
    func seeded() throws {
        let first = try Sandbox.authority(seed: "one")
        let again = try Sandbox.authority(seed: "one")
        let other = try Sandbox.authority(seed: "two")
        let text = try again.sign(Sandbox.transaction())
        #expect(
            try Sandbox.verifier(first).verify(text, as: .transaction, now: Sandbox.now).reason
                == nil)
        #expect(
            try Sandbox.verifier(other).verify(text, as: .transaction, now: Sandbox.now).reason
                == .chain)
    }

    @Test("Without a seed no two are alike")
    func random() throws {
        let one = try SandboxAuthority(from: Sandbox.from, until: Sandbox.until)
        let two = try SandboxAuthority(from: Sandbox.from, until: Sandbox.until)
        let text = try one.sign(Sandbox.transaction())
        #expect(
            try Sandbox.verifier(one).verify(text, as: .transaction, now: Sandbox.now).reason == nil
        )
        #expect(
            try Sandbox.verifier(two).verify(text, as: .transaction, now: Sandbox.now).reason
                == .chain)
    }

    @Test("The root can be configured as DER and as PEM, with text around it")
    func root() throws {
        let authority = try Sandbox.authority()
        let der = try AppStoreRoots(file: authority.root)
        let pem = try AppStoreRoots(file: Array("a note\n\(authority.rootPEM)\nmore\n".utf8))
        let both = try AppStoreRoots(
            file: Array((try Sandbox.authority(seed: "two").rootPEM + authority.rootPEM).utf8))
        #expect(der.fingerprints == pem.fingerprints && both.fingerprints.count == 2)
        #expect(both.fingerprints[1] == der.fingerprints[0])
        let text = try authority.sign(Sandbox.transaction())
        for roots in [der, pem, both] {
            let verifier = AppStoreVerifier(identity: Sandbox.identity(), roots: roots)
            #expect(verifier.verify(text, as: .transaction, now: Sandbox.now).reason == nil)
        }
    }

    @Test("What is no root is refused when it is configured, not when it is needed")
    func badRoots() throws {
        let pem = try Sandbox.authority().rootPEM
        for bytes in [
            [], [0x30], Array("nothing".utf8), Array("-----BEGIN CERTIFICATE-----\n".utf8),
            Array(pem.replacing("-----END", with: "-----FIN").utf8),
            Array(pem.replacing("MI", with: "M!").utf8),
            Array("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n".utf8),
            Array(String(repeating: pem, count: AppStoreRoots.countMax + 1).utf8),
        ] {
            #expect(throws: PayloadRefusal.self) { try AppStoreRoots(file: bytes) }
        }
    }

    @Test("Kept in a file and read again, it is the same to the byte and signs on")
    func file() throws {
        let authority = try Sandbox.authority()
        let again = try SandboxAuthority(file: authority.file)
        #expect(again.certificates == authority.certificates && again.file == authority.file)
        let text = try again.sign(Sandbox.notification())
        #expect(
            try Sandbox.verifier(authority).verify(text, as: .notification, now: Sandbox.now).reason
                == nil)
        let other = try Sandbox.authority(seed: "two")
        for text in [
            "", authority.rootPEM, String(authority.file.dropLast(40)),
            // Another's key under these certificates.
            String(
                authority.file.prefix(upTo: try Self.key(in: authority))
                    + other.file.suffix(from: try Self.key(in: other))),
        ] as [String] {
            #expect(throws: PayloadRefusal.self) { try SandboxAuthority(file: text) }
        }
    }

    private static func key(in authority: SandboxAuthority) throws -> String.Index {
        try #require(authority.file.firstRange(of: "-----BEGIN PRIVATE KEY")?.lowerBound)
    }

    @Test("A short description becomes what Apple would send")
    func descriptions() throws {
        var transaction = Sandbox.transaction()
        transaction.transactionID = "2000000002"
        transaction.originalTransactionID = "2000000001"
        transaction.appAccountToken = "7e3fb20b-4cdb-47cc-936d-99d65f608138"
        transaction.offerType = .introductory
        transaction.offerDiscount = .freeTrial
        transaction.revokedAt = Sandbox.now
        transaction.revocationReason = .appIssue
        transaction.others = ["storefront": nil, "shipping": "slow"]
        // Unless its transaction says otherwise, a SUBSCRIBED notification is about a purchase.
        #expect(transaction.payload["transactionReason"] == "RENEWAL")
        transaction.reason = .renewal
        var renewal = Sandbox.renewal()
        renewal.willRenew = false
        renewal.expirationIntent = .customerCanceled
        var notification = Sandbox.notification()
        notification.transaction = transaction
        notification.renewal = renewal
        let authority = try Sandbox.authority()
        let outcome = try Sandbox.verifier(authority).verify(
            try authority.sign(notification), as: .notification, now: Sandbox.now)
        guard case .notification(let read)? = outcome.statement?.document else {
            Issue.record("\(outcome)")
            return
        }
        #expect(read.type == .known(.subscribed) && read.subtype == .known(.initialBuy))
        #expect(read.data?.status == .known(.active) && read.signedAt == notification.signedAt)
        #expect(read.unknownMembers == [] && read.unreadableMembers == [])
        let bought = try #require(read.transaction)
        #expect(bought.members == transaction.payload)
        #expect(bought.id == "2000000002" && bought.originalID == "2000000001")
        #expect(bought.reason == .known(.renewal) && bought.price == 8_990)
        #expect(bought.offerDiscount == .known(.freeTrial) && bought.revokedAt == Sandbox.now)
        #expect(bought.storefront == nil && bought.unknownMembers == ["shipping"])
        #expect(!bought.members.members.contains { $0.value == .null })
        #expect(bought.unreadableMembers == [])
        let next = try #require(read.renewal)
        #expect(next.members == renewal.payload && next.autoRenewStatus == .known(.off))
        #expect(next.expirationIntent == .known(.customerCanceled))
        #expect(next.unknownMembers == [] && next.unreadableMembers == [])
    }

    @Test("The same description has the same id, another has another")
    func ids() throws {
        func id(_ notification: SandboxNotification) -> String? {
            notification.payload(signedTransaction: "a", signedRenewal: nil)["notificationUUID"]?
                .text
        }
        var notification = Sandbox.notification()
        let first = try #require(id(notification))
        #expect(id(notification) == first)
        // RFC 9562: version 8, the variant of that document.
        let parts = first.split(separator: "-")
        #expect(parts.map(\.count) == [8, 4, 4, 4, 12])
        #expect(parts[2].first == "8" && "89ab".contains(parts[3].first ?? "x"))
        notification.transaction?.price = 1
        #expect(id(notification) != first)
        notification.uuid = "mine"
        #expect(id(notification) == "mine")
    }
}
