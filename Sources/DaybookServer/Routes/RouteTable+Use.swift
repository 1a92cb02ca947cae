import DaybookDomain

/// What a customer uses, has and is given. Each route is one command of the library.
extension RouteTable {
    /// The app and its backend do what customers do; a person of support says who and why.
    /// What a customer must not do for themselves.
    private static let keepers: Set<Scope> = [.store, .support, .admin]

    /// - Parameter throughProfile: Whether it is done for one profile of the customer (`profile`).
    private static func use(
        _ path: String, _ name: String, _ summary: String, for scopes: Set<Scope> = askers,
        throughProfile: Bool = false,
        _ command: @escaping @Sendable (inout RequestFields) throws -> Command
    ) -> Route {
        Route(.post, customer + path, name, summary, for: scopes, input: .object) { call in
            let subject = try call.customer()
            let command = try command(&call.fields)
            return try await call.perform(
                command, for: subject,
                profile: throughProfile ? try call.fields.text("profile") : nil)
        }
    }

    static let useRoutes: [Route] =
        [
            use(
                "/consume", "consume", "Check and record a use, in one step.", throughProfile: true
            ) { fields in
                .consume(
                    meter: try fields.neededText("meter"),
                    amount: try fields.integer("amount") ?? 1, ref: try fields.text("ref"))
            },
            use(
                "/reserve", "reserve", "Hold units for work that can fail.", throughProfile: true
            ) { fields in
                .reserve(
                    meter: try fields.neededText("meter"),
                    amount: try fields.integer("amount") ?? 1,
                    reservation: try fields.neededText("reservation"),
                    timeoutMilliseconds: try fields.duration("timeout"))
            },
            use("/commit", "commit", "Use the units of a reservation, or some of them.") { fields in
                .commit(
                    reservation: try fields.neededText("reservation"),
                    amount: try fields.integer("amount"))
            },
            use("/release", "release", "Give the units of a reservation back.") {
                .release(reservation: try $0.neededText("reservation"))
            },
            use("/pin", "pin", "Choose what stays writable when a gauge is over its limit.") {
                .pin(meter: try $0.text("meter"), ref: try $0.neededText("ref"))
            },
            use("/expose", "expose", "Show an experiment: the variant of the first time, for ever.")
            { .expose(experiment: try $0.neededText("experiment")) },
            use("/redeem", "redeem", "Redeem a code of a promotion.", throughProfile: true) {
                .redeem(code: try $0.neededText("code"))
            },
            Route(
                .post, customer + "/profiles", "createProfile",
                "Add a profile; its free period begins.", for: askers, input: .object, createProfile
            ),
            use("/profiles/delete", "deleteProfile", "Take a profile away.") {
                .deleteProfile(profile: try $0.neededText("profile"))
            },
            use("/assign", "assignPurchase", "Let a purchase serve one profile.") { fields in
                .assignPurchase(
                    transaction: try fields.neededText("transaction"),
                    profile: try fields.neededText("profile"))
            },
            use("/unassign", "unassignPurchase", "Free a purchase from its profile.") {
                .unassignPurchase(transaction: try $0.neededText("transaction"))
            },
            use("/timezone", "changeTimeZone", "Say in which time zone the customer lives.") {
                .changeTimeZone(try $0.neededText("zone"))
            },
        ] + keptRoutes

    /// With these a customer could take what is another one's, or use without end.
    private static let keptRoutes: [Route] = [
        use(
            "/reverse", "reverse", "Take a use back, by its key, ref or reservation.", for: keepers
        ) { fields in
            .reverseUsage(
                target: try fields.neededText("target"), meter: try fields.text("meter"))
        },
        use(
            "/alias", "alias", "Say that this id and another one belong to one customer.",
            for: keepers
        ) {
            .alias(to: try $0.neededText("canonical"))
        },
        use("/unalias", "unalias", "Part two ids that an alias joined.", for: keepers) {
            .unalias(from: try $0.neededText("canonical"))
        },
        use("/grants", "issueGrant", "Give an entitlement, a feature or units.", for: keepers) {
            .issueGrant(try grantTerms(&$0))
        },
        use("/grants/void", "voidGrant", "Take a grant back.", for: keepers) {
            .voidGrant(grant: try $0.neededText("grant"), at: try $0.instant("voided_at"))
        },
        use(
            "/overrides", "setOverride",
            "Pretend something about a customer, for developers. Refused in production.",
            for: keepers
        ) { fields in
            .setOverride(
                kind: try fields.neededText("kind"), value: try fields.text("value"),
                expiresAt: try fields.instant("expires_at"))
        },
        use("/overrides/clear", "clearOverride", "Stop pretending.", for: keepers) {
            .clearOverride(kind: try $0.text("kind"))
        },
        use("/reset", "resetUsage", "Let a counter begin anew.", for: keepers) { fields in
            .resetUsage(
                meter: try fields.neededText("meter"),
                terms: Command.ResetTerms(
                    effectiveAt: try fields.instant("effective_at"),
                    retainsAnchor: try fields.flag("retain_anchor") ?? true,
                    preservesOverage: try fields.flag("preserve_overage") ?? false))
        },
    ]

    private static func createProfile(_ call: inout RouteCall) async throws -> Answer {
        let subject = try call.customer()
        let start = try call.fields.instant("free_started_at")
        try Problem.require(
            start == nil || call.caller.customer == nil, as: .forbidden, "scope_needed",
            "a client does not say when a free period begins: it begins now")
        let command = Command.createProfile(
            profile: try call.fields.neededText("profile"),
            kind: try call.fields.neededText("kind"), freeStartedAt: start)
        return try await call.perform(command, for: subject)
    }

    private static func grantTerms(
        _ fields: inout RequestFields
    ) throws -> Command.GrantTerms {
        let targets: [Command.GrantTerms.Target] = [
            try fields.text("entitlement").map { .entitlement($0) },
            try fields.text("feature").map { .feature($0) },
            try fields.text("meter").map { .meter($0) },
        ].compactMap { $0 }
        guard let target = targets.first, targets.count == 1 else {
            throw Problem.unprocessable(
                "one_target", "say exactly one of \"entitlement\", \"feature\" and \"meter\"")
        }
        let amount = try fields.integer("amount")
        let isUnlimited = try fields.flag("unlimited") ?? false
        // What is left out by mistake must not give units for ever.
        if case .meter = target, (amount == nil) != isUnlimited {
            throw Problem.unprocessable(
                "missing_member", "with \"meter\" say how many: \"amount\", or \"unlimited\": true")
        }
        let most = try fields.integer("rollover_max")
        let least = try fields.integer("rollover_min")
        return Command.GrantTerms(
            id: try fields.neededText("id"), target: target, amount: amount,
            startsAt: try fields.instant("starts_at"), expiresAt: try fields.instant("expires_at"),
            priority: try fields.integer("priority"), profile: try fields.text("profile"),
            reason: try fields.text("kind") ?? "support", every: try fields.text("every"),
            rollover: most.map { .init(least: least ?? 0, most: $0) })
    }
}
