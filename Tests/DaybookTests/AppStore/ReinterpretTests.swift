import Daybook
import DaybookAudit
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookIngest
import DaybookStore
import DaybookTesting
import Testing

/// Kept payloads, read again by the same and by other code.
@Suite("Reinterpretation")
struct ReinterpretTests {
    private static let day = LedgerFixture.day

    /// The present code with some events otherwise.
    static func mapping(
        _ change: @escaping @Sendable (inout [EventDraft]) throws -> Void
    ) -> PayloadMapping {
        PayloadMapping { payload in
            var drafts = try PayloadMapping.present.events(of: payload)
            try change(&drafts)
            return drafts
        }
    }

    /// Renewals cost a cent more.
    static let dearer = mapping { drafts in
        for index in drafts.indices where drafts[index].type == .subscriptionRenewed {
            drafts[index].data["price_milli"] = 9_000
        }
    }
    private static let withoutRenewals = mapping { drafts in
        drafts.removeAll { $0.type == .storeRenewalStated }
    }
    private static let withMore = mapping { drafts in
        guard var more = drafts.first(where: { $0.type == .subscriptionExpired }) else { return }
        more.type = EventTypeName(rawValue: "ops.farewell")
        more.source.key = (more.source.key ?? "") + "#farewell"
        drafts.append(more)
    }
    private static let otherType = mapping { drafts in
        for index in drafts.indices where drafts[index].type == .refundRequested {
            drafts[index].type = .refundDeclined
        }
        for index in drafts.indices where drafts[index].type == .purchaseRefundReversed {
            drafts[index].type = .refundDeclined
        }
    }

    /// The whole life of the sandbox, taken in.
    static func lived() async throws -> AppStoreBench {
        let bench = try await AppStoreBench()
        for moment in try SandboxLifeTests.life().moments() {
            try await bench.take(moment.notification)
        }
        return bench
    }

    static func apply(
        _ ledger: Ledger, _ mapping: PayloadMapping = .present, isApplied: Bool = true
    ) async throws -> ReinterpretationReport {
        var options = ReinterpretOptions()
        options.isApplied = isApplied
        return try await ledger.reinterpret(options, mapping: mapping)
    }

    private static func events(_ ledger: Ledger, after position: Int64 = 0) throws -> [EventDraft] {
        var found: [EventDraft] = []
        try ledger.export(after: position) { line in
            found.append(try EventJSON.draft(from: JSONReader.read(line)))
        }
        return found
    }

    @Test("The same code changes nothing: a life, claims, consumables, downloads, webhooks")
    func same() async throws {
        let bench = try await Self.lived()
        let ledger = bench.fixture.ledger
        // Two claims to the same bytes, and a name that makes the key a digest.
        let book = SandboxTransaction(
            bundleID: AppStoreBench.bundleID, productID: "com.example.book", type: .nonConsumable,
            transactionID: "7", purchasedAt: AppStoreBench.now)
        let long = String(repeating: "x", count: 250)
        for subject in [nil, "ada", "bob", long] { try await bench.post(book, by: subject) }
        var coins = book
        (coins.type, coins.transactionID) = (.consumable, "8")
        try await bench.post(coins)
        try await bench.post(coins, by: "ada")
        coins.appAccountToken = "eve"
        (coins.transactionID, coins.signedAt) = ("9", AppStoreBench.now + 1)
        try await bench.post(coins)
        try await bench.take(
            AppStoreBench.notification(.oneTimeCharge, nil, coins, nil, signedAt: AppStoreBench.now)
        )
        try await bench.take(
            AppStoreBench.notification(.test, nil, nil, nil, signedAt: AppStoreBench.now))
        // A notification that was handed in for a customer.
        let handed = AppStoreBench.notification(
            .refundDeclined, nil, AppStoreBench.period("5001"), AppStoreBench.renewal(),
            signedAt: AppStoreBench.now)
        _ = try await ledger.ingest(
            Array(try bench.authority.sign(handed).utf8), by: bench.verifier,
            options: IngestOptions(subject: "ada"))
        _ = try await ledger.ingest(
            Array(try bench.authority.sign(AppStoreBench.renewal()).utf8), by: bench.verifier,
            options: IngestOptions(kind: .renewal))
        for (payload, _) in RevenueCatIngestTests.everyType {
            _ = try await ledger.ingestRevenueCat(payload)
        }
        #expect(try ledger.deadLetters().isEmpty)
        let before = (try ledger.digest().digest, try ledger.head().position)
        let report = try await Self.apply(ledger)
        #expect(report.differences == [])
        #expect(report.unreadable == [])
        #expect(report.payloads > 40)
        #expect(report.events == Int(before.1) - 1)
        #expect((report.appended, report.settled) == (0, 0))
        #expect(report.withoutPayload == [:])
        #expect(try ledger.digest().digest == before.0)
        #expect(try ledger.head().position == before.1)
    }

