import Daybook

extension Failure {
    /// Some of what was given was refused: what was done with the rest stands on the standard output, this beside it,
    /// as with every refusal that is an answer.
    /// - Parameters:
    ///   - noun: What was refused: `signed payload`.
    ///   - isRestTaken: Whether something else was taken in.
    ///   - problems: Why, one for each.
    static func refused(
        _ problems: [InputProblem], _ noun: String, isRestTaken: Bool, remedy: String?
    ) -> Failure {
        let count = Int64(problems.count)
        let verb = count == 1 ? "was" : "were"
        let rest = isRestTaken ? "; the rest is taken in" : ""
        var failure = Failure(
            .badInput, "refused", "\(Words.count(count, noun)) \(verb) refused\(rest)")
        failure.problems = problems
        failure.remedy = remedy
        return failure
    }
}

extension IngestReceipt.RefusedText {
    /// `signedTransactions[3]: chain: … · 3f1c…`.
    var sentence: String {
        (place.isEmpty ? "" : "\(place): ") + "\(refusal.description) · \(sha256.prefix(12))"
    }
}

extension IngestReceipt {
    /// What ends a command that took in payloads; `nil`: nothing was refused.
    func failure(_ noun: String, isDryRun: Bool) -> Failure? {
        guard !refused.isEmpty else { return nil }
        return .refused(
            refused.map(\.problem), noun, isRestTaken: !isDryRun && appended + duplicates > 0,
            remedy: isDryRun ? nil : "daybook dead-letters list")
    }
}
