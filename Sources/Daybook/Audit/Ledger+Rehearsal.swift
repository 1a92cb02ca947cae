public import DaybookDomain
import DaybookEvents
import DaybookStore

/// What would be, and what a commit made different.
extension Ledger {
    /// What a request would come to: `perform` upon everything that the ledger holds now, of which nothing is written.
    /// - Parameter isRestating: Also compute what would be different, as `perform` does.
    /// - Returns: The receipt with the positions that the events would have; its key is a made one where the request
    ///   has none. The first receipt where the key was used before.
    /// - Throws: What `perform` would throw now.
    public func preview(
        _ request: CommandRequest, isRestating: Bool = true
    ) async throws -> Receipt {
        try await rehearsal().perform(request, isRestating: isRestating)
    }

    /// A ledger that begins with everything that this one holds now and goes its own way in memory.
    func rehearsal() throws -> Ledger {
        try refresh()
        try readKeys()
        var begun = state.withLock { $0 }
        begun.dropUnstored()
        return Ledger(rehearsing: self, from: begun)
    }

    /// Fills in whom a receipt's events concern: what is different in the status at the commit's own time, and which
    /// earlier answers were others (rule 24).
    /// - Parameter customerCountMax: At most so many customers are looked at, in the order of first naming.
    func tellDifferences(in receipt: inout Receipt, customerCountMax: Int = 100) throws {
        guard let first = receipt.positions.first, let last = receipt.positions.last else { return }
        let named = try customersNamed(from: first, through: last)
        receipt.omitted = max(0, named.count - customerCountMax)
        let at = receipt.recordedAt - receipt.clockLead
        for customer in named.prefix(customerCountMax) {
            let difference = try difference(
                of: customer.subject, environment: customer.environment,
                from: Moment(at: at, knownAt: .position(first - 1)),
                to: Moment(at: at, knownAt: .position(last))
            ).difference
            if !difference.changes.isEmpty { receipt.changes.append(difference) }
            let restatements = try restatements(
                of: customer.subject, environment: customer.environment, from: first, through: last)
            guard !restatements.isEmpty else { continue }
            receipt.restatements.append(
                CustomerRestatements(
                    subject: customer.subject, environment: customer.environment,
                    restatements: restatements))
        }
    }
}
