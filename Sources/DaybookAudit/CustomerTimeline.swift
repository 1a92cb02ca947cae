import Daybook
import DaybookDomain
import DaybookEvents

/// What concerns one customer within a cut, and what was so after each event of it in canonical order.
///
/// Identities, corrections and catalogs are those of the cut from the first event on (rules 6, 8, 20): a void event is
/// listed and takes no part.
struct CustomerTimeline {
    let environment: Environment
    let subject: String
    let cut: Int64
    let state: LedgerState
    let zones: ZoneTables
    /// In canonical order.
    let entries: [HistoryEntry]
    private let folder: PrefixFold
    /// Whether time alone does to the customer what `Check.standing` knows.
    private let isPlain: Bool

    /// - Parameter entries: Everything that concerns the customer, in canonical order.
    init(
        _ environment: Environment, _ subject: String, cut: Int64, state: LedgerState,
        zones: ZoneTables, entries: [HistoryEntry]
    ) {
        self.environment = environment
        self.subject = subject
        self.cut = cut
        self.state = state
        self.zones = zones
        self.entries = entries
        folder = PrefixFold(state, cut: cut, order: entries.map(\.event.position))
        isPlain =
            state.customer(named: subject, in: environment).map {
                state.isPlain(CustomerKey(environment, $0))
            } ?? false
    }

    /// The customer after the first so many events, at a time.
    func question(count: Int, at instant: Int64) throws -> CustomerCase {
        folder.count = count
        let builder = CaseBuilder(state: state, cut: cut, at: instant, prefix: folder)
        return zones.completing(try builder.build(environment, subject))
    }

    /// The same, with what it answers.
    func standing(count: Int, at instant: Int64, _ asked: CheckQuestion) throws -> Standing {
        let question = try question(count: count, at: instant)
        guard let check = Check(question), let decision = try? check.bareDecision(asked) else {
            return Standing(question: question)
        }
        let end = isPlain ? check.standing(asked, decision) : nil
        return Standing(question: question, decision: decision, end: end)
    }

    /// A customer's case at one time, and what it answers.
    struct Standing {
        var question: CustomerCase
        /// Without texts and paywall; `nil` where no catalog rules yet, or the one that does knows no such name.
        var decision: Decision?
        /// The answer is the same at every time before this one while no event comes; `nil`: that is not known.
        var end: Int64?
    }
}
