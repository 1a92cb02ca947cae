import Daybook
import DaybookAudit
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookTesting
import Testing

/// Publishing, going back, the past, and what a dry run says before anything is written (rule 8, X-14).
@Suite("Publishing catalogs")
struct CatalogPublishingTests {
    static let five = CatalogScopeTests.five

    let fixture: LedgerFixture
    let now = Fixtures.now
    let day = LedgerFixture.day

    init() async throws { fixture = try await LedgerFixture("magical-stories") }

    private var ledger: Ledger { fixture.ledger }

    private func publication(
        _ changes: [String: String] = five, scope: CatalogScope = .all, at time: Int64? = nil,
        isRetroactive: Bool = false
    ) throws -> CatalogPublication {
        CatalogPublication(
            document: Array(
                try LedgerFixture.catalog("magical-stories", replacing: changes).utf8),
            scope: scope, effectiveAt: time, isRetroactive: isRetroactive)
    }

    /// Why it was refused; `nil`: it was not.
    private func refusal(of publication: CatalogPublication) async throws -> LedgerError? {
        do {
            try await ledger.publish(publication)
            return nil
        } catch let error as LedgerError {
            return error
        }
    }

    private func limit(at time: Int64? = nil, knownAt: Moment.Knowledge? = nil) throws -> Int64? {
        try fixture.meter("stories", at: time, knownAt: knownAt)?.limit
    }

    // MARK: the past

    @Test("A catalog for the past is refused unless the past is meant, and then rules it")
    func past() async throws {
        let head = try ledger.head()
        let change = now - 5 * day
        let refused = try await refusal(of: publication(at: change))
        #expect(refused?.code == "retroactive")
        #expect(refused?.description.contains("answers about the past would change") == true)
        #expect(try ledger.head() == head)
        let position = head.position
        try await ledger.publish(publication(at: change, isRetroactive: true))
        #expect(try limit(at: change - 1) == 3)
        #expect(try limit(at: change) == 5)
        // The first catalog has ruled from the beginning: the moment of its publication is no turn.
        #expect(try limit() == 5)
        #expect(try limit(at: now + 90 * day) == 5)
        // What was known before it was published stays as it was (law 4).
        #expect(try limit(at: change, knownAt: .position(position)) == 3)
    }

    @Test("The very moment is not past; the millisecond before is")
    func boundary() async throws {
        #expect(try await refusal(of: publication(at: now)) == nil)
        #expect(try await refusal(of: publication([:], at: now - 1))?.code == "retroactive")
    }

    @Test(
        "A time outside of the years 1970 to 9999 is refused",
        arguments: [-1, EventBounds.timeMax + 1, Int64.max])
    func bounds(_ time: Int64) async throws {
        let refused = try await refusal(of: publication(at: time, isRetroactive: true))
        #expect(refused?.code == "out_of_bounds")
    }

    @Test("A past catalog rules until the next one, and is no way around it")
    func pastBetween() async throws {
        try await fixture.publish(replacing: ["limit: 3\n": "limit: 9\n"])
        let change = now - 5 * day
        let dryRun = try ledger.dryRun(publication(at: change, isRetroactive: true))
        #expect(dryRun.supersededAt == now)
        try await ledger.publish(publication(at: change, isRetroactive: true))
        #expect(try [change - 1, change, now - 1, now].map { try limit(at: $0) } == [3, 5, 5, 9])
    }

    // MARK: dry runs

    @Test("A dry run counts the people and answers that change, and writes nothing")
    func dryRun() async throws {
        let change = now - 5 * day
        try await fixture.record(
            .used("stories", at: now - day, ref: "a1"),
            .used("stories", at: now - day, ref: "b1", subject: "bob"),
            .used("stories", at: now - day, ref: "c1", subject: "anon"))
        try await ledger.perform(CommandRequest(.alias(to: "bob"), subject: "anon"))
        let head = try ledger.head()
        let digest = try ledger.digest().digest
        let dryRun = try ledger.dryRun(publication(at: change, isRetroactive: true))
        #expect(dryRun.moments == [change, now])
        #expect((dryRun.customers, dryRun.changedCustomers, dryRun.changedAnswers) == (2, 2, 4))
        #expect((dryRun.version, dryRun.effectiveAt) == (2, change))
        #expect(dryRun.position == head.position)
        #expect(!dryRun.isInForceAlready)
        #expect(try ledger.head() == head)
        #expect(try ledger.digest().digest == digest)
        #expect(try ledger.catalogs().versions.count == 1)
    }

