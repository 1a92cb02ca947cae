import Daybook
import DaybookAudit
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookTesting
import Testing

/// A what-if must say what a ledger would say in which things were really so.
@Suite("What-if: other catalogs and other events")
struct WhatIfTests {
    /// Which features are open, of the customer and of each profile, and the numbers of each meter.
    private struct Outcome: Equatable {
        var features: Set<String> = []
        var meters: [String: [Int64?]] = [:]

        static func profiles(
            _ ledger: Ledger, _ subject: String, _ environment: Environment, _ moment: Moment
        ) throws -> [String] {
            try ledger.status(of: subject, environment: environment, moment: moment).status
                .profiles.filter { !$0.profile.isDeleted }.map(\.profile.profile)
        }

        /// - Parameter profiles: The profiles that are asked about, where a feature belongs to a profile.
        init(
            _ ledger: Ledger, _ subject: String, _ environment: Environment, _ moment: Moment,
            profiles: Set<String>
        ) throws {
            let catalog = try #require(try ledger.catalogs().newest?.catalog)
            let (status, _) = try ledger.status(
                of: subject, environment: environment, moment: moment)
            for meter in status.meters where meter.kind != .window {
                meters[meter.name] = [meter.limit, meter.used, meter.remaining, meter.overage]
            }
            for feature in catalog.features {
                let asked: [String?] =
                    feature.scope == .profile && !profiles.isEmpty ? profiles.sorted() : [nil]
                for profile in asked {
                    let (decision, _) = try ledger.check(
                        CheckQuestion(feature.name, profile: profile), for: subject,
                        environment: environment, moment: moment)
                    if decision.allowed { features.insert("\(feature.name) \(profile ?? "")") }
                }
            }
        }

        /// What both ledgers say of one customer.
        static func pair(
            _ before: Ledger, _ after: Ledger, _ subject: String, _ environment: Environment,
            _ moment: Moment
        ) throws -> (Outcome, Outcome) {
            let profiles = Set(try profiles(before, subject, environment, moment))
                .union(try self.profiles(after, subject, environment, moment))
            return (
                try Outcome(before, subject, environment, moment, profiles: profiles),
                try Outcome(after, subject, environment, moment, profiles: profiles)
            )
        }
    }

    /// What two ledgers say of all customers, counted as a what-if counts it.
    private struct Expected: Equatable {
        var customers = 0
        var changed = 0
        var gained: [String: Int] = [:]
        var lost: [String: Int] = [:]

        init(_ before: Ledger, _ after: Ledger, _ environment: Environment, _ moment: Moment) throws
        {
            var seen: Set<String> = []
            for subject in try before.subjects(in: environment) {
                let (status, _) = try before.status(
                    of: subject, environment: environment, moment: moment)
                guard seen.insert(status.subject).inserted else { continue }
                customers += 1
                let (one, other) = try Outcome.pair(before, after, subject, environment, moment)
                if one != other { changed += 1 }
                func names(_ features: Set<String>) -> Set<String> {
                    Set(features.map { String($0.prefix { $0 != " " }) })
                }
                let opened = names(other.features.subtracting(one.features))
                let closed = names(one.features.subtracting(other.features))
                for name in opened { gained[name, default: 0] += 1 }
                for name in closed { lost[name, default: 0] += 1 }
            }
        }

        init(_ report: WhatIfReport) {
            customers = report.customers
            changed = report.changed
            for shift in report.features {
                if shift.gained > 0 { gained[shift.name] = shift.gained }
                if shift.lost > 0 { lost[shift.name] = shift.lost }
            }
        }
    }

