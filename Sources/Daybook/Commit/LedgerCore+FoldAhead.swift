import DaybookEvents

extension LedgerCore {
    /// Folds what a request is about and what is large, so that deciding it takes no longer than any other.
    func foldAhead(_ requests: [WriteRequest]) {
        for request in requests {
            switch request.content {
            case .command(let command), .transfer(let command):
                foldAhead(command.request.subject, command.request.environment)
            case .restore(let request): foldAhead(request.subject, request.environment)
            case .tick(_, let aggregates):
                for aggregate in aggregates {
                    let (record, name) = state.withLock {
                        ($0.stream(aggregate), $0.streamName(aggregate))
                    }
                    if record.kind == .customer { foldAhead(name.name, name.environment) }
                }
            case .reports, .publish: break
            }
        }
    }

    private func foldAhead(_ subject: String, _ environment: Environment) {
        let long: LedgerState? = state.withLock { state in
            let count = state.eventsToFold(
                subject, environment, cut: Int64.max, at: Int64.max)
            return count > Self.eventsUnderLockMax ? state : nil
        }
        guard let long else { return }
        let builder = CaseBuilder(state: long, cut: Int64.max, at: Int64.max)
        // What cannot be read is the failure of the request that needs it.
        _ = try? builder.build(environment, subject)
    }
}
