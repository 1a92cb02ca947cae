import DaybookDomain

/// May this customer do that?
extension RouteTable {
    /// How many names one request may ask for.
    static let checkedNamesMax = 100

    static let checkRoutes: [Route] = [
        Route(
            .get, "/v1/{app}/customers/{customer}/checks/{name}", "check",
            "Ask whether a customer may do something, and why. Changes nothing.", for: askers, check
        ),
        Route(
            .post, "/v1/{app}/customers/{customer}/checks", "checkMany",
            "Ask about several features and meters at once, from one cut.", for: askers,
            input: .object, checkMany),
    ]

    private static func check(_ call: inout RouteCall) throws -> Answer {
        let subject = try call.customer()
        let name = call.part("name")
        let question = try question(name, &call)
        let (environment, moment) = try call.fields.environmentAndMoment()
        let (decision, asOf) = try call.asking { ledger in
            try ledger.check(question, for: subject, environment: environment, moment: moment)
        }
        return .json(decision.json(of: subject, asOf))
    }

    private static func checkMany(_ call: inout RouteCall) throws -> Answer {
        let subject = try call.customer()
        let names = try RequestFields.needed("names", try call.fields.texts("names"))
        try Problem.require(
            (1...checkedNamesMax).contains(names.count), "too_many_names",
            "\"names\" has \(names.count) names; ask for 1 to \(checkedNamesMax)")
        let template = try question("", &call)
        let (environment, moment) = try call.fields.environmentAndMoment()
        let questions = names.map { name in
            var question = template
            question.name = name
            return question
        }
        let (decisions, asOf) = try call.asking { ledger in
            try ledger.checks(
                questions, for: subject, environment: environment, moment: moment)
        }
        return .json(decisions.json(of: subject, asOf))
    }

    private static func question(
        _ name: String, _ call: inout RouteCall
    ) throws -> CheckQuestion {
        let amount = try call.fields.integer("amount") ?? 1
        try Problem.require(
            amount >= 0, "amount_out_of_bounds", "\"amount\" \(amount) is below zero")
        return CheckQuestion(
            name, amount: amount, profile: try call.fields.text("profile"),
            itemAt: try call.fields.instant("item_at"), locale: try call.fields.text("locale"))
    }
}