    /// The app's catalog with every limit one less, and every free period half as long.
    private static func stricter(_ app: String) throws -> [UInt8] {
        let text = String(decoding: try Fixtures.catalogDocument(app), as: UTF8.self)
        return Array(
            text.replacing(#/limit: (\d+)/#) { "limit: \(max(0, (Int($0.1) ?? 1) - 1))" }
                .replacing("P7D", with: "P3D").utf8)
    }

    private static func moments(_ drafts: [EventDraft]) -> [Moment] {
        let times = drafts.compactMap(\.occurredAt).sorted()
        return [times[times.count / 2], (times.last ?? 0) + 86_400_000].map { Moment(at: $0) }
    }

    private static let environments: [Environment] = [.production, .sandbox]

    @Test("Its own catalog changes nothing", arguments: try StreamGolden.pairs())
    func sameRules(_ pair: StreamGolden.Pair) async throws {
        let drafts = try StreamGolden.drafts(of: pair)
        let ledger = try await StreamGolden.ledger(pair.app, holding: drafts)
        let what = WhatIf(catalog: try Fixtures.catalogDocument(pair.app))
        for moment in Self.moments(drafts) {
            let report = try ledger.whatIf(what, moment: moment)
            #expect(report.changed == 0 && report.top.isEmpty, "\(pair) \(report)")
        }
    }

    @Test(
        "Another catalog gives what a ledger with that catalog says",
        arguments: try StreamGolden.pairs())
    func otherRules(_ pair: StreamGolden.Pair) async throws {
        let drafts = try StreamGolden.drafts(of: pair)
        let document = try Self.stricter(pair.app)
        let ledger = try await StreamGolden.ledger(pair.app, holding: drafts)
        let other = try await StreamGolden.ledger(pair.app, holding: drafts, catalog: document)
        // Some streams bring a catalog of their own, which then rules there.
        guard try ledger.catalogs().versions.count == 1 else { return }
        for environment in Self.environments {
            for moment in Self.moments(drafts) {
                let report = try ledger.whatIf(
                    WhatIf(catalog: document), environment: environment, moment: moment)
                #expect(
                    Expected(report) == (try Expected(ledger, other, environment, moment)),
                    "\(pair) \(environment) \(moment)")
                let alone = try ledger.whatIf(
                    WhatIf(catalog: document), environment: environment, moment: moment, workers: 1)
                #expect(alone == report)
            }
        }
    }

    @Test("A month of people under another catalog, and from a day on")
    func month() async throws {
        let app = "dozzi"
        let month = SyntheticMonth(
            catalog: try Fixtures.catalog(app), seed: 20_261_121, subjects: 120)
        let drafts = month.deliveries
        let document = try Self.stricter(app)
        let ledger = try await StreamGolden.ledger(app, holding: drafts)
        let other = try await StreamGolden.ledger(app, holding: drafts, catalog: document)
        let moment = Moment(at: SyntheticMonth.end - 1)
        let expected = try Expected(ledger, other, .production, moment)
        #expect(expected.changed > 10 && expected.customers > 100)
        let report = try ledger.whatIf(WhatIf(catalog: document), moment: moment)
        #expect(Expected(report) == expected)
        #expect(report.top.count == 10)
        let stories = try #require(report.meters.first { $0.name == "stories" })
        #expect(stories.reached > 0 && stories.freed == 0)
        #expect(stories.overageAfter > stories.overageBefore)
        // It takes effect after the asked time: nothing is different yet.
        let later = WhatIf(catalog: document, effectiveAt: SyntheticMonth.end)
        #expect(try ledger.whatIf(later, moment: moment).changed == 0)
        let sooner = WhatIf(catalog: document, effectiveAt: SyntheticMonth.start)
        #expect(try ledger.whatIf(sooner, moment: moment).changed > 10)
    }

