import Daybook
import DaybookEvents
import DaybookFixtures
import DaybookTesting
import Testing

@Suite("Answers that take microseconds")
struct BriefAnswerTests {
    private static func uses(_ numbers: Range<Int>) -> [EventDraft] {
        numbers.map { .used("coins", at: LedgerFixture.start + Int64($0), ref: "r\($0)") }
    }

    @Test("They are about customers with at most 512 events")
    func bound() async throws {
        let fixture = try await LedgerFixture("sampler", document: SamplerCatalog.first)
        let ledger = fixture.ledger
        try await ledger.record(Self.uses(0..<512))
        #expect(try ledger.isBrief(about: "ada", environment: .production))
        try await ledger.record(Self.uses(512..<513))
        #expect(try !ledger.isBrief(about: "ada", environment: .production))
        #expect(try ledger.isBrief(about: "ada", environment: .sandbox))
        #expect(try ledger.isBrief(about: "ben", environment: .production))
    }

    @Test("What another process wrote is taken in before")
    func others() async throws {
        let folder = try LedgerFolder()
        let ledger = try await Ledger.create(at: folder.path, catalog: SamplerCatalog.first)
        let other = try Ledger.open(folder.path)
        #expect(try ledger.isBrief(about: "ada", environment: .production))
        try await other.record(Self.uses(0..<1))
        #expect(try !ledger.isBrief(about: "ada", environment: .production))
        #expect(try ledger.check("coins", for: "ada").usage?.used == 1)
        #expect(try ledger.isBrief(about: "ada", environment: .production))
        try await ledger.record(Self.uses(1..<2))
        #expect(try ledger.isBrief(about: "ada", environment: .production))
        try other.close()
        try ledger.close()
    }
}
