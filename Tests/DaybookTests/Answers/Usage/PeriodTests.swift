import Daybook
import DaybookDomain
import DaybookEvents
import DaybookTesting
import Testing

@Suite("Periods of counters")
struct PeriodTests {
    private static let lineage = LineageFixture("1000", product: "club.monthly")
    private static let yearly = LineageFixture("1000", product: "club.yearly")

    @Test(
        "A counter begins anew with its period: the millisecond before, at and after the boundary",
        arguments: [
            // A day of 23 hours, and one of 25.
            ("daily", "2026-03-08T05:00:00Z", "2026-03-09T04:00:00Z", "2026-03-08"),
            ("daily", "2026-11-01T04:00:00Z", "2026-11-02T05:00:00Z", "2026-11-01"),
            ("weekly", "2026-03-02T05:00:00Z", "2026-03-09T04:00:00Z", "2026-03-02"),
            ("quarterly", "2026-04-01T04:00:00Z", "2026-07-01T04:00:00Z", "2026-04-01"),
            ("half", "2026-07-01T04:00:00Z", "2027-01-01T05:00:00Z", "2026-07-01"),
            ("yearly", "2027-01-01T05:00:00Z", "2028-01-01T05:00:00Z", "2027-01-01"),
            ("monthly", "2026-04-01T04:00:00Z", "2026-05-01T04:00:00Z", "2026-04"),
            // First seen on 31 January at 10:00: ends of months clamp and do not stick.
            ("own", "2026-01-31T15:00:00Z", "2026-02-28T15:00:00Z", "2026-01-31"),
            ("own", "2026-02-28T15:00:00Z", "2026-03-31T14:00:00Z", "2026-02-28"),
            ("own", "2026-03-31T14:00:00Z", "2026-04-30T14:00:00Z", "2026-03-31"),
            // 30 times 24 hours, whatever the clocks do.
            (
                "fixed", "2026-01-31T15:00:00Z", "2026-03-02T15:00:00Z", "2026-01-31T10:00:00-05:00"
            ),
            (
                "fixed", "2026-03-02T15:00:00Z", "2026-04-01T15:00:00Z", "2026-03-02T10:00:00-05:00"
            ),
            // A stated time, with a short first period.
            ("stated", "2026-01-31T15:00:00Z", "2026-02-15T14:00:00Z", "2026-01-31"),
            ("stated", "2026-02-15T14:00:00Z", "2026-03-15T13:00:00Z", "2026-02-15"),
            ("stated", "2026-03-15T13:00:00Z", "2026-04-15T13:00:00Z", "2026-03-15"),
            // Without a subscription as first seen.
            ("billed", "2026-02-28T15:00:00Z", "2026-03-31T14:00:00Z", "2026-02-28"),
        ])
    func boundaries(_ meter: String, _ start: String, _ end: String, _ name: String) async throws {
        let fixture = try await MeterCatalog.fixture()
        let (first, last) = (instant(start), instant(end))
        for (index, time) in [first, last - 1, last].enumerated() {
            try await fixture.record(.used(meter, at: time, ref: "u\(index)"))
        }
        let answer = try #require(try fixture.meter(meter, at: first))
        #expect(answer.period?.start == first && answer.period?.end == last)
        #expect(answer.periodName == name)
        #expect(answer.lastResetAt == first && answer.used == 1)
        let before = try #require(try fixture.meter(meter, at: last - 1))
        #expect((before.used, before.period?.end) == (2, last))
        for time in [last, last + 1] {
            let after = try #require(try fixture.meter(meter, at: time))
            #expect((after.used, after.period?.start, after.lastResetAt) == (1, last, last))
        }
        if first > MeterCatalog.start {
            #expect(try fixture.meter(meter, at: first - 1)?.used == 0)
        }
    }

