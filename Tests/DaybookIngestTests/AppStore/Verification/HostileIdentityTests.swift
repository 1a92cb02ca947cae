import DaybookEvents
import DaybookIngest
import Testing

/// What was signed well, and is not for this ledger.
@Suite("Payloads for other apps and environments")
struct HostileIdentityTests {
    /// As an operator's own authority would be, so that only app and environment are left to decide.
    let authority: SandboxAuthority

    init() throws { authority = try Sandbox.authority(.unmarkedRoot) }

    func outcome(
        _ text: String, as kind: AppStorePayloadKind, in environment: Environment = .sandbox
    ) throws -> AppStoreOutcome {
        try Sandbox.verifier(authority, in: environment).verify(text, as: kind, now: Sandbox.now)
    }

    func notification(
        _ environment: AppStoreEnvironment = .sandbox,
        _ change: (inout SandboxNotification) -> Void = { _ in }
    ) throws -> String {
        var notification = Sandbox.notification(environment)
        change(&notification)
        return try authority.sign(notification)
    }

    @Test("Each environment of a ledger takes its own payloads and refuses the others'")
    func environments() throws {
        let taken: [Environment: Set<AppStoreEnvironment>] = [
            .production: [.production], .sandbox: [.sandbox], .xcode: [.xcode],
            .test: [.xcode, .localTesting],
        ]
        for environment in Environment.allCases {
            for name in AppStoreEnvironment.allCases {
                let expected: PayloadRefusal.Reason? =
                    taken[environment]?.contains(name) == true ? nil : .environment
                let transaction = try authority.sign(Sandbox.transaction(name))
                let renewal = try authority.sign(Sandbox.renewal(name))
                let download: JSONObject = [
                    "receiptType": .string(name.rawValue), "bundleId": .string(Sandbox.bundleID),
                    "appAppleId": .integer(Sandbox.appAppleID),
                    "receiptCreationDate": .integer(Sandbox.now),
                ]
                for (text, kind) in [
                    (transaction, .transaction), (renewal, .renewal),
                    (try notification(name), .notification),
                    (try authority.sign(download), .appTransaction),
                ] as [(String, AppStorePayloadKind)] {
                    let outcome = try outcome(text, as: kind, in: environment)
                    #expect(outcome.reason == expected, "\(kind) of \(name) in \(environment)")
                }
            }
        }
    }

    @Test("An unknown environment, or none, is refused")
    func unknownEnvironment() throws {
        for value: JSONValue? in ["production", "Staging", "", 1, .null, nil] {
            var payload = Sandbox.transaction(.sandbox).payload
            payload["environment"] = value
            let outcome = try outcome(try authority.sign(payload), as: .transaction)
            #expect(outcome.reason == .environment)
        }
    }

