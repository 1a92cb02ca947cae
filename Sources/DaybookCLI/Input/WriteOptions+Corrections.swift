import DaybookDomain

extension WriteOptions {
    /// Finds the event that is meant, and corrects it in its own environment.
    func correct(
        _ text: String, subject: String?, _ command: (EventTarget) -> Command
    ) async throws {
        try await opening { ledger in
            let target = try EventTarget.find(
                text, environment: environment.environment, in: ledger)
            if target.type == .catalogPublished || target.type == .catalogRolledBack {
                throw Rejection.catalogUncorrectable(source: target.source, key: target.key)
            }
            guard let subject = subject ?? target.subject else {
                throw Failure(
                    .badInput, "missing_subject",
                    "\(target.source)/\(target.key) names no customer; name one with --subject")
            }
            let command = command(target)
            var request = try request(command, for: subject)
            request.environment = target.environment
            let receipt = try await ask(ledger, request)
            let verb = if case .voidEvent = command { "void" } else { "amended" }
            let tense = dryRun ? "would be" : "is"
            try show(receipt, "\(target.source)/\(target.key) \(tense) \(verb)", ledger)
        }
    }
}
