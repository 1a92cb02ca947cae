import Daybook
import DaybookDomain
import DaybookEvents
import DaybookStore
import DaybookTesting
import Foundation
import Testing

/// The laws of design §1 over invented histories. The seed is printed; `DAYBOOK_SEED` repeats a run.
@Suite("Laws over invented histories")
struct LawTests {
    static let seed: UInt64 =
        ProcessInfo.processInfo.environment["DAYBOOK_SEED"].flatMap(UInt64.init)
        ?? UInt64.random(in: 1...999_999)
    static let permutations =
        ProcessInfo.processInfo.environment["DAYBOOK_TIER"] == nil ? 100 : 400

    /// A ledger that took the drafts in this order, in batches of random size.
    static func ledger(
        _ app: String, _ drafts: [EventDraft], _ random: inout SplitMix64
    ) async throws -> Ledger {
        let ledger = try Ledger(inMemory: app, clock: { 0 })
        try await ledger.publish(
            CatalogPublication(document: try Fixtures.catalogDocument(app), effectiveAt: 0))
        try await record(drafts, in: ledger, batchCountMax: 40, &random)
        return ledger
    }

    /// Takes the drafts in this order, in batches of random size.
    static func record(
        _ drafts: [EventDraft], in ledger: Ledger, batchCountMax: Int, _ random: inout SplitMix64
    ) async throws {
        var start = 0
        while start < drafts.count {
            let end = min(drafts.count, start + Int.random(in: 1...batchCountMax, using: &random))
            try await ledger.record(Array(drafts[start..<end]))
            start = end
        }
    }

    static func drafts(_ app: String, seed: UInt64, subjects: Int = 8, events: Int = 400) throws
        -> [EventDraft]
    {
        var generator = EventGenerator(seed: seed, catalog: try Fixtures.catalog(app))
        return generator.stream(subjects: subjects, events: events)
    }

    @Test(
        "X-01 Law 1: any order and any multiplicity give the same digest", arguments: Fixtures.apps)
    func order(_ app: String) async throws {
        print("seed \(Self.seed)")
        var random = SplitMix64(seed: Self.seed)
        let drafts = try Self.drafts(app, seed: Self.seed)
        let mold = try await LedgerMold(app)
        let inOrder = try mold.ledger()
        try await Self.record(drafts, in: inOrder, batchCountMax: 40, &random)
        let expected = try inOrder.digest()
        let answers = try FinalAnswers(inOrder)
        #expect(expected.unitCount > 8)
        for round in 1...Self.permutations {
            let repeated = drafts + drafts.shuffled(using: &random).prefix(drafts.count / 4)
            let ledger = try mold.ledger()
            try await Self.record(
                repeated.shuffled(using: &random), in: ledger, batchCountMax: 40, &random)
            let digest = try ledger.digest()
            #expect(digest == expected, "seed \(Self.seed), round \(round)")
            #expect(try FinalAnswers(ledger) == answers, "seed \(Self.seed), round \(round)")
            guard digest == expected else { return }
        }
    }

    @Test(
        "X-02 Law 2: folding from zero gives the live state for any batch split and 1, 2 and 7 workers",
        arguments: Fixtures.apps)
    func replay(_ app: String) async throws {
        print("seed \(Self.seed)")
        var random = SplitMix64(seed: Self.seed)
        let drafts = try Self.drafts(app, seed: Self.seed).shuffled(using: &random)
        let ledger = try await Self.ledger(app, drafts, &random)
        let live = try ledger.digest().digest
        for workers in [1, 2, 7] {
            for batchCount in [1, 3, 64, 1_000] {
                let report = try ledger.replay(workers: workers, batchCount: batchCount)
                #expect(report.agrees)
                #expect(report.digest == live)
                #expect(report.differences == [])
            }
        }
    }

    @Test(
        "X-03 Law 4: an answer known at a position is the answer of a ledger that ends there",
        arguments: Fixtures.apps)
    func knowledge(_ app: String) async throws {
        print("seed \(Self.seed)")
        var random = SplitMix64(seed: Self.seed)
        let drafts = try Self.drafts(app, seed: Self.seed, events: 120).shuffled(using: &random)
        let whole = try await Self.ledger(app, drafts, &random)
        let subjects = try whole.subjects()
        for _ in 0..<12 {
            let count = Int.random(in: 0...drafts.count, using: &random)
            let part = try await Self.ledger(app, Array(drafts[..<count]), &random)
            let at = Int64.random(in: 1_767_225_600_000...1_790_000_000_000, using: &random)
            let cut = try part.head().position
            for subject in subjects {
                let then = try whole.status(
                    of: subject, moment: Moment(at: at, knownAt: .position(cut))
                ).status
                let alone = try part.status(of: subject, moment: Moment(at: at)).status
                #expect(then == alone, "\(subject) at \(at), known at \(cut), seed \(Self.seed)")
            }
        }
    }

    @Test(
        "Rule 4: at every moment of every recorded stream the ledger says what the naive model says",
        arguments: Fixtures.apps)
    func model(_ app: String) async throws {
        try await ModelComparison.compareStreams(of: app, try Fixtures.catalogDocument(app))
    }
}