    @Test("What a dry run says is what publishing then does")
    func dryRunIsTrue() async throws {
        for index in 0..<12 {
            try await fixture.record(
                .used("stories", at: now - Int64(index) * day, ref: "s", subject: "u\(index)"))
        }
        let plans: [CatalogPublication] = [
            try publication(at: now - 40 * day, isRetroactive: true),
            try publication(scope: .cohort(40), at: now - day, isRetroactive: true),
            try publication(scope: .newSubjects, at: now - 6 * day, isRetroactive: true),
            try publication(scope: .nextPeriod, at: now - 30 * day, isRetroactive: true),
            try publication(
                ["defaultTimeZone: UTC": "defaultTimeZone: Pacific/Auckland"],
                at: now - 16 * day, isRetroactive: true),
            CatalogPublication(effectiveAt: now - day, isRetroactive: true, rollBackTo: 1),
        ]
        for plan in plans {
            let dryRun = try ledger.dryRun(plan)
            func answers() throws -> [[Status]] {
                try ledger.subjects().map { subject in
                    try dryRun.moments.map {
                        try ledger.status(of: subject, moment: Moment(at: $0)).status
                    }
                }
            }
            let before = try answers()
            let receipt = try await ledger.publish(plan)
            let after = try answers()
            let pairs = zip(before, after)
            #expect(dryRun.changedCustomers == pairs.count { $0 != $1 })
            #expect(
                dryRun.changedAnswers
                    == pairs.map { zip($0, $1).count { $0 != $1 } }.reduce(0, +))
            #expect(dryRun.customers == 12)
            let entry = try ledger.catalogs().versions.first {
                receipt.positions.contains($0.position)
            }
            #expect(entry?.version == dryRun.version)
            #expect(entry?.scope == dryRun.scope)
        }
    }

    @Test("A dry run refuses what publishing refuses")
    func dryRunRefuses() async throws {
        let month = try publication(["period: calendarMonth": "period: lifetime"])
        for plan in [
            try publication(at: now - 1), month, CatalogPublication(rollBackTo: 7),
            try publication(scope: .cohort(200)), CatalogPublication(document: [0x3A]),
        ] {
            let refused = try #require(try await refusal(of: plan))
            #expect {
                try ledger.dryRun(plan)
            } throws: { error in
                (error as? LedgerError)?.description == refused.description
            }
        }
    }

    // MARK: the same again

    @Test("The same document again is nothing new while it rules, and is while it does not")
    func again() async throws {
        #expect(try await ledger.publish(publication([:])).positions.isEmpty)
        #expect(try ledger.dryRun(publication([:])).isInForceAlready)
        // Planned for next week it does not rule yet: published now, it does.
        try await ledger.publish(publication(at: now + 7 * day))
        #expect(try limit() == 3)
        let receipt = try await ledger.publish(publication())
        #expect(receipt.positions.count == 1)
        #expect(try limit() == 5)
        #expect(try await ledger.publish(publication()).positions.isEmpty)
        // For others it is another publication.
        #expect(try await ledger.publish(publication(scope: .cohort(10))).positions.count == 1)
    }

    // MARK: going back

    @Test("A rollback is for all customers, and what ruled before keeps its time")
    func rollback() async throws {
        try await fixture.publish(replacing: Self.five, scope: .cohort(100))
        fixture.clock.now += day
        try await ledger.publish(CatalogPublication(rollBackTo: 1))
        #expect(try limit(at: now) == 5)
        #expect(try limit(at: now + day - 1) == 5)
        #expect(try limit() == 3)
        fixture.clock.now += day
        try await ledger.publish(CatalogPublication(rollBackTo: 2))
        #expect(try limit() == 5)
        #expect(try ledger.catalogs().versions.map(\.version) == [1, 2, 1, 2])
        #expect(try ledger.catalogs().newest?.scope == .all)
        let clock = fixture.clock
        let reopened = try Ledger(store: ledger.core.store, clock: { clock.now })
        #expect(
            try reopened.catalogs().versions.map(\.version) == [1, 2, 1, 2])
        #expect(try reopened.verify().allSatisfy(\.isClean))
    }

    @Test("Going back can be planned, and for the past it must be meant")
    func rollbackTimes() async throws {
        try await fixture.publish(replacing: Self.five)
        try await ledger.publish(CatalogPublication(effectiveAt: now + day, rollBackTo: 1))
        #expect(try limit() == 5)
        #expect(try limit(at: now + day) == 3)
        fixture.clock.now = now + 9 * day
        let past = CatalogPublication(effectiveAt: now, rollBackTo: 1)
        #expect(try await refusal(of: past)?.code == "retroactive")
        try await ledger.publish(
            CatalogPublication(effectiveAt: now, isRetroactive: true, rollBackTo: 1))
        #expect(try limit(at: now) == 3)
    }

    @Test("To the version that rules already there is nothing to go back to, however often asked")
    func rollbackTwice() async throws {
        #expect(try await ledger.publish(CatalogPublication(rollBackTo: 1)).positions.isEmpty)
        try await fixture.publish(replacing: Self.five)
        let first = try await ledger.publish(CatalogPublication(rollBackTo: 1))
        #expect(first.positions.count == 1)
        #expect(try await ledger.publish(CatalogPublication(rollBackTo: 1)).positions.isEmpty)
        // The clock of this test stands still: the same request is the same event.
        let planned = CatalogPublication(effectiveAt: now + day, rollBackTo: 2)
        let twice = [try await ledger.publish(planned), try await ledger.publish(planned)]
        #expect(twice[0].positions == twice[1].positions)
        #expect(try ledger.verify().allSatisfy(\.isClean))
        #expect(try await refusal(of: CatalogPublication(rollBackTo: 9))?.code == "unknown_version")
    }

    @Test("A name that a rollback took out of force keeps its meaning for every catalog to come")
    func structure() async throws {
        let counter = "meters:\n  drawings:\n    kind: counter\n    limit: 4\n"
        let gauge = "meters:\n  drawings:\n    kind: gauge\n    limit: 4\n"
        try await fixture.publish(replacing: ["meters:\n": counter])
        try await ledger.consume("drawings", by: "ada", ref: "d1")
        fixture.clock.now += 1
        try await ledger.publish(CatalogPublication(rollBackTo: 1))
        let refused = try await refusal(of: publication(["meters:\n": gauge]))
        guard case .catalogConflict(let sentences) = refused else {
            Issue.record("\(String(describing: refused)) is no conflict")
            return
        }
        #expect(sentences.count == 1)
        #expect(sentences[0].contains("`drawings`"))
        // Without the name the old one can be mended, and its uses are still checked as what they are.
        fixture.clock.now += 1
        #expect(try await refusal(of: publication()) == nil)
        await #expect(throws: LedgerError.self) {
            try await fixture.record(.used("drawings", at: now, ref: "d2", amount: -1))
        }
        try await fixture.publish(replacing: ["meters:\n": counter])
        #expect(try fixture.meter("drawings")?.used == 1)
    }

    @Test("A catalog that rules may not lose a published name")
    func missing() async throws {
        let counter = "meters:\n  drawings:\n    kind: counter\n    limit: 4\n"
        try await fixture.publish(replacing: ["meters:\n": counter])
        fixture.clock.now += 1
        guard case .catalogConflict = try await refusal(of: publication()) else {
            Issue.record("a published meter went away")
            return
        }
    }

    @Test("A catalog cannot be voided or amended; the refusal points to the rollback")
    func uncorrectable() async throws {
        try await fixture.publish(replacing: Self.five)
        let commands: [Command] = [
            .voidEvent(source: "ledger", key: "catalog/2"),
            .amendEvent(
                source: "ledger", key: "catalog/2", patch: ["percent": 3]),
        ]
        for command in commands {
            let refused = try await fixture.refusal(of: command)
            #expect(refused?.code == "catalog_uncorrectable")
            #expect(refused?.description.contains("bring an older one into force") == true)
        }
        #expect(try limit() == 5)
    }
}