    @Test("A period by billing day begins with the purchase, and with the end of a free trial")
    func billing() async throws {
        let fixture = try await MeterCatalog.fixture()
        let (trial, paid) = (instant("2026-05-24T09:00:00Z"), instant("2026-05-31T09:00:00Z"))
        try await fixture.record(
            Self.lineage.started(
                "1000", from: trial, until: paid,
                ["offer": ["type": "introductory", "discount": "free_trial"]]))
        try await fixture.record(
            Self.lineage.renewed("1001", from: paid, until: instant("2026-06-30T09:00:00Z")))
        try await fixture.record(
            Self.lineage.renewed(
                "1002", from: instant("2026-06-30T09:00:00Z"),
                until: instant("2026-07-31T09:00:00Z")))
        for time in [
            "2026-05-24T08:59:59Z", "2026-05-24T09:00:00Z", "2026-05-31T08:59:59Z",
            "2026-05-31T09:00:00Z", "2026-06-30T09:00:00Z",
        ] {
            try await fixture.record(.used("billed", at: instant(time), ref: time))
        }
        // Before it the customer's own months count.
        let before = try #require(try fixture.meter("billed", at: trial - 1))
        #expect(before.period?.start == instant("2026-04-30T14:00:00Z"))
        #expect((before.used, before.remaining) == (1, 0))
        // What is to come is not known yet: neither the trial, nor that it is paid for.
        #expect(before.period?.end == instant("2026-05-31T14:00:00Z"))
        let during = try #require(try fixture.meter("billed", at: paid - 1))
        #expect(during.period?.start == trial)
        #expect(during.period?.end == instant("2026-06-24T09:00:00Z"))
        #expect((during.used, during.remaining) == (2, 3))
        // Billed on the 31st: 30 June, 31 July, whatever the store's own dates.
        let first = try #require(try fixture.meter("billed", at: paid))
        #expect(first.period?.start == paid)
        #expect(first.period?.end == instant("2026-06-30T09:00:00Z"))
        let second = try #require(try fixture.meter("billed", at: instant("2026-07-30T00:00:00Z")))
        #expect(second.period?.start == instant("2026-06-30T09:00:00Z"))
        #expect(second.period?.end == instant("2026-07-31T09:00:00Z"))
        #expect(second.used == 1)
        // After the last paid period its day stays, with the free limit.
        let lapsed = try #require(try fixture.meter("billed", at: instant("2026-09-01T00:00:00Z")))
        #expect(lapsed.period?.start == instant("2026-08-31T09:00:00Z"))
        #expect((lapsed.used, lapsed.limit) == (0, 1))
    }

