import Daybook
package import DaybookEvents
package import DaybookIngest

/// What stores say, and what customers hand over of it.
extension RouteTable {
    /// Not `admin`: what a device got stands in the history as Apple's word, with no room for a person's name and
    /// reason; a person restores.
    private static let posters: Set<Scope> = [.store, .client]

    /// The largest payload of a store; Apple's are some thousand bytes.
    static let payloadByteCountMax = 256 << 10

    static let storeRoutes: [Route] = [
        Route(
            .post, "/v1/{app}/apple/notifications", "appStoreNotification",
            "Take in a notification of the App Store: what it posts (responseBodyV2). The signature is the access.",
            for: [], input: .bytes(max: payloadByteCountMax), appStoreNotification),
        Route(
            .post, "/v1/{app}/revenuecat/webhooks", "revenueCatWebhook",
            "Take in a webhook of RevenueCat, with the authorization header that was agreed with it.",
            for: [], input: .bytes(max: payloadByteCountMax), revenueCatWebhook),
        Route(
            .post, customer + "/transactions", "postTransactions",
            "Post what the customer's device got from the App Store: signed transactions or renewals.",
            for: posters, input: .object, postTransactions),
        Route(
            .post, customer + "/restore", "restorePurchases",
            "Restore purchases: verify what the device hands over, and decide who owns it.",
            for: askers, input: .object, restorePurchases),
    ]

    private static func appStoreNotification(_ call: inout RouteCall) async throws -> Answer {
        let verifier = try call.verifier(try call.fields.environment())
        try call.fields.finish()
        return try await OpenIntake(app: try call.app).take(call.bytes, by: verifier, call.log)
    }

    private static func revenueCatWebhook(_ call: inout RouteCall) async throws -> Answer {
        let environment = try call.fields.environment()
        try call.fields.finish()
        try confirmRevenueCat(call)
        let bytes = call.bytes
        let json = try await call.app.ledger.writing { ledger in
            ledger.json(
                of: try await ledger.ingestRevenueCat(bytes, environment: environment))
        }
        return .json(json)
    }

    private static func postTransactions(_ call: inout RouteCall) async throws -> Answer {
        let subject = try call.customer()
        let verifier = try call.verifier(try call.fields.environment())
        let payloads = try signed(&call.fields)
        let options = IngestOptions(
            kind: try kind(&call.fields), subject: subject,
            product: try call.fields.text("product"))
        try call.fields.finish()
        let (app, caller) = (try call.app, call.caller)
        let admitted = try await admitted(payloads, options.kind, verifier, call)
        var sum = try await app.ledger.writing { ledger in
            var sum = IngestReceipt()
            for payload in admitted.payloads {
                sum.add(try await ledger.ingest(payload, by: verifier, options: options))
            }
            return sum
        }
        sum.refused += admitted.dropped
        let told = sum
        let json = try app.ledger.asking { $0.json(of: told) }
        return try answer(told, caller.reduced(json))
    }

    /// A backend's payloads are all handed on.
    private static func admitted(
        _ payloads: [[UInt8]], _ kind: AppStorePayloadKind, _ verifier: AppStoreVerifier,
        _ call: RouteCall
    ) async throws -> ClientIntake.Admitted {
        guard call.caller.customer != nil else {
            return ClientIntake.Admitted(payloads: payloads)
        }
        return try await ClientIntake(app: try call.app, verifier: verifier, now: call.now())
            .admit(payloads, as: kind)
    }

    private static func restorePurchases(_ call: inout RouteCall) async throws -> Answer {
        let subject = try call.customer()
        let verifier = try call.verifier(try call.fields.environment())
        let payloads = try signed(&call.fields)
        let (actor, reason) = try call.audit()
        let options = RestoreOptions(
            isDryRun: try call.fields.flag("dry_run") ?? false, actor: actor, reason: reason)
        try call.fields.finish()
        // What is only tried is kept in no case.
        let admitted =
            options.isDryRun
            ? ClientIntake.Admitted(payloads: payloads)
            : try await admitted(payloads, .transaction, verifier, call)
        let json = try await call.app.ledger.writing { ledger in
            var receipt = try await ledger.restore(
                admitted.payloads, for: subject, by: verifier, options: options)
            receipt.refused += admitted.dropped
            return options.isDryRun ? receipt.json : ledger.json(of: receipt)
        }
        let isDryRun: JSONObject = ["dry_run": .bool(options.isDryRun)]
        return .json(call.caller.reduced(json.adding(isDryRun)))
    }

    // MARK: What is sent

    private static func signed(_ fields: inout RequestFields) throws -> [[UInt8]] {
        let texts = try RequestFields.needed("signed", try fields.texts("signed"))
        try Problem.require(
            texts.count <= Ledger.restoredTextCountMax, "too_many_payloads",
            "\"signed\" has \(texts.count) payloads; send at most \(Ledger.restoredTextCountMax)")
        return texts.map { Array($0.utf8) }
    }

    private static func kind(_ fields: inout RequestFields) throws -> AppStorePayloadKind {
        switch try fields.text("kind") {
        case nil, "transaction": return .transaction
        case "renewal": return .renewal
        case let other?:
            throw Problem.unprocessable(
                "unknown_kind",
                "\"kind\" is \(ShownText.escaped(other)), neither transaction nor renewal")
        }
    }

    /// What was refused is kept as a dead letter; the client is told of it, with what was taken in beside.
    private static func answer(_ receipt: IngestReceipt, _ json: JSONObject) throws -> Answer {
        guard let first = receipt.refused.first else { return .json(json) }
        var problem = Problem.unprocessable(first.refusal.reason.rawValue, first.refusal.detail)
        switch first.refusal.reason {
        case .retryable:
            problem = .tooMany(
                .serviceUnavailable, first.refusal.reason.rawValue, first.refusal.detail, after: 30)
        case .chain, .signature:
            // It is not signed by an authority that the server believes, so it proves nothing.
            problem.status = .unauthorized
            problem.headers[.wwwAuthenticate] = "JWS"
        default: break
        }
        problem.problems = receipt.refused.map(\.problem)
        problem.members["receipt"] = .object(json)
        throw problem
    }

    private static func confirmRevenueCat(_ call: RouteCall) throws {
        guard let digest = try call.app.revenueCatDigest else {
            throw Problem(
                .serviceUnavailable, "not_configured",
                "no authorization was agreed with RevenueCat for this app")
        }
        let sent = Digest.sha256((call.headers[.authorization] ?? "").utf8)
        try Problem.require(
            ConstantTime.areEqual(digest, sent), as: .unauthorized, "unauthenticated",
            "the authorization is not what was agreed")
    }
}

extension RouteCall {
    /// By what payloads of an environment are verified.
    /// - Throws: `Problem` with 422 for an environment of which this server takes none, 503 where the operator has not
    ///   said of which app they are: the store tries again for three days, which is long enough to mend it.
    package func verifier(_ environment: Environment) throws -> AppStoreVerifier {
        if let verifier = try app.verifiers[environment] { return verifier }
        throw try notTaken(environment)
    }

    /// Why payloads of an environment are not taken.
    func notTaken(_ environment: Environment) throws -> Problem {
        let verifiers = try app.verifiers
        guard verifiers.isEmpty || verifiers[environment] != nil else {
            return .unprocessable(
                "environment_not_taken",
                "payloads of \(environment.name) are not taken: a server takes what Apple signs, and in test what an authority of --root does"
            )
        }
        return .tooMany(
            .serviceUnavailable, "not_configured",
            "the server was not told for which app of the store payloads of \(environment.name) are; start it with --bundle-id or --apps",
            after: 60)
    }
}