/// Catalogs that come with an import are held to the rules of publishing.
@Suite("Importing catalogs")
struct CatalogImportTests {
    let fixture: LedgerFixture
    let now = Fixtures.now

    init() async throws { fixture = try await LedgerFixture("magical-stories") }

    private func published(
        _ text: String, version: Int64, key: String? = nil, _ more: JSONObject = JSONObject()
    ) -> EventDraft {
        var data: JSONObject = [
            "version": .integer(version), "effective_at": .integer(now), "applies_to": "all",
            "document": .string(text),
            "document_sha256": .string(Digest.hexadecimal(Digest.sha256(Array(text.utf8)))),
        ]
        for member in more.members { data[member.name] = member.value }
        return EventDraft(
            type: .catalogPublished, subject: nil, occurredAt: now,
            source: EventSource(kind: "ledger", key: key ?? "catalog/\(version)"),
            trust: .admin, data: data)
    }

    private func text(_ changes: [String: String]) throws -> String {
        try LedgerFixture.catalog("magical-stories", replacing: changes)
    }

    private func problem(_ drafts: EventDraft...) async throws -> InputProblem? {
        let head = try fixture.ledger.head()
        do {
            try await fixture.ledger.record(drafts)
            return nil
        } catch LedgerError.badInput(let problems) {
            #expect(try fixture.ledger.head() == head)
            return problems.first
        }
    }