    @Test("Recovery within grace keeps the day of billing, after a lapse it is the day of return")
    func recovery() async throws {
        for (gap, expected) in [
            (Int64(0), "2026-06-10T09:00:00Z"), (1, "2026-06-10T09:00:00Z"),
            (3, "2026-06-10T09:00:00Z"), (4, "2026-06-14T09:00:00Z"),
        ] {
            let fixture = try await MeterCatalog.fixture()
            let (start, end) = (instant("2026-05-10T09:00:00Z"), instant("2026-06-10T09:00:00Z"))
            try await fixture.record(Self.lineage.started("1000", from: start, until: end))
            try await fixture.record(
                Self.lineage.billingFailed(at: end, graceUntil: end + 3 * LedgerFixture.day))
            let recovered = end + gap * LedgerFixture.day
            try await fixture.record(
                Self.lineage.renewed(
                    "1001", from: recovered, until: instant("2026-07-10T09:00:00Z")))
            let answer = try #require(try fixture.meter("billed", at: recovered + 1))
            #expect(answer.period?.start == instant(expected))
            let later = try #require(
                try fixture.meter("billed", at: instant("2026-07-09T00:00:00Z")))
            #expect(later.period?.start == instant(expected))
        }
    }

    @Test("A lineage that is transferred is billed on its own day, from the transfer on")
    func transferred() async throws {
        let fixture = try await MeterCatalog.fixture()
        let start = instant("2026-05-31T09:00:00Z")
        try await fixture.record(
            LineageFixture("1000", product: "club.monthly", subject: "bob").started(
                "1000", from: start, until: instant("2026-08-31T09:00:00Z")))
        try await fixture.record(
            .reported(
                .purchaseTransferred, at: instant("2026-07-14T00:00:00Z"), key: "t",
                ["from": "bob", "to": "ada", "original_transaction_id": "1000"]))
        let before = try #require(try fixture.meter("billed", at: instant("2026-07-13T00:00:00Z")))
        #expect(before.period?.start == instant("2026-06-30T14:00:00Z"))
        let after = try #require(try fixture.meter("billed", at: instant("2026-07-15T00:00:00Z")))
        #expect(after.period?.start == instant("2026-07-14T00:00:00Z"))
        #expect(after.period?.end == instant("2026-07-31T09:00:00Z"))
    }

    @Test("Another product is billed from its own day on")
    func upgrade() async throws {
        let fixture = try await MeterCatalog.fixture()
        let (start, change) = (instant("2026-05-10T09:00:00Z"), instant("2026-05-20T09:00:00Z"))
        try await fixture.record(Self.lineage.started("1000", from: start, until: change))
        try await fixture.record(
            Self.yearly.renewed("1001", from: change, until: instant("2027-05-20T09:00:00Z")))
        let answer = try #require(try fixture.meter("billed", at: instant("2026-08-01T00:00:00Z")))
        #expect(answer.period?.start == instant("2026-07-20T09:00:00Z"))
    }

    @Test("What tick writes is keyed by the day on which the period began, once, and only if used")
    func evidence() async throws {
        let fixture = try await MeterCatalog.fixture(now: "2026-04-02T00:00:00Z")
        for meter in ["daily", "own", "fixed", "stated", "monthly"] {
            try await fixture.record(
                .used(meter, at: instant("2026-03-10T12:00:00Z"), ref: "u"))
        }
        try await fixture.ledger.tick()
        try await fixture.ledger.tick()
        let keys = try fixture.ledger.history(of: "ada").filter {
            $0.event.draft.type == .usageReset
        }.compactMap(\.event.draft.source.key)
        #expect(
            Set(keys) == [
                "reset/ada/daily/2026-04-01T04:00:00Z", "reset/ada/own/2026-03-31T14:00:00Z",
                "reset/ada/fixed/2026-04-01T15:00:00Z", "reset/ada/stated/2026-03-15T13:00:00Z",
                "reset/ada/monthly/2026-04",
            ])
        #expect(keys.count == 5)
    }

    @Test("A catalog that knows no such period or anchor is told what there is")
    func catalog() {
        for (lineage, words) in [
            ("period: P1M3D", ["no period", "PT720H"]),
            ("period: monthly", ["no period", "calendarMonth"]),
            ("period: PT10M", ["no period"]),
            ("period: PT720H, anchor: calendar", ["exact time", "firstSeen"]),
            ("period: P1M, anchor: birthday", ["no anchor", "billing"]),
            ("period: P1M, anchor: 2027-01-15", ["no time", "RFC 3339"]),
            ("period: anniversary, anchor: billing", ["anchor", "no meaning"]),
            ("anchor: billing", ["anchor", "no meaning"]),
        ] {
            let text = MeterCatalog.text.replacing(
                "daily: { kind: counter, period: P1D,", with: "daily: { kind: counter, \(lineage),")
            do throws(CatalogProblems) {
                _ = try CatalogReader.read(Array(text.utf8))
                Issue.record("\(lineage) was taken")
            } catch {
                let problems = error.problems.map(\.description)
                #expect(problems.count == 1, "\(lineage): \(problems)")
                for word in words {
                    #expect(problems.first?.contains(word) == true, "\(problems)")
                }
            }
        }
    }

    @Test("A published period keeps its length and its anchor")
    func structure() async throws {
        let fixture = try await MeterCatalog.fixture()
        for (old, new) in [
            ("period: P1D", "period: P2D"), ("anchor: billing", "anchor: firstSeen"),
            ("2026-03-15T13:00:00Z", "2026-03-16T13:00:00Z"), ("PT720H", "P30D"),
        ] {
            let text = MeterCatalog.text.replacing(old, with: new)
            await #expect(throws: LedgerError.self) {
                try await fixture.ledger.publish(CatalogPublication(document: Array(text.utf8)))
            }
        }
    }
}
