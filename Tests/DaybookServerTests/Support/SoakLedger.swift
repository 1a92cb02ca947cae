import Daybook
import DaybookEvents

extension Ledger {
    /// A million events of other customers, as X-10 has it.
    func fillForSoak() async throws {
        for batch in 0..<1_000 {
            try await record(
                (0..<1_000).map { index in
                    EventDraft(
                        type: .usageRecorded, subject: "old-\((batch * 1_000 + index) % 99_991)",
                        occurredAt: 1_767_225_600_000,
                        source: EventSource(kind: "native", key: "old-\(batch)-\(index)"),
                        trust: .imported,
                        data: [
                            "meter": "stories", "amount": 1, "ref": .string("\(batch)-\(index)"),
                        ])
                })
        }
    }
}
