import Crypto
import DaybookEvents
import DaybookIngest
import Foundation

/// What it costs to verify a notification, beside the bare signatures.
struct VerificationSamples {
    let count: Int

    private static let now: Int64 = 1_772_366_400_000
    private static let year: Int64 = 31_536_000_000
    private static let bundleID = "com.example.bedtime"

    /// A signed notification and the two signed payloads nested in it.
    private struct SignedNotification {
        var text: [UInt8]
        var nested: [String]
    }

    /// swift-crypto alone: from the bytes that were signed and the raw signatures, which are at hand.
    func bare() throws -> Measurement {
        let authority = try authority()
        let key = try P256.Signing.PrivateKey(pemRepresentation: privateKey(of: authority))
        var signed: [(bytes: [UInt8], signature: P256.Signing.ECDSASignature)] = []
        for notification in try notifications(authority) {
            for text in notification.nested + [String(decoding: notification.text, as: UTF8.self)] {
                let end = try text.lastIndex(of: ".").orThrow("no signature")
                let bytes = Array(text[..<end].utf8)
                signed.append((bytes, try key.signature(for: bytes)))
            }
        }
        let publicKey = key.publicKey
        return try timed {
            for (bytes, signature) in signed
            where !publicKey.isValidSignature(signature, for: bytes) {
                throw BenchmarkError("swift-crypto refuses its own signature")
            }
        }
    }

    func warm() throws -> Measurement {
        let authority = try authority()
        let notifications = try notifications(authority)
        let verifier = try verifier(authority)
        _ = verifier.verify(notifications[0].text, as: .notification, now: Self.now)
        return try timed {
            for notification in notifications { try Self.check(notification, verifier) }
        }
    }

    func cold() throws -> Measurement {
        let authority = try authority()
        let notifications = try notifications(authority)
        let verifiers = try notifications.map { _ in try verifier(authority) }
        return try timed {
            for (notification, verifier) in zip(notifications, verifiers) {
                try Self.check(notification, verifier)
            }
        }
    }

    private static func check(_ notification: SignedNotification, _ verifier: AppStoreVerifier)
        throws
    {
        guard case .verified = verifier.verify(notification.text, as: .notification, now: now)
        else {
            throw BenchmarkError("a notification was refused")
        }
    }

    private func timed(_ body: () throws -> Void) rethrows -> Measurement {
        let start = ContinuousClock.now
        try body()
        var measurement = Measurement()
        measurement["seconds"] = start.secondsSince
        measurement["events"] = Double(count)
        measurement.notePeakMemory()
        return measurement
    }

    // MARK: What is verified

    private func authority() throws -> SandboxAuthority {
        try SandboxAuthority(
            seed: Array("bench".utf8), from: Self.now - Self.year, until: Self.now + Self.year)
    }

    private func privateKey(of authority: SandboxAuthority) throws -> String {
        let start = try authority.file.range(of: "-----BEGIN PRIVATE KEY").orThrow("no key")
        return String(authority.file[start.lowerBound...])
    }

    private func verifier(_ authority: SandboxAuthority) throws -> AppStoreVerifier {
        AppStoreVerifier(
            identity: AppStoreIdentity(bundleIDs: [Self.bundleID], environment: .test),
            roots: try AppStoreRoots(der: [authority.root]))
    }

    private func notifications(_ authority: SandboxAuthority) throws -> [SignedNotification] {
        try (0..<count).map { index in
            let signedAt = Self.now - 3_600_000 + Int64(index)
            var transaction = SandboxTransaction(
                bundleID: Self.bundleID, productID: "premium.monthly", type: .autoRenewable,
                transactionID: String(2_000_000_000 + index), purchasedAt: signedAt)
            transaction.expiresAt = signedAt + 2_592_000_000
            transaction.price = 8_990
            transaction.currency = "USD"
            let renewal = SandboxRenewal(
                originalTransactionID: transaction.transactionID, productID: "premium.monthly",
                signedAt: signedAt)
            var notification = SandboxNotification(
                type: .subscribed, bundleID: Self.bundleID, signedAt: signedAt)
            notification.subtype = .initialBuy
            notification.transaction = transaction
            notification.renewal = renewal
            let text = try authority.sign(notification)
            return SignedNotification(
                text: Array(text.utf8),
                nested: [try authority.sign(transaction), try authority.sign(renewal)])
        }
    }
}

extension Optional {
    fileprivate func orThrow(_ reason: String) throws -> Wrapped {
        guard let self else { throw BenchmarkError(reason) }
        return self
    }
}
