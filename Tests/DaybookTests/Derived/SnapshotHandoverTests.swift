import Daybook
import DaybookAudit
import DaybookDomain
import DaybookEvents
import Foundation
import Testing

/// A ledger that stays open goes on upon each snapshot that it writes.
@Suite("Going on from a snapshot")
struct SnapshotHandoverTests {
    @Test(
        "Snapshots between commits, beside writers and readers, change no answer and lose nothing")
    func besideWriters() async throws {
        let folder = try LedgerFolder()
        let ledger = try await folder.create("dozzi") { 1_767_225_600_000 }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<4 {
                group.addTask {
                    for number in 0..<120 {
                        // New names, streams, aliases and corrections while the state is handed over.
                        let subject = "u\(writer)-\(number / 4)"
                        let draft = EventDraft(
                            type: .usageRecorded, subject: subject,
                            occurredAt: 1_767_225_000_000 + Int64(number),
                            source: EventSource(kind: "native", key: "\(writer)/\(number)"),
                            trust: .imported,
                            data: [
                                "meter": "stories", "amount": 1,
                                "ref": .string("s\(writer)-\(number)"),
                            ])
                        try await ledger.record([draft])
                        if number % 10 == 0 {
                            try await ledger.perform(
                                CommandRequest(
                                    .alias(to: subject), subject: "anon\(writer)-\(number)"))
                        }
                    }
                }
            }
            for _ in 0..<2 {
                group.addTask {
                    for _ in 0..<15 {
                        try ledger.snapshot()
                        _ = try ledger.check("stories", for: "u0-0")
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try ledger.subjects().count == 4 * 30 + 4 * 12)
        for writer in 0..<4 {
            for subject in 0..<30 {
                let used = try ledger.check("stories", for: "u\(writer)-\(subject)").usage?.used
                #expect(used == 4, "u\(writer)-\(subject)")
            }
        }
        let answers = try FinalAnswers(ledger)
        let digest = try ledger.digest()
        #expect(try ledger.replay(source: .rows).differences == [])
        let findings = try ledger.verify()
        #expect(findings.filter { !$0.isClean } == [])
        try ledger.close()
        let reopened = try Ledger.open(
            folder.path, readOnly: true, clock: { 1_767_225_600_000 })
        #expect(try reopened.digest() == digest)
        #expect(try FinalAnswers(reopened) == answers)
        try reopened.close()
    }
}
