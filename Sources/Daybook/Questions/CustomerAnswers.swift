import DaybookDomain
import DaybookEvents
import DaybookStore

/// Questions. All of them answer from one cut and change nothing.
struct CustomerAnswers {
    let core: LedgerCore

    /// May this customer do that? (docs/rules.md#decision)
    func check(
        _ question: CheckQuestion, for subject: String, environment: Environment = .production,
        moment: Moment = .now
    ) throws -> (decision: Decision, asOf: AsOf) {
        guard moment == .now else {
            let (check, asOf) = try prepared(subject, environment, moment)
            return (try decide(question, by: check), asOf)
        }
        let known = try core.atHand(question, for: subject, environment)
        if let decision = known.decision { return decision }
        let (check, asOf) = try prepared(
            subject, environment, moment, customer: known.customer)
        let decision = try decide(question, by: check)
        core.remember(question, decision, check, asOf, customer: known.customer)
        return (decision, asOf)
    }

    /// Several questions about one customer, in their order, from one cut.
    func checks(
        _ questions: [CheckQuestion], for subject: String, environment: Environment,
        moment: Moment
    ) throws -> (decisions: [Decision], asOf: AsOf) {
        let (check, asOf) = try prepared(subject, environment, moment)
        return (try questions.map { try decide($0, by: check) }, asOf)
    }

    private func prepared(
        _ subject: String, _ environment: Environment, _ moment: Moment, customer: NameID? = nil
    ) throws -> (check: Check, asOf: AsOf) {
        let (context, asOf) = try namedCase(subject, environment, moment, customer: customer)
        guard let check = Check(context) else { throw try noCatalog(asOf) }
        return (check, asOf)
    }

    private func decide(_ question: CheckQuestion, by check: Check) throws(LedgerError) -> Decision
    {
        do throws(UnknownName) {
            return try check.decide(question)
        } catch {
            throw LedgerError.bad("unknown_name", error.description)
        }
    }

    /// The same for one feature or meter, now, in production.
    func check(_ name: String, for subject: String) throws -> Decision {
        try check(CheckQuestion(name), for: subject).decision
    }

    /// Everything about one customer, in the app's own words.
    func status(
        of subject: String, profile: String? = nil, environment: Environment = .production,
        moment: Moment = .now, locale: String? = nil
    ) throws -> (status: Status, asOf: AsOf) {
        let (customer, asOf) = try namedCase(subject, environment, moment)
        guard let question = StatusQuestion(customer) else { throw try noCatalog(asOf) }
        return (question.answer(profile: profile, locale: locale), asOf)
    }

    /// The case with the texts of all that an answer shows by name.
    /// - Parameter customer: The number of the customer's id, where that is known.
    private func namedCase(
        _ subject: String, _ environment: Environment, _ moment: Moment, customer: NameID? = nil
    ) throws -> (question: CustomerCase, asOf: AsOf) {
        var (question, asOf) = try core.customerCase(
            subject, environment, moment, customer: customer)
        if question.namesToLookUp.isEmpty { return (question, asOf) }
        let bare = question
        question = try core.translating {
            try core.reading(about: subject, environment, cut: asOf.position, at: nil) { state in
                try ReferenceTexts(state: state, store: core.store, cut: asOf.position)
                    .completing(bare)
            }
        }
        return (question, asOf)
    }

    static var noCatalog: LedgerError {
        .bad("no_catalog", "the ledger has no catalog; publish one")
    }

    /// Why an answer has no rules to go by: there are none, or none was known then.
    func noCatalog(_ asOf: AsOf) throws -> LedgerError {
        guard let first = try core.catalogs().versions.map(\.position).min() else {
            return Self.noCatalog
        }
        return .bad(
            "no_catalog_known",
            "no catalog was known at position \(asOf.position), so there were no rules yet; the first one is at position \(first)"
        )
    }
}