    @Test("Upon one customer another catalog says what it says of them among all")
    func oneCustomer() async throws {
        let app = "dozzi"
        let month = SyntheticMonth(
            catalog: try Fixtures.catalog(app), seed: 20_261_126, subjects: 40)
        let ledger = try await StreamGolden.ledger(app, holding: month.deliveries)
        let what = WhatIf(catalog: try Self.stricter(app))
        let moment = Moment(at: SyntheticMonth.end - 1)
        let all = try ledger.whatIf(what, moment: moment, topCountMax: 1_000)
        #expect(all.changed > 5 && all.changed < all.customers)
        var seen: Set<String> = []
        for subject in try ledger.subjects(in: .production) {
            let (status, _) = try ledger.status(of: subject, moment: moment)
            let one = try ledger.whatIf(what, of: subject, moment: moment)
            #expect(one.customers == 1, "\(subject)")
            #expect(one.top == all.top.filter { $0.subject == status.subject }, "\(subject)")
            seen.formUnion(one.top.map(\.subject))
        }
        #expect(seen == Set(all.top.map(\.subject)))
        #expect(throws: LedgerError.self) {
            try ledger.whatIf(what, of: "of whom nothing is known", moment: moment)
        }
    }

    @Test("Without an event it is as if it had never come", arguments: try StreamGolden.pairs())
    func drops(_ pair: StreamGolden.Pair) async throws {
        let drafts = try StreamGolden.drafts(of: pair)
        let ledger = try await StreamGolden.ledger(pair.app, holding: drafts)
        for (index, draft) in drafts.enumerated() where !draft.type.isOf(.catalog) {
            var rest = drafts
            rest.remove(at: index)
            let other = try await StreamGolden.ledger(pair.app, holding: rest)
            let target = WhatIf.Target(
                source: draft.source.kind, key: draft.source.key ?? "",
                environment: draft.environment)
            try Self.compare(
                WhatIf(drops: [target]), ledger, other, drafts,
                "\(pair) without line \(index + 1)")
        }
    }

    @Test("With an event it is as if it had come", arguments: try StreamGolden.pairs())
    func inserts(_ pair: StreamGolden.Pair) async throws {
        let drafts = try StreamGolden.drafts(of: pair)
        let ledger = try await StreamGolden.ledger(pair.app, holding: drafts)
        for (index, draft) in drafts.enumerated()
        where !draft.type.isOf(.catalog) && !draft.type.isOf(.correction) {
            var rest = drafts
            rest.remove(at: index)
            let other = try await StreamGolden.ledger(pair.app, holding: rest)
            try Self.compare(
                WhatIf(inserts: [draft]), other, ledger, drafts, "\(pair) with line \(index + 1)")
        }
    }

    /// All customers of both ledgers, one by one: those who are concerned must be told, and no others.
    private static func compare(
        _ what: WhatIf, _ before: Ledger, _ after: Ledger, _ drafts: [EventDraft], _ place: String
    ) throws {
        let named = what.drops.map(\.environment) + what.inserts.map(\.environment)
        for environment in Set(named) {
            for moment in moments(drafts) {
                let report = try before.whatIf(
                    what, environment: environment, moment: moment, topCountMax: 1_000)
                var different: Set<String> = []
                let names = Set(try before.subjects(in: environment))
                    .union(try after.subjects(in: environment))
                for subject in names {
                    let (status, _) = try after.status(
                        of: subject, environment: environment, moment: moment)
                    let (one, other) = try Outcome.pair(before, after, subject, environment, moment)
                    if one != other { different.insert(status.subject) }
                }
                let told = Set(
                    report.top.filter { !$0.difference.isEmpty }.map(\.subject))
                #expect(told == different, "\(place), \(environment), \(moment)")
            }
        }
    }

    @Test("Without its refund a purchase stays paid, and the features come back")
    func revenue() async throws {
        let pair = StreamGolden.Pair(app: "dozzi", name: "refund-after-two-stories")
        let drafts = try StreamGolden.drafts(of: pair)
        let ledger = try await StreamGolden.ledger(pair.app, holding: drafts)
        let refund = try #require(drafts.first { $0.type == .purchaseRefunded })
        let target = WhatIf.Target(
            source: refund.source.kind, key: refund.source.key ?? "", environment: .production)
        let at = Moment(at: (drafts.compactMap(\.occurredAt).max() ?? 0) + 1)
        let report = try ledger.whatIf(WhatIf(drops: [target]), moment: at)
        #expect(report.changed == 1)
        #expect(report.features.contains { $0.gained == 1 && $0.lost == 0 })
        let shift = try #require(report.revenue.first)
        #expect(shift.before == 0)
        #expect(shift.after == 2_990)
        #expect(report.top.first?.paidAfter.amounts == [shift.currency: 2_990])
    }

    @Test(
        "A refund counts from its own moment on",
        arguments: [(-1, 8_990), (0, 0)] as [(Int64, Int64)])
    func refundMoment(_ offset: Int64, _ paid: Int64) async throws {
        let fixture = try await LedgerFixture("sampler", document: SamplerCatalog.first)
        let (start, day) = (LedgerFixture.start, LedgerFixture.day)
        let bought = LineageFixture("1", product: "club.monthly")
        try await fixture.record(
            bought.started("1", from: start, until: start + 30 * day),
            bought.refunded("1", at: start + 5 * day),
            .used("coins", at: start + day, ref: "a"))
        let what = WhatIf(drops: [
            .init(source: "native", key: "coins/a/\(start + day)", environment: .production)
        ])
        let report = try fixture.ledger.whatIf(what, moment: Moment(at: start + 5 * day + offset))
        #expect(report.top.first?.paidBefore.amounts == ["USD": paid])
    }

    @Test("What was paid before a purchase was given away and came back was paid by them")
    func givenAwayAndBack() async throws {
        let fixture = try await LedgerFixture("sampler", document: SamplerCatalog.first)
        let start = LedgerFixture.start
        let day = LedgerFixture.day
        let bought = LineageFixture("1", product: "club.monthly")
        var mover = bought
        mover.subject = nil
        try await fixture.record(
            bought.started("1", from: start, until: start + 30 * day),
            mover.event(.purchaseTransferred, at: start + 10 * day, ["from": "ada", "to": "ben"]),
            mover.event(.purchaseTransferred, at: start + 20 * day, ["from": "ben", "to": "ada"]),
            bought.renewed("2", from: start + 30 * day, until: start + 60 * day),
            .used("coins", at: start + day, ref: "a"))
        let what = WhatIf(drops: [
            .init(source: "native", key: "coins/a/\(start + day)", environment: .production)
        ])
        let report = try fixture.ledger.whatIf(what, moment: Moment(at: start + 40 * day))
        #expect(report.top.map(\.subject) == ["ada"])
        #expect(report.top.first?.paidBefore.amounts == ["USD": 17_980])
    }

    @Test("What cannot be asked is refused, and nothing is written")
    func refusals() async throws {
        let pair = StreamGolden.Pair(app: "dozzi", name: "refund-after-two-stories")
        let drafts = try StreamGolden.drafts(of: pair)
        let ledger = try await StreamGolden.ledger(pair.app, holding: drafts)
        func code(_ what: WhatIf, _ moment: Moment = .now) -> String? {
            do {
                _ = try ledger.whatIf(what, moment: moment)
                return nil
            } catch LedgerError.badInput(let problems) {
                return problems.first?.code
            } catch {
                return "\(error)"
            }
        }
        func target(_ draft: EventDraft) -> WhatIf.Target {
            WhatIf.Target(
                source: draft.source.kind, key: draft.source.key ?? "",
                environment: draft.environment)
        }
        let last = try #require(drafts.last)
        #expect(code(WhatIf(inserts: [last])) == "key_taken")
        var missing = target(last)
        missing.key = "never"
        #expect(code(WhatIf(drops: [missing])) == "target_unknown")
        #expect(
            code(WhatIf(drops: [target(last)]), Moment(knownAt: .position(2))) == "target_unknown")
        let catalog = WhatIf.Target(
            source: "ledger", key: "catalog/1", environment: .production)
        #expect(code(WhatIf(drops: [catalog])) == "catalog_uncorrectable")
        #expect(code(WhatIf(catalog: Array("app: [".utf8))) != nil)
        #expect(code(WhatIf(catalog: try Fixtures.catalogDocument("ollie"))) == "other_app")
        var correction = last
        correction.type = .correctionVoided
        #expect(code(WhatIf(inserts: [correction])) == "not_insertable")
        var strange = last
        strange.source.key = "another"
        strange.occurredAt = -5
        #expect(code(WhatIf(inserts: [strange])) != nil)
        #expect(code(WhatIf(), Moment(knownAt: .position(99))) == "unknown_position")
        #expect(try ledger.head().position == Int64(drafts.count) + 1)
    }
}
