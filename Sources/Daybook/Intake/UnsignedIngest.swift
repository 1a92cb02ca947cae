import DaybookEvents
import DaybookIngest
import DaybookStore

/// Takes in what no store has signed, such as webhooks: all events of one payload are one commit with its bytes, and
/// what is refused becomes a dead letter.
struct UnsignedIngest {
    let writer: LedgerWriter

    private var core: LedgerCore { writer.core }

    /// - Parameters:
    ///   - identity: What tells whether the same key is the same event.
    ///   - read: Gives the new events of the payload and notes in the receipt what a person should know of it; `nil`:
    ///     the payload was taken in before. Throws a `PayloadRefusal` or a `LineProblem` for
    ///     what cannot be read.
    /// - Throws: `LedgerError` when the ledger cannot be written; a payload that is refused is an answer.
    func take(
        _ posted: PostedText, identity: (EventDraft) -> Int64,
        _ read: (inout IngestReceipt) throws -> [EventDraft]?
    ) async throws -> IngestReceipt {
        var receipt = IngestReceipt()
        receipt.texts = 1
        do {
            try core.refresh()
            guard let drafts = try read(&receipt) else { return receipt }
            if !drafts.isEmpty {
                let made = try await record(drafts, from: posted.payload, identity: identity)
                receipt.appended = made.appended
                receipt.duplicates += made.duplicates
                receipt.firstPosition = made.firstPosition
                receipt.lastPosition = made.lastPosition
            }
            try await DeadLetters(writer: writer).settle(of: posted.payload)
        } catch let refusal as PayloadRefusal {
            try await DeadLetters(writer: writer).refuse(posted, refusal, &receipt)
        } catch let problem as LineProblem {
            try await DeadLetters(writer: writer).refuse(
                posted, PayloadRefusal(.format, problem.sentence), &receipt)
        } catch LedgerError.badInput(let problems) {
            try await DeadLetters(writer: writer).refuse(
                posted, PayloadRefusal(problems), &receipt)
        }
        return receipt
    }

    /// Facts first: where an alias would give one person too many IDs, the webhook is recorded without its aliases.
    /// - Parameter identity: What tells whether the same key is the same event.
    private func record(
        _ drafts: [EventDraft], from payload: [UInt8], identity: (EventDraft) -> Int64
    ) async throws -> ReportReceipt {
        func reports(_ drafts: [EventDraft]) -> [PreparedEvent] {
            PreparedEvent.reading(
                drafts, from: payload, core.store.header.secret, digest: identity)
        }
        do {
            return try await writer.record(reports(drafts), ReportOptions())
        } catch LedgerError.badInput(let problems)
            where problems.allSatisfy({ $0.code == EventProblem.Code.personFull.rawValue })
        {
            let facts = drafts.filter { $0.type != .subjectAliased }
            guard !facts.isEmpty else { throw LedgerError.badInput(problems) }
            core.log.tell(
                .warning,
                "a payload is recorded without its aliases: they would give one person more than \(core.bounds.idsMax) ids"
            )
            return try await writer.record(reports(facts), ReportOptions())
        }
    }
}
