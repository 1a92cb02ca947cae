import Daybook

/// What clients take with them for the time in which they cannot ask.
extension RouteTable {
    static let leaseRoutes: [Route] = [
        Route(
            .get, customer + "/lease", "lease",
            "Give a client a signed lease: what the customer has, and until when, for a time without a connection.",
            for: askers, lease),
        Route(
            .get, "/v1/{app}/lease-keys", "leaseKeys",
            "The public keys by which leases are signed, as a JSON Web Key set.", for: [],
            leaseKeys),
    ]

    private static func lease(_ call: inout RouteCall) async throws -> Answer {
        let subject = try call.customer()
        let profile = try call.fields.text("profile")
        let environment = try call.fields.environment()
        let duration = try call.fields.duration("for") ?? Lease.durationDefault
        let app = try call.app
        guard
            let key = try (call.gate.ring?.leaseKeys(app: app.name) ?? []).last(where: {
                $0.retiredAt == nil
            })
        else {
            throw Problem.tooMany(
                .serviceUnavailable, "not_configured",
                "no leases are signed for this app; \"daybook key lease\" makes the key", after: 60)
        }
        let lease = try call.asking { ledger in
            try ledger.lease(
                of: subject, profile: profile, environment: environment, milliseconds: duration)
        }
        let signed: JSONObject = [
            "lease": .string(try await key.sign(lease)), "key_id": .string(key.id),
        ]
        var answer = Answer.json(lease.json.adding(signed))
        answer.headers[.cacheControl] = "no-store"
        return answer
    }

    private static func leaseKeys(_ call: inout RouteCall) throws -> Answer {
        try call.fields.finish()
        let app = try call.app
        let keys = try call.gate.ring?.leaseKeys(app: app.name) ?? []
        return call.tagged(try keys.publicSet(at: call.now()))
    }
}
