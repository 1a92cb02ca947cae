import Daybook
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookTesting
import Testing

/// Which customer sees which variant: by the catalog the first time, by the record from then on (DZ-39, MS-48).
@Suite("Experiments")
struct ExperimentTests {
    let fixture: LedgerFixture
    private var ledger: Ledger { fixture.ledger }

    init() async throws { fixture = try await LedgerFixture("dozzi") }

    private func expose(
        _ subject: String, _ experiment: String = "price", key: String? = nil
    ) async throws -> Receipt {
        try await ledger.perform(
            CommandRequest(.expose(experiment: experiment), subject: subject, key: key))
    }

    private func exposures(_ subject: String) throws -> [JSONObject] {
        try ledger.history(of: subject).map(\.event.draft)
            .filter { $0.type == .experimentExposed }.map(\.data)
    }

    /// A customer whom the catalog gives this variant.
    private func customer(_ variant: String, after number: Int = 0) throws -> String {
        let experiment = try #require(
            try ledger.catalogs().newest?.catalog.experiments.first { $0.name == "price" })
        return try #require(
            (number...).prefix(200).lazy.map { "c\($0)" }
                .first { experiment.variant(for: $0) == variant })
    }

    @Test("DZ-39 The first time is recorded; whatever the catalog says later, it stays")
    func sticky() async throws {
        let subject = try customer("lower")
        let first = try await expose(subject)
        #expect(first.variant == "lower")
        #expect(first.positions.count == 1)
        #expect(!first.wasDoneBefore)
        #expect(try exposures(subject) == [["experiment": "price", "variant": "lower"]])
        try await fixture.publish(replacing: [
            "{ regular: 1, lower: 1 }": "{ regular: 1, lower: 0 }"
        ])
        let second = try await expose(subject)
        #expect(second.variant == "lower")
        #expect(second.positions.isEmpty)
        #expect(second.wasDoneBefore)
        // A new customer gets what the catalog shares out now.
        for index in 0..<20 { #expect(try await expose("new\(index)").variant == "regular") }
        #expect(try exposures(subject).count == 1)
        // The other experiment has lots of its own.
        #expect(try await expose(subject, "paywall_copy").positions.count == 1)
        #expect(try exposures(subject).count == 2)
    }

    @Test("The same key gets the first receipt, and another payload under it is refused")
    func keys() async throws {
        let subject = try customer("lower")
        let first = try await expose(subject, key: "tap")
        #expect(try await expose(subject, key: "tap") == first)
        await #expect(throws: LedgerError.self) {
            _ = try await expose(subject, "paywall_copy", key: "tap")
        }
        #expect(try exposures(subject).count == 1)
    }

    @Test("What the app recorded by itself counts, also of an experiment that no catalog has")
    func reported() async throws {
        let subject = try customer("lower")
        try await fixture.record(
            .reported(
                .experimentExposed, at: Fixtures.now, key: "e1", subject: subject,
                ["experiment": "price", "variant": "own"]),
            .reported(
                .experimentExposed, at: Fixtures.now, key: "e2", subject: subject,
                ["experiment": "elsewhere", "variant": "x"]))
        #expect(try await expose(subject).variant == "own")
        #expect(try await expose(subject, "elsewhere").variant == "x")
        #expect(try exposures(subject).count == 2)
        do {
            _ = try await expose(subject, "prise")
            Issue.record("exposed")
        } catch LedgerError.rejected(let rejection, _) {
            #expect(rejection == .unknownName(name: "prise", nearest: "price"))
        }
    }

    @Test("Of two ids that become one person the earlier exposure counts; a voided one does not")
    func persons() async throws {
        let (low, regular) = (try customer("lower"), try customer("regular"))
        _ = try await expose(low)
        fixture.clock.now += 1
        _ = try await expose(regular)
        try await ledger.perform(CommandRequest(.alias(to: regular), subject: low))
        #expect(try await expose(regular).variant == "lower")
        let entry = try #require(
            try ledger.history(of: low).map(\.event.draft).first { $0.subject == low })
        try await ledger.perform(
            CommandRequest(
                .voidEvent(source: entry.source.kind, key: entry.source.key ?? ""), subject: low,
                actor: "kim", reason: "test"))
        #expect(try await expose(low).variant == "regular")
    }

    @Test("A hundred callers at once get one variant and leave one event")
    func concurrent() async throws {
        let subject = try customer("lower")
        let variants = try await withThrowingTaskGroup(of: String?.self) { group in
            for _ in 0..<100 { group.addTask { try await expose(subject).variant } }
            return try await group.reduce(into: Set<String?>()) { $0.insert($1) }
        }
        #expect(variants == ["lower"])
        #expect(try exposures(subject).count == 1)
    }

    @Test("A dry run tells the variant and records nothing; the funnel counts by the record")
    func funnel() async throws {
        let (low, regular) = (try customer("lower"), try customer("regular"))
        let dryRun = try await ledger.dryRun(
            CommandRequest(.expose(experiment: "price"), subject: low), isRestating: false)
        #expect(dryRun.variant == "lower")
        #expect(try exposures(low).isEmpty)
        for subject in [low, regular] {
            _ = try await expose(subject)
            try await fixture.record(
                .reported(
                    .paywallShown, at: fixture.clock.now + 1, key: "p/\(subject)",
                    subject: subject, ["context": "settings"]))
        }
        try await fixture.record(
            .reported(
                .checkoutStarted, at: fixture.clock.now + 2, key: "c", subject: low,
                ["product": "com.dozzi.unlimited"]))
        fixture.clock.now += 10
        let report = try ledger.funnel(FunnelRequest("paywall_to_purchase", by: .variant))
        #expect(
            Dictionary(uniqueKeysWithValues: report.groups.map { ($0.name, $0.steps.map(\.count)) })
                == ["lower": [1, 1, 0], "regular": [1, 0, 0]])
    }
}
