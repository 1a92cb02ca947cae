import Daybook
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookIngest
import DaybookTesting
import Testing

@Suite("What holds for all five apps")
struct PlatformTests {
    let fixture: LedgerFixture
    let lineage = MagicalStoriesPremiumTests.monthly
    let start = Fixtures.now
    let end = Fixtures.now + 31 * LedgerFixture.day

    init() async throws { fixture = try await LedgerFixture("magical-stories") }

    private var ledger: Ledger { fixture.ledger }

    @Test("X-01 In any order and any number the same events give the same state")
    func anyOrder() async throws {
        let drafts = [
            lineage.started("2000", from: start, until: end),
            lineage.billingFailed(at: end, graceUntil: end + 3 * LedgerFixture.day),
            lineage.renewed("2001", from: end, until: end + 28 * LedgerFixture.day),
            lineage.refunded("2001", at: end + LedgerFixture.day),
            .used("stories", at: start - LedgerFixture.day, ref: "s1"),
            .used("stories", at: start, ref: "s1"), .used("stories", at: start, ref: "s2"),
        ]
        try await ledger.record(drafts)
        let expected = try ledger.digest()
        let status = try fixture.status(at: end + 2 * LedgerFixture.day)
        for offset in drafts.indices {
            let other = try await LedgerFixture("magical-stories")
            let turned = Array(drafts[offset...] + drafts[..<offset])
            for draft in turned.reversed() + turned { try await other.record(draft) }
            #expect(try other.ledger.digest() == expected)
            #expect(try other.status(at: end + 2 * LedgerFixture.day) == status)
            #expect(try other.ledger.head().position == Int64(drafts.count) + 1)
        }
    }

    @Test("X-02 A ledger that is folded from zero has the digest of the one that lived")
    func rebuilt() async throws {
        try await fixture.record(lineage.started("2000", from: start, until: end))
        try await fixture.use("stories", "s1", "s2")
        try await fixture.record(.used("stories", at: start - LedgerFixture.day, ref: "late"))
        try await ledger.perform(CommandRequest(.alias(to: "ada"), subject: "anon"))
        let live = try ledger.digest()
        let clock = fixture.clock
        let rebuilt = try Ledger(store: ledger.core.store, clock: { clock.now })
        #expect(try rebuilt.digest() == live)
        #expect(try rebuilt.status(of: "ada").status == fixture.status())
    }

    @Test("X-03 An answer known at a time knows nothing that was recorded later")
    func knownAt() async throws {
        try await fixture.record(lineage.started("2000", from: start, until: end))
        let position = try ledger.head().position
        let recordedAt = fixture.clock.now
        let before = try fixture.status(at: start + LedgerFixture.day)
        fixture.clock.now += 2 * LedgerFixture.day
        try await fixture.record(
            lineage.refunded("2000", at: start), .used("stories", at: start, ref: "s1"))
        let time = start + LedgerFixture.day
        #expect(try fixture.status(at: time) != before)
        #expect(try fixture.status(at: time, knownAt: .position(position)) == before)
        #expect(try fixture.status(at: time, knownAt: .instant(recordedAt)) == before)
        #expect(try !fixture.check("customThemes", at: time).allowed)
    }

    @Test("X-04 Of many who consume at once exactly as many succeed as there are units")
    func exactly() async throws {
        try await fixture.use("stories", "s0")
        let ledger = ledger
        let outcomes = await withTaskGroup(of: String.self) { group in
            for index in 1...20 {
                group.addTask {
                    do {
                        try await ledger.consume("stories", by: "ada", ref: "s\(index)")
                        return "done"
                    } catch let error as LedgerError {
                        return error.code
                    } catch {
                        return "\(error)"
                    }
                }
            }
            return await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        }
        #expect(outcomes == ["done": 2, "limit_reached": 18])
        #expect(try fixture.count(of: .usageRecorded) == 3)
    }

    @Test("X-05 The same key again gets the first receipt, hours later too, and adds nothing")
    func sameKey() async throws {
        let command = Command.consume(meter: "stories", amount: 1, ref: "s1")
        let first = try await fixture.perform(command, key: "tap")
        let head = try ledger.head()
        fixture.clock.now += 5 * LedgerFixture.hour
        #expect(try await fixture.perform(command, key: "tap") == first)
        #expect(try ledger.head() == head)
    }

