import DaybookEvents
import DaybookIngest

/// The authority that the targets believe, and what it says.
struct Authority {
    static let now: Int64 = 1_772_366_400_000
    static let bundleID = "com.example.bedtime"
    static let year: Int64 = 31_536_000_000
    static let mapping = AppStoreMapping(environment: .test)

    let signer: SandboxAuthority
    let verifier: AppStoreVerifier

    init() throws {
        signer = try SandboxAuthority(
            seed: Array("fuzz".utf8), from: Self.now - Self.year, until: Self.now + Self.year)
        verifier = AppStoreVerifier(
            identity: AppStoreIdentity(bundleIDs: [Self.bundleID], environment: .test),
            roots: try AppStoreRoots(der: [signer.root]))
    }

    static var transaction: SandboxTransaction {
        var transaction = SandboxTransaction(
            bundleID: bundleID, productID: "premium.monthly", type: .autoRenewable,
            transactionID: "2000000001", purchasedAt: now - 3_600_000)
        transaction.expiresAt = now + 86_400_000
        transaction.price = 8_990
        transaction.currency = "USD"
        return transaction
    }

    static var renewal: SandboxRenewal {
        SandboxRenewal(
            originalTransactionID: "2000000001", productID: "premium.monthly",
            signedAt: now - 3_600_000)
    }

    static func notification(_ type: AppStoreNotificationType) -> SandboxNotification {
        var notification = SandboxNotification(
            type: type, bundleID: bundleID, signedAt: now - 3_600_000)
        notification.transaction = transaction
        notification.renewal = renewal
        return notification
    }

    /// Whatever was verified becomes events that either are canonical or are refused with a reason, and the same each
    /// time.
    static func checkEvents(of document: AppStoreDocument) {
        // What does not say enough is refused, each time.
        guard let drafts = try? mapping.events(of: document) else {
            return precondition(
                (try? mapping.events(of: document)) == nil, "the mapping is not pure")
        }
        precondition(
            drafts == (try? mapping.events(of: document)), "the mapping is not pure")
        for draft in drafts {
            guard let canonical = try? EventValidator.canonical(draft) else { continue }
            let again = try? EventValidator.canonical(canonical)
            precondition(again == canonical, "a canonical event changed")
        }
    }
}

/// Compact JWS: an input is one as it is, or, behind a zero byte, its three parts before they are encoded, with zero
/// bytes between them; so the readers behind base64 are reached too.
struct JWSTarget: FuzzTarget {
    let authority: Authority

    func take(_ bytes: [UInt8]) {
        let text = bytes.first == 0 ? Self.encoded(bytes.dropFirst()) : bytes
        for kind in AppStorePayloadKind.allCases {
            let first = authority.verifier.verify(text, as: kind, now: Authority.now)
            let second = authority.verifier.verify(text, as: kind, now: Authority.now)
            switch (first, second) {
            case (.verified(let statement), .verified(let other)):
                precondition(statement == other, "what is remembered changed the answer")
                Authority.checkEvents(of: statement.document)
            case (.refused(let refusal), .refused(let other)):
                precondition(refusal == other, "what is remembered changed the refusal")
            default: preconditionFailure("accepted once, refused once")
            }
        }
        // A payload with any number of signed payloads in it; bounds and places must hold.
        if let texts = try? AppStoreEnvelope.signedPayloads(in: text, as: .notification) {
            precondition(texts.count <= AppStoreEnvelope.textCountMax)
        }
    }

    private static func encoded(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        let parts = bytes.split(separator: 0, maxSplits: 2, omittingEmptySubsequences: false)
        return Array(parts.map { base64URL(Array($0)) }.joined(separator: ".").utf8)
    }

    func seeds() throws -> [[UInt8]] {
        let signer = authority.signer
        let texts = [
            try signer.sign(Authority.transaction), try signer.sign(Authority.renewal),
            try signer.sign(Authority.notification(.didRenew)),
        ]
        let decoded = texts.map { text in
            [0]
                + text.split(separator: ".").map { bytes(ofBase64URL: $0) }
                .joined(separator: [0])
        }
        return texts.map { Array($0.utf8) } + decoded.map(Array.init)
    }
}

/// Notifications with everything nested in them. An input is up to three lines of JSON: the notification, its
/// transaction, its renewal. Each is read and mapped for itself; where the first byte is a space, they are signed, nested
/// and verified first.
struct NotificationTarget: FuzzTarget {
    let authority: Authority

    func take(_ bytes: [UInt8]) {
        let lines = bytes.split(separator: 0x0A, maxSplits: 2, omittingEmptySubsequences: false)
        let objects = lines.map { try? JSONReader.read(Array($0)).object }
        guard let first = objects[0] else { return }
        if bytes.first == 0x20 {
            sign(first, objects.dropFirst().map { $0 ?? nil })
        } else {
            Authority.checkEvents(of: .notification(AppStoreNotification(members: first)))
            if objects.count > 1, let members = objects[1] {
                Authority.checkEvents(of: .transaction(AppStoreTransaction(members: members)))
            }
            if objects.count > 2, let members = objects[2] {
                Authority.checkEvents(of: .renewal(AppStoreRenewal(members: members)))
            }
            Authority.checkEvents(of: .appTransaction(AppStoreAppTransaction(members: first)))
        }
    }

    /// The way through the signatures, so that what is verified is what was written.
    private func sign(_ members: JSONObject, _ nested: [JSONObject?]) {
        let signer = authority.signer
        var payload = members
        var data = payload["data"]?.object ?? JSONObject()
        for (name, object) in zip(["signedTransactionInfo", "signedRenewalInfo"], nested) {
            guard let object, let text = try? signer.sign(object) else { continue }
            data[name] = .string(text)
        }
        payload["data"] = .object(data)
        guard let text = try? signer.sign(payload) else { return }
        let outcome = authority.verifier.verify(text, as: .notification, now: Authority.now)
        switch outcome {
        case .verified(let statement): Authority.checkEvents(of: statement.document)
        case .refused(let refusal):
            precondition(refusal.reason != .signature, "its own signature was refused")
        }
    }

    func seeds() throws -> [[UInt8]] {
        let transaction = Authority.transaction.payload.canonicalBytes
        let renewal = Authority.renewal.payload.canonicalBytes
        return AppStoreNotificationType.allCases.flatMap { type in
            let notification = Authority.notification(type)
                .payload(signedTransaction: nil, signedRenewal: nil).canonicalBytes
            let lines = Array([notification, transaction, renewal].joined(separator: [0x0A]))
            return [lines, [0x20] + lines]
        }
    }
}