    @Test(
        "A field that is read otherwise is shown before anything is written, then voided and told anew"
    )
    func field() async throws {
        let bench = try await Self.lived()
        let ledger = bench.fixture.ledger
        let head = try ledger.head().position
        let before = try Self.states(bench)
        let shown = try await Self.apply(ledger, Self.dearer, isApplied: false)
        #expect(shown.changes == [.replaced: 3])
        #expect(
            shown.differences.map(\.type.rawValue)
                == Array(repeating: "subscription.renewed", count: 3))
        #expect(
            shown.differences[0].fields
                == [.init(name: "data.price_milli", recorded: 8_990, now: 9_000)])
        #expect(try ledger.head().position == head)
        let applied = try await Self.apply(ledger, Self.dearer)
        #expect(applied.differences == shown.differences)
        #expect(applied.appended == 6)
        let written = try Self.events(ledger, after: head)
        #expect(written.map(\.type.rawValue).filter { $0 == "correction.voided" }.count == 3)
        for (index, event) in written.enumerated() where event.type == .correctionVoided {
            let target = try #require(event.data["target"]?.object)
            #expect(target["source"] == "apple_asn_v2")
            #expect(event.data["reason"]?.text?.isEmpty == false)
            #expect(event.data["ticket"] != nil)
            let next = written[index + 1]
            #expect(next.trust == .verified)
            #expect(next.source.key == (target["key"]?.text ?? "") + "~1")
            #expect(next.data["price_milli"] == 9_000)
            let old = try #require(
                try ledger.event(
                    source: "apple_asn_v2", key: target["key"]?.text ?? "", environment: .test))
            #expect(old.draft.data["price_milli"] == 8_990)
            #expect(old.draft.extras["raw_sha256"] == next.extras["raw_sha256"])
        }
        let again = try await Self.apply(ledger, Self.dearer)
        #expect((again.differenceCount, again.appended) == (0, 0))
        #expect(try ledger.replay().agrees)
        // The life is what it was.
        #expect(try Self.states(bench) == before)
    }

    /// The state at each moment of the life.
    private static func states(_ bench: AppStoreBench) throws -> [String] {
        try SandboxLifeTests.life().moments().map { try bench.premium(at: $0.at) }
    }

    @Test(
        "To other code and back any number of times: each time all of it, then nothing",
        arguments: [0, 1, 2, 3])
    func backAndForth(number: Int) async throws {
        let others = [Self.dearer, Self.withoutRenewals, Self.withMore, Self.otherType]
        let changes: [[ReinterpretedEvent.Change: Int]] = [
            [.replaced: 3], [.voided: 11], [.added: 1], [.replaced: 1],
        ]
        let bench = try await Self.lived()
        let ledger = bench.fixture.ledger
        let before = try Self.states(bench)
        for round in 0..<3 {
            let there = try await Self.apply(ledger, others[number])
            #expect(there.differenceCount == changes[number].values.reduce(0, +))
            if round == 0 { #expect(there.changes == changes[number]) }
            #expect(try await Self.apply(ledger, others[number]).differenceCount == 0)
            let back = try await Self.apply(ledger)
            #expect(back.differenceCount == there.differenceCount)
            #expect(try await Self.apply(ledger).differenceCount == 0)
            #expect(try Self.states(bench) == before)
        }
        #expect(try ledger.replay().agrees)
        #expect(try ledger.verify().allSatisfy(\.isClean))
    }

    @Test(
        "What is not signed is amended where that will do, and what an operator amended keeps its value"
    )
    func amended() async throws {
        let ledger = try await Fixtures.ledger("nuzzle")
        for id in ["w1", "w2"] {
            _ = try await ledger.ingestRevenueCat(
                RevenueCatIngestTests.webhook("RENEWAL", id, transaction: "91\(id)"))
        }
        try await ledger.perform(
            CommandRequest(
                .amendEvent(
                    source: "revenuecat", key: "w2", patch: ["price_milli": 1]),
                subject: "ada", reason: "gift"))
        let other = Self.mapping { drafts in
            drafts[0].data["price_milli"] = 7_000
            drafts[0].data["storefront"] = "NLD"
        }
        let report = try await Self.apply(ledger, other)
        #expect(report.changes == [.amended: 2])
        #expect(
            report.differences[0].fields.map(\.name) == ["data.price_milli", "data.storefront"])
        #expect(report.differences[1].fields.map(\.name) == ["data.storefront"])
        #expect(report.appended == 2)
        #expect(try await Self.apply(ledger, other).differenceCount == 0)
        #expect(try ledger.verify().allSatisfy(\.isClean))
        let back = try await Self.apply(ledger)
        #expect(back.changes == [.amended: 2])
        #expect(try await Self.apply(ledger).differenceCount == 0)
        #expect(try await Self.apply(ledger, other).changes == [.amended: 2])
    }

    @Test("What an operator voided stays void, and so does an operator's change of a correction")
    func settled() async throws {
        let bench = try await Self.lived()
        let ledger = bench.fixture.ledger
        let renewed = try Self.events(ledger).filter { $0.type == .subscriptionRenewed }
        func void(_ source: String, _ key: String) async throws {
            try await ledger.perform(
                CommandRequest(
                    .voidEvent(source: source, key: key), subject: "ada",
                    environment: .test, actor: "kim", reason: "test", ticket: "77"))
        }
        try await void("apple_asn_v2", renewed[0].source.key ?? "")
        let report = try await Self.apply(ledger, Self.dearer)
        #expect(report.changes == [.replaced: 2])
        #expect(report.settled == 1)
        // Kim takes a correction back, and the event that came with it.
        let key = renewed[1].source.key ?? ""
        try await void("reinterpret", "void/apple_asn_v2/\(key)")
        try await void("apple_asn_v2", key + "~1")
        let again = try await Self.apply(ledger, Self.dearer)
        #expect((again.differenceCount, again.settled) == (0, 2))
    }

    @Test("A payload that cannot be read leaves its events alone, and is told")
    func unreadable() async throws {
        let bench = try await Self.lived()
        let head = try bench.fixture.ledger.head().position
        let report = try await Self.apply(
            bench.fixture.ledger,
            Self.mapping { drafts in
                if drafts.contains(where: { $0.type == .purchaseRefunded }) {
                    throw PayloadRefusal(.format, "no idea")
                }
                // No event at all may say this.
                for index in drafts.indices where drafts[index].type == .subscriptionStarted {
                    drafts[index].data["email"] = "x"
                }
            })
        #expect(report.unreadableCount == 2)
        #expect(report.unreadable.contains { $0.reason.contains("no idea") })
        #expect(report.differenceCount == 0)
        #expect(try bench.fixture.ledger.head().position == head)
    }

    @Test(
        "Events of an export have no payloads: they are counted by source, and nothing is made of them"
    )
    func imported() async throws {
        let bench = try await Self.lived()
        var lines: [[UInt8]] = []
        try bench.fixture.ledger.export { lines.append($0) }
        let copy = try Ledger(inMemory: "magical-stories", clock: { AppStoreBench.now })
        var next = lines.makeIterator()
        _ = try await copy.importLines({ next.next() })
        let count = try copy.head().position - 1
        let report = try await Self.apply(copy, Self.dearer)
        #expect(report.withoutPayload == ["apple_asn_v2": Int(count)])
        #expect((report.payloads, report.differenceCount) == (0, 0))
        // The same notifications signed again are the same events.
        for moment in try SandboxLifeTests.life().moments() {
            let payload: JSONObject = [
                "signedPayload": .string(try bench.authority.sign(moment.notification))
            ]
            let receipt = try await copy.ingest(payload.canonicalBytes, by: bench.verifier)
            #expect((receipt.appended, receipt.refused) == (0, []))
        }
    }

    @Test(
        "Events that older code recorded are found; the same notification again stays a duplicate")
    func older() async throws {
        let bench = try await AppStoreBench()
        let ledger = bench.fixture.ledger
        let text = Array(try bench.authority.sign(AppStoreBench.purchase).utf8)
        try await Self.recordAsOlder(text, ledger, bench)
        let head = try ledger.head().position
        let redelivered = try await ledger.ingest(text, by: bench.verifier)
        #expect(redelivered.refused == [])
        // The older code knew of no renewal infos.
        #expect((redelivered.appended, redelivered.duplicates) == (1, 1))
        let report = try await Self.apply(ledger)
        #expect(report.changes == [.replaced: 1])
        #expect(report.differences[0].fields.map(\.name) == ["data.product"])
        #expect(report.differences[0].position == head)
        #expect(try bench.premium(at: AppStoreBench.now) == "active+~")
        #expect(try await ledger.ingest(text, by: bench.verifier).duplicates == 2)
        #expect(try await Self.apply(ledger).differenceCount == 0)
    }

    @Test("What older code left out is added under the mapping's own key")
    func leftOut() async throws {
        let bench = try await AppStoreBench()
        let ledger = bench.fixture.ledger
        let text = Array(try bench.authority.sign(AppStoreBench.purchase).utf8)
        try await Self.recordAsOlder(text, ledger, bench)
        let report = try await Self.apply(ledger)
        #expect(report.changes == [.replaced: 1, .added: 1])
        #expect(report.differences.last?.type == .storeRenewalStated)
        #expect(try await Self.apply(ledger).differenceCount == 0)
        let again = try await ledger.ingest(text, by: bench.verifier)
        #expect((again.appended, again.duplicates, again.refused) == (0, 2, []))
    }

    /// What code would have recorded that knew no renewals and called the product by another name.
    static func recordAsOlder(
        _ text: [UInt8], _ ledger: Ledger, _ bench: AppStoreBench
    ) async throws {
        // Refused for now, so that the bytes are kept.
        let stranger = try SandboxAuthority(
            seed: Array("stranger".utf8), from: AppStoreBench.now - 400 * day,
            until: AppStoreBench.now + 400 * day)
        let distrusting = AppStoreVerifier(
            identity: bench.verifier.identity, roots: try AppStoreRoots(der: [stranger.root]))
        #expect(try await ledger.ingest(text, by: distrusting).refused.count == 1)
        guard case .verified(let statement) = bench.verifier.verify(text, as: .notification, now: 0)
        else { return }
        var drafts = try AppStoreMapping(environment: .test).events(of: statement.document)
        drafts.removeAll { $0.type == .storeRenewalStated }
        for index in drafts.indices {
            drafts[index].data["product"] = "com.example.former"
            drafts[index].extras["raw_sha256"] = .string(
                Digest.hexadecimal(Digest.sha256(text)))
        }
        try await ledger.record(drafts)
    }
}
