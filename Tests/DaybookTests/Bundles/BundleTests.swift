import Daybook
import DaybookAudit
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookTesting
import Foundation
import Testing

@Suite("Bundles: what is in them, and what is refused")
struct BundleTests {
    private static let day = LedgerFixture.day
    private static let now = Fixtures.now

    private static func request(
        _ subjects: String..., at: Int64 = now, knownAt: Moment.Knowledge? = nil,
        isRedacted: Bool = true
    ) -> CaptureRequest {
        CaptureRequest(
            subjects, moment: Moment(at: at, knownAt: knownAt), questions: [.init("stories")],
            isRedacted: isRedacted, version: "test")
    }

    private static func text(_ bundle: ReproBundle) -> String {
        String(decoding: bundle.bytes, as: UTF8.self)
    }

    /// Two events of one millisecond whose keys alone order them, the shorter text having the later key.
    private static func sample() async throws -> ReproBundle {
        let fixture = try await LedgerFixture("magical-stories")
        try await fixture.record(
            .used("stories", at: now - day, ref: "zebra"),
            .used("stories", at: now - day, ref: "apple-pie-from-a-very-long-recipe"))
        return try await fixture.ledger.capture(request("ada", isRedacted: false))
    }

    // MARK: What is in it

    @Test("Events of one millisecond keep their order under new names, by an explicit sequence")
    func ties() async throws {
        var fixture = try await LedgerFixture("dozzi")
        fixture.subject = "owner-of-the-line"
        // A longer id, a shorter one and a digest: the order of new names is not that of arrival.
        let keys = [
            "zz", "b6b6b6b6-0000-4000-8000-000000000001", "a-key-that-is-longer-than-15-bytes",
        ]
        for (index, key) in keys.enumerated() {
            var draft = EventDraft.reported(
                .profileCreated, at: Self.now - Self.day, key: key, subject: fixture.subject,
                profile: "kid-\(index)",
                ["profile": .string("kid-\(index)"), "kind": "child"])
            draft.source.kind = ["web-shop", "native", "aaa"][index]
            try await fixture.record(draft)
        }
        let (bundle, names) = try await fixture.ledger.captured(Self.request(fixture.subject))
        let found = try #require(names)
        let created = bundle.drafts.filter { $0.type == .profileCreated }
        #expect(created.map(\.sequence) == [2, 1, 0])
        #expect(
            created.map { found.restored($0.source.kind) } == ["web-shop", "native", "aaa"])
        #expect(
            created.map(\.source.kind) == ["revenuecat_subscriber_source2", "native", "0_source1"])
        #expect(!Self.text(bundle).contains("kid-"))
    }

    @Test("Of two equal statements the same one wins under new keys, also where keys are digests")
    func statements() async throws {
        for round in 0..<12 {
            let fixture = try await LedgerFixture("dozzi")
            for (index, end) in [Self.day, 2 * Self.day].enumerated() {
                var draft = EventDraft.reported(
                    .storeTransactionStated, at: Self.now - Self.day,
                    key: "a long key of statement \(round * 7 + index)",
                    [
                        "product": "com.dozzi.unlimited_stories", "transaction_id": "2000000123",
                        "original_transaction_id": "2000000123",
                        "starts_at": .integer(Self.now - Self.day),
                        "revoked_at": .integer(Self.now + end),
                    ])
                draft.source = EventSource(
                    kind: "apple_jws", key: draft.source.key, signedAt: Self.now)
                draft.trust = .verified
                try await fixture.record(draft)
            }
            let bundle = try await fixture.ledger.capture(
                Self.request("ada", at: Self.now + Self.day + 1))
            #expect(!Self.text(bundle).contains("2000000123"))
            #expect(bundle.drafts.last?.trust == .verified)
        }
    }

    @Test("A catalog for a share of the customers is for all of a bundle, or for none")
    func cohorts() async throws {
        let fixture = try await LedgerFixture("magical-stories")
        try await fixture.publish(
            replacing: ["limit: 3\n": "limit: 7\n"], scope: .cohort(50),
            effectiveAt: Self.now + Self.day)
        let people = (1...20).map { "customer-\($0)" }
        for person in people {
            try await fixture.record(
                .used("stories", at: Self.now, ref: "by \(person)", subject: person))
        }
        let at = Self.now + 2 * Self.day
        var scopes: [Int64: String] = [:]
        for person in people {
            let limit = try fixture.ledger.check(
                CheckQuestion("stories"), for: person, moment: Moment(at: at)
            ).decision.usage?.limit
            let bundle = try await fixture.ledger.capture(Self.request(person, at: at))
            let catalogs = bundle.drafts.filter { $0.type == .catalogPublished }
            let data = try #require(catalogs.last?.data)
            #expect((data["applies_to"] == "all") == (limit == 7))
            #expect((data["percent"] == 0) == (limit == 3))
            scopes[limit ?? 0] = person
        }
        let (few, many) = (try #require(scopes[3]), try #require(scopes[7]))
        await #expect(throws: BundleProblem.cohortsDiffer(version: 2)) {
            try await fixture.ledger.capture(Self.request(few, many, at: at))
        }
        // Under their own names they may be together.
        let bundle = try await fixture.ledger.capture(
            Self.request(few, many, at: at, isRedacted: false))
        #expect(bundle.subjects == [few, many])
    }

    @Test(
        "What came from others is included: the lineage, its giver and their IDs; not their uses"
    )
    func handedOver() async throws {
        let fixture = try await LedgerFixture("dozzi")
        let bought = Self.now - 5 * Self.day
        try await fixture.record(
            .reported(
                .purchaseCompleted, at: bought, key: "bought", subject: "giver-anonymous",
                [
                    "product": "com.dozzi.unlimited_stories", "kind": "non_consumable",
                    "transaction_id": "t1", "price_milli": 1, "currency": "EUR",
                ]),
            .reported(
                .subjectAliased, at: bought + 1, key: "alias", subject: "giver-anonymous",
                ["alias": "giver-anonymous", "canonical": "giver"]),
            .used("stories", at: bought + 2, ref: "secret-story", subject: "giver"),
            .used("stories", at: bought + 2, ref: "strange-story", subject: "stranger"),
            .reported(
                .purchaseTransferred, at: bought + 3, key: "given", subject: "giver",
                ["from": "giver", "to": "ada"]))
        for isRedacted in [false, true] {
            let bundle = try await fixture.ledger.capture(
                Self.request("ada", isRedacted: isRedacted))
            #expect(bundle.answers[1].content["allowed"] == true)
            let types = bundle.drafts.map(\.type.rawValue)
            #expect(
                types == [
                    "catalog.published", "purchase.completed", "subject.aliased",
                    "purchase.transferred",
                ])
            #expect(Self.text(bundle).contains("giver") == !isRedacted)
        }
    }

    @Test("What became known later is left out; former IDs of the same person are in")
    func cut() async throws {
        let fixture = try await LedgerFixture("dozzi")
        try await fixture.record(
            .used("stories", at: Self.now, ref: "s1", subject: "guest-7"),
            .used("stories", at: Self.now, ref: "s2"),
            .reported(
                .subjectAliased, at: Self.now, key: "on", subject: "guest-7",
                ["alias": "guest-7", "canonical": "ada"]))
        try await fixture.record(
            .reported(
                .subjectUnaliased, at: Self.now + 1, key: "off", subject: "guest-7",
                ["alias": "guest-7", "canonical": "ada"]))
        let all = try await fixture.ledger.capture(Self.request("ada", isRedacted: false))
        #expect(all.drafts.count == 5)
        let early = try await fixture.ledger.capture(
            Self.request("ada", knownAt: .position(3), isRedacted: false))
        // Nothing of it concerned her by then but her own, which came second.
        #expect(early.drafts.count == 2)
    }

    @Test("Corrections are included, and a patch does not reveal its customer")
    func corrections() async throws {
        let fixture = try await LedgerFixture("dozzi")
        try await fixture.record(.used("stories", at: Self.now, ref: "s1", amount: 2))
        let target: JSONObject = ["source": "native", "key": .string("stories/s1/\(Self.now)")]
        func amend(_ patch: JSONObject, _ key: String) async throws {
            var draft = EventDraft.reported(
                .correctionAmended, at: Self.now, key: key,
                [
                    "target": .object(target), "patch": .object(patch),
                    "reason": "Mrs Miller of Church Lane called", "ticket": "T-4711",
                ])
            draft.subject = nil
            draft.trust = .admin
            draft.extras = ["actor": "support:mia", "shoe_size": "forty-two"]
            try await fixture.record(draft)
        }
        try await amend(["amount": 1], "first")
        let (bundle, _) = try await fixture.ledger.captured(Self.request("ada"))
        let text = Self.text(bundle)
        for secret in ["Miller", "T-4711", "mia", "forty-two", "shoe_size"] {
            #expect(!text.contains(secret))
        }
        #expect(bundle.drafts.last?.data["patch"]?.object?["amount"] == 1)
        #expect(bundle.answers[0].content["meters"]?.object?["stories"]?.object?["used"] == 1)
    }

    @Test("Ids that look like replacement names are replaced by other ones")
    func collisions() async throws {
        let fixture = try await LedgerFixture("dozzi")
        let ids = ["subject-1", "ref-1", "text-2", "key-1", "tx-1"]
        for id in ids {
            try await fixture.record(.used("stories", at: Self.now, ref: id, subject: "subject-1"))
        }
        let (bundle, names) = try await fixture.ledger.captured(Self.request("subject-1"))
        for id in ids { #expect(!Self.text(bundle).contains(id), "\(id)") }
        #expect(names?.restored(bundle.subjects[0]) == "subject-1")
    }

    // MARK: What is refused

    @Test("A customer of whom nothing is known by then cannot be captured")
    func unknown() async throws {
        let fixture = try await LedgerFixture("dozzi")
        try await fixture.record(.used("stories", at: Self.now, ref: "s1"))
        await #expect(
            throws: BundleProblem.unknownSubject("bob", .production, position: 2)
        ) { try await fixture.ledger.capture(Self.request("ada", "bob")) }
        await #expect(
            throws: BundleProblem.unknownSubject("ada", .production, position: 1)
        ) { try await fixture.ledger.capture(Self.request("ada", knownAt: .position(1))) }
    }

    @Test("A bundle that was cut off or changed anywhere is refused")
    func damaged() async throws {
        let bytes = try await Self.sample().bytes
        let start = 11
        #expect(throws: Never.self) { try ReproBundle(reading: bytes) }
        for count in stride(from: start, to: bytes.count, by: 41) {
            Self.expectDamaged(Array(bytes.prefix(count)), "cut at \(count)")
        }
        for index in stride(from: start, to: bytes.count, by: 23) {
            var other = bytes
            other[index] ^= 1
            guard ReproBundle.begins(other) else { continue }
            Self.expectDamaged(other, "byte \(index)")
        }
        Self.expectDamaged(bytes + Array("{}\n".utf8), "a line more")
        Self.expectDamaged(Array(#"{"bundle":{"format":"#.utf8) + [0x0A], "no JSON")
        Self.expectDamaged(Array(#"{"bundle":{}}"#.utf8) + [0x0A], "nothing in it")
    }

    private static func expectDamaged(_ bytes: [UInt8], _ comment: Comment) {
        do throws(BundleProblem) {
            _ = try ReproBundle(reading: bytes)
            Issue.record("not refused: \(comment)")
        } catch {
            // The format is read before the digest, because a newer one may have another.
            switch error {
            case .damaged, .newer: break
            default: Issue.record("\(comment): \(error)")
            }
        }
    }

    @Test("A bundle of a newer format is refused as such, whatever else it says")
    func newer() {
        let bytes = Array(#"{"bundle":{"daybook":"9.1.0","format":2},"seal":7}"#.utf8) + [0x0A]
        #expect(throws: BundleProblem.newer(format: 2, version: "9.1.0")) {
            try ReproBundle(reading: bytes)
        }
    }

    @Test("A bundle whose events are refused is damaged, whatever its digest says")
    func refusedEvents() async throws {
        var bundle = try await Self.sample()
        bundle.drafts.swapAt(0, 2)
        bundle.drafts[0].recordedAt = Self.now + 1
        let read = try ReproBundle(reading: bundle.bytes)
        let error = await #expect(throws: BundleProblem.self) { try await read.ledger() }
        #expect(error?.code == "damaged_bundle")
    }

    @Test("An answer that is another is told with what differs")
    func differs() async throws {
        let bundle = try await Self.sample()
        let told = bundle.answers[1].content
        var other = told
        other["allowed"] = false
        let found = ReproBundle.differences(other, told)
        #expect(found.map(\.path) == ["allowed"])
        #expect(ReproBundle.differences(told, told).isEmpty)
        // The same elements in another order are another answer.
        let (a, b): (JSONValue, JSONValue) = (["name": "a"], ["name": "b"])
        let order = ReproBundle.differences(["list": .array([a, b])], ["list": .array([b, a])])
        #expect(order.map(\.path) == ["order"])
    }

    @Test(
        "An order's id that is a number is an id, and is not in a redacted bundle",
        arguments: [true, false])
    func numericOrder(isRedacted: Bool) async throws {
        let fixture = try await LedgerFixture("dozzi")
        try await fixture.record(
            .reported(
                .purchaseCompleted, at: Self.now - Self.day, key: "p",
                [
                    "product": "com.dozzi.unlimited_stories", "kind": "non_consumable",
                    "transaction_id": "t", "price_milli": 2_990, "currency": "USD",
                    "order_id": 8_675_309_123,
                ]))
        let bundle = try await fixture.ledger.capture(Self.request("ada", isRedacted: isRedacted))
        #expect(Self.text(bundle).contains("8675309123") == !isRedacted)
    }
}
