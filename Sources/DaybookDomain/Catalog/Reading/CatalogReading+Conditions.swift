extension StatusRule {
    /// Every state that a source of access can be in, as answers print them.
    public static let knownStates: [String] = [
        "trial", "active", "active_canceling", "grace", "billing_retry", "paused", "expired",
        "refunded", "revoked", "lifetime", "family", "grant", "intro_period", "debug", "none",
    ]
}

extension CatalogReading {
    /// Reads `when`: the word `otherwise`, or a map with exactly one question.
    func condition(_ rule: CatalogFields) -> StatusRule.Condition? {
        guard let node = rule.node("when") else { return nil }
        if case .scalar("otherwise", _) = node.content { return .otherwise }
        guard case .map(let entries) = node.content else {
            reportCondition(at: rule.place(of: "when"))
            return nil
        }
        let when = CatalogFields(node, self)
        let questions = [
            "entitled", "state", "freePeriodActive", "freePeriodExpired", "meterExhausted",
        ]
        let asked = questions.filter { name in entries.contains { $0.key == name } }
        defer { when.finish() }
        let entitled = when.reference("entitled", .entitlement)
        let state = when.reference("state", .entitlement)
        let active = when.reference("freePeriodActive", .freePeriod)
        let expired = when.reference("freePeriodExpired", .freePeriod)
        let meter = when.reference("meterExhausted", .meter)
        let states = states(when)
        let product = when.reference("product", .product)
        guard asked.count == 1 else {
            reportCondition(at: when.place)
            return nil
        }
        if entitled == nil {
            when.refuse(["product"], because: "only `entitled` looks at the product")
        }
        if entitled == nil, state == nil {
            when.refuse(["states"], because: "only `entitled` and `state` look at states")
        }
        if let entitled { return .entitled(entitled, states: states, product: product) }
        if let state {
            when.require("states", "Name at least one: `states: [expired]`.")
            return .state(state, states: states)
        }
        if let active { return .freePeriodActive(active) }
        if let expired { return .freePeriodExpired(expired) }
        return meter.map { .meterExhausted($0) }
    }

    /// Named facts beside the status: `hasLifetimeAccess: { entitled: premium, unbounded: true }`.
    func flags(_ fields: CatalogFields) -> [StatusFlag] {
        named("flags", of: fields) { name, fields in
            fields.require("entitled", "Write the entitlement: `entitled: premium`.")
            let states = states(fields)
            let isUnbounded = fields.flag("unbounded") ?? false
            return fields.reference("entitled", .entitlement).map {
                StatusFlag(
                    name: name, entitlement: $0, states: states, isUnbounded: isUnbounded)
            }
        }
    }

    private func states(_ when: CatalogFields) -> [String] {
        when.texts("states").map { state, place in
            if !StatusRule.knownStates.contains(state) {
                report(
                    "There is no state `\(state)`.", nearest: state, among: StatusRule.knownStates,
                    otherwise: "Write one of \(StatusRule.knownStates.joined(separator: ", ")).",
                    at: place)
            }
            return state
        }
    }

    private func reportCondition(at place: CatalogPlace) {
        report(
            "A condition asks exactly one question.",
            "Write `otherwise`, or a map with one of entitled, state, freePeriodActive, "
                + "freePeriodExpired, meterExhausted.",
            at: place)
    }
}