/// Asks the ledger and the naive model the same questions.
struct ModelComparison {
    let ledger: Ledger
    let model: ReferenceModel
    let catalog: Catalog
    let eventCount: Int64
    let subjects: [String]
    /// Every event's time, the millisecond before it, and the end of the year.
    let moments: [Int64]

    init(_ ledger: Ledger) throws {
        self.ledger = ledger
        var events: [RecordedEvent] = []
        try ledger.export { line in
            let json = try JSONReader.read(Array(line.dropLast()))
            let draft = try EventValidator.canonical(try EventJSON.draft(from: json))
            events.append(
                RecordedEvent(
                    position: Int64(events.count + 1), streamVersion: 0, recordedAt: 0,
                    stream: EventRouter.stream(of: draft), draft: draft))
        }
        let published = try ledger.catalogs()
        catalog = try #require(published.newest?.catalog)
        let zones = ZoneTables()
        model = ReferenceModel(
            events: events,
            catalogs: published.versions.map {
                (
                    position: $0.position, effectiveAt: $0.effectiveAt, scope: $0.scope,
                    document: $0.documentDigest, catalog: $0.catalog
                )
            }, zones: { zones.table(named: $0) })
        eventCount = Int64(events.count)
        subjects = try ledger.subjects()
        let times = Set(events.dropFirst().compactMap(\.draft.occurredAt))
        moments = Array(times.union(times.map { $0 - 1 }).union([1_798_675_200_000])).sorted()
    }

    /// Asks about every moment and every cut of every recorded stream of an app, under one catalog.
    static func compareStreams(of app: String, _ catalog: [UInt8]) async throws {
        let folder = Fixtures.root.appending(path: "events/\(app)")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { $0.hasSuffix(".ndjson") }.sorted()
        #expect(!files.isEmpty)
        for file in files {
            let ledger = try Ledger(inMemory: app, clock: { 0 })
            try await ledger.publish(CatalogPublication(document: catalog, effectiveAt: 0))
            var chunks = [Array(try Data(contentsOf: folder.appending(path: file)))]
            _ = try await ledger.importLines(
                { chunks.popLast() }, options: ImportOptions(isAsRecorded: true))
            let comparison = try ModelComparison(ledger)
            for at in comparison.moments {
                for cut in 1...comparison.eventCount {
                    for difference in try comparison.differences(at: at, cut: cut) {
                        Issue.record("\(file): \(difference)")
                    }
                }
            }
        }
    }

    func differences(at: Int64, cut: Int64?) throws -> [String] {
        var found: [String] = []
        for subject in subjects {
            let moment = Moment(at: at, knownAt: cut.map(Moment.Knowledge.position))
            let status = try ledger.status(of: subject, moment: moment).status
            let expected = model.answer(
                subject: subject, environment: .production, at: at, cut: cut ?? eventCount)
            let place = "\(subject) at \(at) cut \(cut ?? -1)"
            found += differences(of: status, expected, place)
            found += try features(subject, moment, status, expected, place)
            for meter in status.meters {
                guard let model = expected.meters[meter.name] else { continue }
                let over = meter.kind == .gauge ? meter.excess : meter.overage
                let ours = (meter.used, meter.reserved, meter.remaining, over)
                if meter.kind != .window,
                    ours != (model.used, model.reserved, model.remaining, model.overage)
                {
                    found.append("\(place): \(meter.name) \(ours), model \(model)")
                }
            }
        }
        return found
    }

    /// Where purchases serve profiles the model answers per profile alone; and it keeps a client's own end where the
    /// ledger tells until when the client's word counts (rule 11).
    private func differences(
        of status: Status, _ expected: ReferenceAnswer, _ place: String
    ) -> [String] {
        guard !catalog.products.contains(where: { $0.scope == .profile }) else { return [] }
        return status.entitlements.compactMap { entitlement in
            guard let model = expected.entitlements[entitlement.name] else { return nil }
            let ours = entitlement.isActive ? entitlement.expiresAt : nil
            let theirs = model.isActive ? model.expiresAt : nil
            let isEnd = catalog.policies.clientAssertedHours > 0 || ours == theirs
            return model.isActive == entitlement.isActive && isEnd
                ? nil
                : "\(place): \(entitlement.name) \(entitlement.isActive) until \(ours ?? -1), model \(model)"
        }
    }

    private func features(
        _ subject: String, _ moment: Moment, _ status: Status, _ expected: ReferenceAnswer,
        _ place: String
    ) throws -> [String] {
        var found: [String] = []
        for profile in status.profiles where !profile.profile.isDeleted {
            for (feature, model) in expected.profileFeatures[profile.profile.profile] ?? [:] {
                let decision = try ledger.check(
                    CheckQuestion(feature, profile: profile.profile.profile), for: subject,
                    moment: moment
                ).decision
                if decision.allowed != model.isAllowed {
                    found.append("\(place): \(feature) \(decision.reason), model \(model)")
                }
            }
        }
        return found
    }
}