    @Test("A catalog of an export is taken and rules, in whatever batch it comes")
    func taken() async throws {
        let five = try text(CatalogScopeTests.five)
        #expect(try await problem(published(five, version: 2)) == nil)
        #expect(try fixture.meter("stories")?.limit == 5)
        #expect(try await problem(published(five, version: 2)) == nil)
        #expect(try fixture.ledger.catalogs().versions.count == 2)
    }

    @Test("Another app's catalog is refused")
    func otherApp() async throws {
        let dozzi = String(decoding: try Fixtures.catalogDocument("dozzi"), as: UTF8.self)
        let found = try await problem(published(dozzi, version: 2))
        #expect(found?.member == "data.document")
        #expect(found?.reason.contains("is of app \"dozzi\"") == true)
    }

    @Test("A published name keeps its structure, also within one batch")
    func structure() async throws {
        let lifetime = try text(["period: calendarMonth": "period: lifetime"])
        #expect(try await problem(published(lifetime, version: 2))?.member == "data.document")
        let counter = try text([
            "meters:\n": "meters:\n  drawings:\n    kind: counter\n    limit: 4\n"
        ])
        let gauge = try text([
            "meters:\n": "meters:\n  drawings:\n    kind: gauge\n    limit: 4\n"
        ])
        let both = try await problem(
            published(counter, version: 2), published(gauge, version: 3))
        #expect(both?.reason.contains("`drawings`") == true)
    }

    @Test("A version has one document, whatever its source")
    func version() async throws {
        let five = try text(CatalogScopeTests.five)
        let found = try await problem(published(five, version: 1, key: "foreign/1"))
        #expect(found?.member == "data.version")
    }

    @Test("The scope of a publication must be a known word and a valid number")
    func scope() async throws {
        let five = try text(CatalogScopeTests.five)
        let words: [(JSONObject, String)] = [
            (["applies_to": "left_handed"], "data.applies_to"),
            (["applies_to": "cohort"], "data.percent"),
            (["applies_to": "cohort", "percent": 101], "data.percent"),
        ]
        for (more, member) in words {
            #expect(
                try await problem(published(five, version: 2, more))?.member == member)
        }
    }

    @Test("A rollback to a version that is not there is refused; with its catalog it is taken")
    func rollback() async throws {
        let back = EventDraft(
            type: .catalogRolledBack, subject: nil, occurredAt: now,
            source: EventSource(kind: "ledger", key: "back"), trust: .admin,
            data: ["to_version": 2, "effective_at": .integer(now)])
        #expect(try await problem(back)?.member == "data.to_version")
        let five = published(try text(CatalogScopeTests.five), version: 2)
        #expect(try await problem(five, back) == nil)
        #expect(try fixture.ledger.catalogs().versions.map(\.version) == [1, 2, 2])
    }
}