    @Test("X-06 The same key with another payload is a conflict that names the first position")
    func otherPayload() async throws {
        let first = try await fixture.perform(
            .consume(meter: "stories", amount: 1, ref: "s1"), key: "tap")
        let head = try ledger.head()
        await #expect {
            try await fixture.perform(.consume(meter: "stories", amount: 2, ref: "s1"), key: "tap")
        } throws: { error in
            guard case .idempotencyConflict("tap", let position)? = error as? LedgerError else {
                return false
            }
            return position == first.positions.first
        }
        #expect(try ledger.head() == head)
    }

    @Test("X-07 An unsigned payload and an altered one change nothing and become dead letters")
    func unsigned() async throws {
        let bench = try await AppStoreBench()
        let ledger = bench.fixture.ledger
        let parts = try bench.authority.sign(AppStoreBench.period()).split(separator: ".")
        let other = try bench.authority.sign(AppStoreBench.period("1002")).split(separator: ".")
        for text in ["\(parts[0]).\(parts[1]).", "\(parts[0]).\(other[1]).\(parts[2])"] {
            let receipt = try await ledger.ingest(
                Array(text.utf8), by: bench.verifier,
                options: IngestOptions(kind: .transaction, subject: "ada"))
            #expect(receipt.refused.count == 1)
            #expect(receipt.appended == 0)
        }
        #expect(Set(try ledger.deadLetters().map(\.code)) == ["format", "signature"])
        #expect(try bench.premium(at: AppStoreBench.now) == "none")
    }

    @Test("X-08 What happens in the sandbox stays in the sandbox")
    func environments() async throws {
        try await fixture.use("stories", "s1")
        let production = try fixture.status()
        var sandbox = lineage
        sandbox.environment = .sandbox
        var begun = EventDraft.reported(.onboardingStarted, at: start - 1, key: "o1")
        begun.environment = .sandbox
        try await fixture.record(begun, sandbox.started("2000", from: start, until: end))
        try await ledger.consume("stories", by: "ada", ref: "x1", environment: .sandbox)
        #expect(try fixture.status() == production)
        let other = try ledger.status(of: "ada", environment: .sandbox).status
        #expect(other.status == "premiumMonthly")
        #expect(try ledger.subjects(in: .sandbox) == ["ada"])
        let funnels = try [Environment.production, .sandbox].map {
            try ledger.funnel(FunnelRequest("onboarding_to_subscription", environment: $0))
                .steps.map(\.count)
        }
        #expect(funnels == [[0, 0], [1, 1]])
    }

    @Test("X-11 A restore returns everything that is owned, and a second one appends nothing")
    func restore() async throws {
        let signed = end + LedgerFixture.day
        let owned = [
            lineage.stated("2000", from: start, until: end, signedAt: signed),
            lineage.stated(
                "2001", from: end, until: end + 30 * LedgerFixture.day, signedAt: signed),
        ]
        fixture.clock.now = signed
        #expect(try await ledger.record(owned).appended == 2)
        #expect(try fixture.status().status == "premiumMonthly")
        let again = try await ledger.record(owned)
        #expect((again.appended, again.duplicates) == (0, 2))
        let newer = lineage.stated("2000", from: start, until: end, signedAt: signed + 1)
        #expect(try await fixture.record(newer).appended == 1)
        #expect(try fixture.entitlement("premium")?.isActive == true)
    }

    @Test("X-13 A catalog with another limit rules from the time that it names")
    func limits() async throws {
        try await fixture.use("stories", "s1", "s2", "s3")
        let change = start + LedgerFixture.day
        let locked = """
              customThemes:
                recordsDenials: true
                displayName: feature.customThemes.name
                lockedText: feature.customThemes.locked

            """
        try await fixture.publish(
            replacing: [
                "limit: 3\n": "limit: 5\n", locked: "  customThemes: { isFree: true }\n",
            ], effectiveAt: change)
        #expect(try !fixture.check("customThemes", at: change - 1).allowed)
        #expect(try fixture.check("customThemes", at: change).allowed)
        #expect(try fixture.meter("stories", at: change - 1)?.remaining == 0)
        #expect(try fixture.meter("stories", at: change)?.remaining == 2)
        #expect(
            try await fixture.refusal(of: .consume(meter: "stories", amount: 1, ref: "s4")) != nil)
        fixture.clock.now = change
        try await fixture.use("stories", "s4", "s5")
        #expect(try fixture.meter("stories")?.remaining == 0)
    }

    /// What the apps' documents put beside each product.
    static let shown: [(app: String, id: String, group: String?, price: String)] = [
        ("dozzi", "com.dozzi.unlimited_stories", nil, "$2.99"),
        ("magical-stories", "com.magicalstories.premium.monthly", "Premium", "$8.99/month"),
        ("magical-stories", "com.magicalstories.premium.yearly", "Premium", "$89.99/year"),
        ("ollie", "com.ollie.premium.perdog", nil, "€19"),
        ("ollie", "com.ollie.premium.perdog.2", nil, "€19"),
        ("ollie", "com.ollie.premium.perdog.3", nil, "€19"),
        ("fork-in-the-road", "com.forkintheroad.app.premium.monthly", "Premium", "$0.99/month"),
        ("fork-in-the-road", "com.forkintheroad.app.premium.yearly", "Premium", "$10/year"),
        ("nuzzle", "com.nestling.pro.monthly", "Nuzzle Pro", "$5.99/month"),
        ("nuzzle", "com.nestling.pro.yearly", "Nuzzle Pro", "$39.99/year"),
    ]

    @Test(
        "X-12 Every product has its group, its price on show and its description",
        arguments: shown.indices)
    func product(_ index: Int) throws {
        let row = Self.shown[index]
        let catalog = try Fixtures.catalog(row.app)
        func text(_ key: String?) -> String? {
            key.flatMap { catalog.text($0, locale: catalog.defaultLocale) }
        }
        let product = try #require(catalog.product(row.id))
        #expect(product.group == row.group)
        #expect(text(product.displayPrice) == row.price)
        #expect(text(product.displayDescription)?.isEmpty == false)
        #expect(catalog.products.count == Self.shown.count { $0.app == row.app })
    }

    /// The app's catalog with every feature open to all and no limit on any meter.
    private func everythingFree() throws -> String {
        let text = try LedgerFixture.catalog(
            "magical-stories",
            replacing: ["limit: 3\n": "limit: unlimited\n", "limit: 1\n": "limit: unlimited\n"])
        var section = Substring()
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        return lines.compactMap { line -> String? in
            if !line.hasPrefix(" "), line.hasSuffix(":") { section = line }
            guard section == "features:", line.hasPrefix("  ") else { return String(line) }
            return line.hasPrefix("    ") || line.contains("#") ? nil : "\(line) { isFree: true }"
        }.joined(separator: "\n")
    }

    @Test("X-14 Everything can be made free and taken back, and history keeps both")
    func rollback() async throws {
        try await fixture.use("stories", "s1", "s2", "s3")
        fixture.clock.now += LedgerFixture.day
        let open = fixture.clock.now
        try await ledger.publish(CatalogPublication(document: Array(try everythingFree().utf8)))
        let names = MagicalStoriesPremiumTests.features + ["stories", "child_profiles"]
        let free = try #require(try ledger.catalogs().newest?.catalog)
        for name in free.features.map(\.name) + free.meters.map(\.name) {
            #expect(try fixture.check(name).allowed, "\(name)")
        }
        try await fixture.use("stories", "s4")
        fixture.clock.now += LedgerFixture.day
        try await ledger.publish(CatalogPublication(rollBackTo: 1))
        for name in names.dropLast() { #expect(try !fixture.check(name).allowed, "\(name)") }
        #expect(try fixture.check("stories", at: open).allowed)
        #expect(try !fixture.check("stories", at: open - 1).allowed)
        #expect(try fixture.meter("stories")?.limit == 3)
        #expect(try fixture.meter("child_profiles")?.limit == 1)
        #expect(try fixture.meter("stories")?.used == 4)
        #expect(try ledger.catalogs().versions.map(\.version) == [1, 2, 1])
    }
}