    @Test("Another app's bundle id is refused, at every place that names one")
    func bundle() throws {
        for name in ["com.other", "", "COM.EXAMPLE.BEDTIME", "com.example.bedtime.x"] {
            var transaction = Sandbox.transaction(.sandbox)
            transaction.bundleID = name
            #expect(
                try outcome(authority.sign(transaction), as: .transaction).reason == .appIdentity)
            let outside = try outcome(
                try notification { $0.bundleID = name }, as: .notification)
            #expect(outside.reason == .appIdentity)
            let inside = try outcome(
                try notification { $0.transaction?.bundleID = name }, as: .notification)
            #expect(inside.reason == .appIdentity)
            #expect(inside.refusal?.detail.hasPrefix("data.signedTransactionInfo: ") == true)
        }
        var nameless = Sandbox.transaction(.sandbox)
        nameless.others = ["bundleId": nil]
        #expect(try outcome(authority.sign(nameless), as: .transaction).reason == .appIdentity)
    }

    @Test("In production the app's number is asked too, where it is configured")
    func number() throws {
        for (number, reason) in [
            (Sandbox.appAppleID, nil), (Sandbox.appAppleID + 1, .appIdentity), (nil, .appIdentity),
        ] as [(Int64?, PayloadRefusal.Reason?)] {
            let text = try notification(.production) { $0.appAppleID = number }
            #expect(try outcome(text, as: .notification, in: .production).reason == reason)
            // A ledger without the number does not ask.
            let open = AppStoreVerifier(
                identity: AppStoreIdentity(bundleIDs: [Sandbox.bundleID], environment: .production),
                roots: try AppStoreRoots(der: [authority.root]))
            #expect(open.verify(text, as: .notification, now: Sandbox.now).reason == nil)
            // Nor does the sandbox.
            let sandboxed = try notification(.sandbox) { $0.appAppleID = number }
            #expect(try outcome(sandboxed, as: .notification).reason == nil)
        }
    }

    @Test("The app is asked before the environment")
    func order() throws {
        let both = try notification(.production) { $0.bundleID = "com.other" }
        #expect(try outcome(both, as: .notification).reason == .appIdentity)
        let one = try notification(.production)
        #expect(try outcome(one, as: .notification).reason == .environment)
    }

    @Test("What is of one kind does not pass for another")
    func kinds() throws {
        let download: JSONObject = [
            "receiptType": "Sandbox", "bundleId": .string(Sandbox.bundleID),
            "receiptCreationDate": .integer(Sandbox.now),
        ]
        let texts: [AppStorePayloadKind: String] = [
            .transaction: try authority.sign(Sandbox.transaction(.sandbox)),
            .renewal: try authority.sign(Sandbox.renewal(.sandbox)),
            .notification: try notification(),
            .appTransaction: try authority.sign(download),
        ]
        for (actual, text) in texts {
            for asked in AppStorePayloadKind.allCases {
                let outcome = try outcome(text, as: asked)
                #expect(
                    outcome.reason == (asked == actual ? nil : .format), "\(actual) as \(asked)")
            }
        }
        // Apple signs requests for messages too.
        let request: JSONObject = [
            "originalTransactionId": "1", "environment": "Sandbox", "userLocale": "en-US",
            "signedDate": .integer(Sandbox.now),
        ]
        for asked in AppStorePayloadKind.allCases {
            #expect(try outcome(try authority.sign(request), as: asked).reason == .format)
        }
    }

    @Test("What is nested is verified for itself, with its own class and place")
    func nested() throws {
        let foreign = try Sandbox.authority(.unmarkedRoot, seed: "somebody else")
        let good = Sandbox.notification(.sandbox)
        let transaction = try authority.sign(Sandbox.transaction(.sandbox))
        let renewal = try authority.sign(Sandbox.renewal(.sandbox))
        var parts = Sandbox.parts(transaction)
        parts[2] = Base64.encode([UInt8](repeating: 7, count: 64), .url)
        let rows: [(String?, String?, PayloadRefusal.Reason?)] = [
            (transaction, renewal, nil), (transaction, nil, nil), (nil, renewal, nil),
            (nil, nil, nil),
            (try foreign.sign(Sandbox.transaction(.sandbox)), renewal, .chain),
            (transaction, try foreign.sign(Sandbox.renewal(.sandbox)), .chain),
            (parts.joined(separator: "."), renewal, .signature), ("", renewal, .format),
            (renewal, renewal, .format), (transaction, transaction, .format),
            (try authority.sign(Sandbox.transaction(.production)), renewal, .environment),
            (transaction, try authority.sign(Sandbox.renewal(.production)), .environment),
        ]
        for (transaction, renewal, reason) in rows {
            let payload = good.payload(signedTransaction: transaction, signedRenewal: renewal)
            let outcome = try outcome(try authority.sign(payload), as: .notification)
            #expect(outcome.reason == reason, "\(outcome)")
            if let refusal = outcome.refusal {
                #expect(refusal.detail.hasPrefix("data.signed"), "\(refusal)")
            }
            if case .notification(let read)? = outcome.statement?.document {
                #expect((read.transaction == nil) == (transaction == nil))
                #expect((read.renewal == nil) == (renewal == nil))
            }
        }
        for value: JSONValue in [1, [], [:], true] {
            var payload = good.payload(signedTransaction: nil, signedRenewal: nil)
            payload["data"] = [
                "bundleId": .string(Sandbox.bundleID), "environment": "Sandbox",
                "signedTransactionInfo": value,
            ]
            #expect(try outcome(try authority.sign(payload), as: .notification).reason == .format)
        }
    }

    @Test("Summaries, tokens and consent name app and environment in their own places")
    func places() throws {
        func payload(_ name: String, _ value: JSONObject) throws -> String {
            var notification = Sandbox.notification(.sandbox)
            notification.others = ["data": nil]
            notification.others[name] = .object(value)
            return try authority.sign(
                notification.payload(signedTransaction: nil, signedRenewal: nil))
        }
        let own: JSONObject = [
            "bundleId": .string(Sandbox.bundleID), "appAppleId": .integer(Sandbox.appAppleID),
        ]
        for name in ["summary", "appData"] {
            var value = own
            for (environment, expected) in [
                ("Sandbox", nil), ("Production", .environment),
            ] as [(String, PayloadRefusal.Reason?)] {
                value["environment"] = .string(environment)
                #expect(try outcome(payload(name, value), as: .notification).reason == expected)
            }
            value["bundleId"] = "com.other"
            #expect(try outcome(payload(name, value), as: .notification).reason == .appIdentity)
        }
        var token = own
        token["externalPurchaseId"] = "SANDBOX_b2158121"
        #expect(
            try outcome(payload("externalPurchaseToken", token), as: .notification).reason == nil)
        token["externalPurchaseId"] = "b2158121"
        let real = try payload("externalPurchaseToken", token)
        #expect(try outcome(real, as: .notification).reason == .environment)
        #expect(try outcome(real, as: .notification, in: .production).reason == nil)
        #expect(try outcome(payload("elsewhere", own), as: .notification).reason == .appIdentity)
    }

    @Test("What was signed long after now waits for the clock; a test invents its time")
    func future() throws {
        let lead = AppStoreVerifier.leadMaxMilliseconds
        for (signedAt, reason) in [
            (Sandbox.now, nil), (Sandbox.now + lead, nil), (Sandbox.now + lead + 1, .retryable),
        ] as [(Int64, PayloadRefusal.Reason?)] {
            var transaction = Sandbox.transaction(.sandbox)
            transaction.signedAt = signedAt
            let text = try authority.sign(transaction)
            #expect(try outcome(text, as: .transaction).reason == reason)
            let later = try Sandbox.verifier(authority, in: .sandbox)
                .verify(text, as: .transaction, now: signedAt)
            #expect(later.reason == nil, "the same bytes pass later")
            transaction.environment = .localTesting
            let invented = try authority.sign(transaction)
            #expect(try outcome(invented, as: .transaction, in: .test).reason == nil)
        }
    }

    @Test("Xcode's own certificate is taken in xcode and test, and nowhere else")
    func unvouched() throws {
        let local = try Sandbox.authority(seed: "this very machine")
        var header = local.header
        header["x5c"] = .array(Array((header["x5c"]?.array ?? []).prefix(1)))
        for name in AppStoreEnvironment.allCases {
            let text = try local.sign(
                Sandbox.transaction(name).payload.canonicalBytes, header: header)
            for environment in Environment.allCases {
                let outcome = try outcome(text, as: .transaction, in: environment)
                let takes = environment == .xcode || environment == .test
                let isOwn =
                    name == .xcode && takes || name == .localTesting && environment == .test
                #expect(
                    outcome.reason == (isOwn ? nil : takes ? .environment : .chain),
                    "\(name) in \(environment): \(outcome)")
                if isOwn { #expect(outcome.statement != nil && outcome.statement?.root == nil) }
            }
            // No root vouches for it, but it must at least be what its certificate signed.
            var parts = Sandbox.parts(text)
            parts[2] = Base64.encode([UInt8](repeating: 7, count: 64), .url)
            let forged = try outcome(parts.joined(separator: "."), as: .transaction, in: .test)
            #expect(forged.reason == .signature)
        }
    }
}
