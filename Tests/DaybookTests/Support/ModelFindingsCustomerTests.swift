import Daybook
import DaybookDomain
import DaybookEvents
import DaybookFixtures
import DaybookTesting
import Testing

/// What the comparison with the naive model found about customers, profiles and corrections (decision 0009).
@Suite("Found by the naive model: customers")
struct ModelFindingsCustomerTests {
    let fixture: LedgerFixture
    let lineage = LineageFixture("1", product: "club.monthly")
    let day = LedgerFixture.day
    let start = instant("2026-01-10T10:00:00Z")
    let end = instant("2026-02-10T10:00:00Z")

    init() async throws {
        fixture = try await LedgerFixture(
            "sampler", document: SamplerCatalog.first, now: instant("2026-01-01T00:00:00Z"))
    }

    private func isClub(_ subject: String, _ time: Int64) throws -> Bool {
        let status = try fixture.ledger.status(of: subject, moment: Moment(at: time)).status
        return status.entitlements.contains { $0.name == "club" && $0.isActive }
    }

    // MARK: Owners, and which IDs belong to one customer (rule 7)

    @Test(
        "E51 A customer who posts another's purchase owns nothing: the verified token outranks the name"
    )
    func tokenOfAnother() async throws {
        var ben = lineage
        ben.subject = "ben"
        try await fixture.record(
            ben.stated(
                "1", from: start, until: end, signedAt: start, ["app_account_token": "ada"]))
        #expect(try isClub("ada", start))
        #expect(try !isClub("ben", start))
        let status = try fixture.ledger.status(of: "ben", moment: Moment(at: start)).status
        #expect(status.warnings == ["owned_by_other"])
    }

    @Test("A token that was not verified is a name among others")
    func unverifiedToken() async throws {
        var imported = lineage
        imported.trust = .imported
        imported.subject = nil
        try await fixture.record(
            lineage.started("1", from: start, until: end),
            imported.renewed(
                "2", from: end, until: end + 28 * day, ["app_account_token": "cleo"]))
        #expect(try isClub("ada", end))
        #expect(try !isClub("cleo", end))
    }

    @Test("An alias that is split from all others is split as seen from both sides")
    func splitAlias() async throws {
        let events: [EventDraft] = [
            .used("sketches", at: start, ref: "a", subject: "ada"),
            .used("sketches", at: start, ref: "b", subject: "ben"),
            .reported(
                .subjectAliased, at: start, key: "alias", subject: "ada",
                ["alias": "ben", "canonical": "ada"]),
            .reported(
                .subjectUnaliased, at: start + 1, key: "split", subject: "ada",
                ["alias": "ben"]),
        ]
        try await fixture.ledger.record(events)
        for subject in ["ada", "ben"] {
            let status = try fixture.ledger.status(of: subject, moment: Moment(at: end)).status
            #expect(status.subject == subject)
            let used = try fixture.ledger.status(of: subject, moment: Moment(at: start)).status
                .meters.first { $0.name == "sketches" }?.used
            #expect(used == 1)
        }
        let other = try await LedgerFixture("sampler", document: SamplerCatalog.first)
        for event in events.reversed() { try await other.record(event) }
        #expect(try other.ledger.digest().digest == fixture.ledger.digest().digest)
    }

    @Test(
        "Transfers of one millisecond count in canonical order, whole customers and lineages alike")
    func transfersOfOneMoment() async throws {
        let moment = start + day
        var mover = lineage
        mover.subject = nil
        var all = EventDraft.reported(
            .purchaseTransferred, at: moment, key: "all", ["from": "ada", "to": "ben"])
        all.sequence = 1
        var one = mover.event(.purchaseTransferred, at: moment, ["from": "eve", "to": "ada"])
        one.sequence = 2
        try await fixture.record(lineage.started("1", from: start, until: end), one, all)
        #expect(try isClub("ada", moment))
        #expect(try !isClub("ben", moment))
    }

    @Test("Rule 14 A customer known only from purchases was first seen at their first event")
    func firstSeenByPurchase() async throws {
        try await fixture.record(lineage.started("1", from: start, until: end))
        fixture.clock.now = start + 5 * day
        try await fixture.ledger.publish(
            CatalogPublication(
                document: SamplerCatalog.second, scope: .newSubjects, effectiveAt: start + 5 * day))
        // Not new on the sixth day, so the first catalog goes on ruling: five boxes, twenty prints, not more.
        #expect(try fixture.meter("boxes", at: start + 6 * day)?.limit == 5)
        #expect(try fixture.meter("prints", at: start + 6 * day)?.limit == 20)
    }

    // MARK: Profiles

    private func profile(_ type: String, _ name: String, at time: Int64) -> EventDraft {
        .reported(
            EventTypeName(.profile, type), at: time, key: "\(type)/\(name)/\(time)",
            ["profile": .string(name), "kind": "dog"])
    }

    private func assigned(_ type: String, _ name: String, at time: Int64) -> EventDraft {
        .reported(
            EventTypeName(.purchase, type), at: time, key: "\(type)/\(name)/\(time)",
            ["transaction_id": "d1", "profile": .string(name)])
    }

    private func served(_ time: Int64) throws -> [String] {
        try ["rex", "fido"].filter { name in
            try fixture.ledger.check(
                CheckQuestion("vet", profile: name), for: "ada", moment: Moment(at: time)
            ).decision.allowed
        }
    }

    private var forever: EventDraft {
        LineageFixture("d1", product: "dog.forever").event(
            .purchaseCompleted, at: start,
            [
                "product": "dog.forever", "kind": "non_consumable", "transaction_id": "d1",
                "price_milli": 19_000, "currency": "EUR", "starts_at": .integer(start),
            ])
    }

    @Test("Ending the assignment of another profile ends nothing")
    func unassignedOther() async throws {
        try await fixture.record(
            profile("created", "rex", at: start), profile("created", "fido", at: start), forever,
            assigned("assigned", "rex", at: start + 1),
            assigned("unassigned", "fido", at: start + 2))
        #expect(try served(start + 2) == ["rex"])
        try await fixture.record(assigned("unassigned", "rex", at: start + 3))
        #expect(try served(start + 3) == [])
    }

    @Test("OL-28 A purchase that was given on stays with the second dog when the first comes back")
    func reassigned() async throws {
        try await fixture.record(
            profile("created", "rex", at: start), profile("created", "fido", at: start), forever,
            assigned("assigned", "rex", at: start), profile("deleted", "rex", at: start + day),
            assigned("assigned", "fido", at: start + 2 * day),
            profile("restored", "rex", at: start + 3 * day))
        #expect(try served(start + day - 1) == ["rex"])
        #expect(try served(start + day) == [])
        #expect(try served(start + 2 * day) == ["fido"])
        #expect(try served(start + 3 * day) == ["fido"])
    }

    @Test("OL-28 A dog that comes back to a purchase that was not assigned again is served again")
    func restored() async throws {
        try await fixture.record(
            profile("created", "rex", at: start), forever,
            assigned("assigned", "rex", at: start), profile("deleted", "rex", at: start + day),
            profile("restored", "rex", at: start + 3 * day))
        #expect(try served(start + 2 * day) == [])
        #expect(try served(start + 3 * day) == ["rex"])
    }

    @Test("OL-26 A shared purchase serves a profile only where the catalog says so")
    func sharedProfile() async throws {
        var shared = forever
        shared.data["ownership"] = "family_shared"
        try await fixture.record(
            profile("created", "rex", at: start), shared, assigned("assigned", "rex", at: start))
        #expect(try served(start + 1) == ["rex"])
        fixture.clock.now = start + day
        try await fixture.ledger.publish(CatalogPublication(document: SamplerCatalog.second))
        #expect(try served(start + 20 * day) == [])
    }

    @Test("Rules 8 and 25 The length of the free days was promised when the dog came")
    func promisedDays() async throws {
        try await fixture.record(profile("created", "rex", at: start))
        fixture.clock.now = start + day
        try await fixture.ledger.publish(CatalogPublication(document: SamplerCatalog.second))
        let walks = try [13, 14].map { days in
            try fixture.ledger.check(
                CheckQuestion("walks", profile: "rex"), for: "ada",
                moment: Moment(at: start + days * day)
            ).decision.reason
        }
        #expect(walks == [.freePeriod, .freePeriodExpired])
    }

    // MARK: Zones

    private func monthStart(_ time: Int64) throws -> Int64? {
        try fixture.meter("sketches", at: time)?.period?.start
    }

    @Test("A zone that does not exist says nothing; a second first sight is a move")
    func zones() async throws {
        let march = instant("2026-03-10T00:00:00Z")
        func seen(_ zone: String, at time: Int64) -> EventDraft {
            .reported(
                .subjectCreated, at: time, key: zone,
                ["first_seen_at": .integer(time), "tz": .string(zone)])
        }
        try await fixture.record(
            seen("Nowhere/Atlantis", at: start), seen("Asia/Kolkata", at: start + 1))
        #expect(try monthStart(march) == instant("2026-02-28T18:30:00Z"))
        try await fixture.record(
            seen("UTC", at: start + day),
            .reported(
                .subjectTimeZoneChanged, at: start + 2 * day, key: "gone", ["tz": "Nowhere/Lemuria"]
            ))
        #expect(try monthStart(start + 2 * day) == instant("2025-12-31T18:30:00Z"))
        #expect(try monthStart(march) == instant("2026-03-01T00:00:00Z"))
    }

    // MARK: Corrections (rule 20)

    private func amended(_ key: String, _ patch: JSONObject, at time: Int64) -> EventDraft {
        .reported(
            .correctionAmended, at: time, key: "amend/\(key)/\(time)",
            [
                "target": ["source": "native", "key": .string(key)], "reason": "mistake",
                "patch": .object(patch),
            ])
    }

    @Test("A zone that only a correction names is known")
    func zoneOfPatch() async throws {
        try await fixture.record(
            .reported(.subjectTimeZoneChanged, at: start, key: "tz", ["tz": "UTC"]),
            amended("tz", ["tz": "Pacific/Kiritimati"], at: start))
        #expect(
            try monthStart(instant("2026-03-10T00:00:00Z")) == instant("2026-02-28T10:00:00Z"))
    }

    @Test("E76 A patch that leaves no event of its type, or moves it, changes nothing; others do")
    func patches() async throws {
        let use = EventDraft.used("sketches", at: start, ref: "s1")
        let key = use.source.key ?? ""
        // A patch that comes before its target is judged when both are folded.
        try await fixture.record(
            amended(key, ["amount": 3], at: start + 1),
            amended(key, ["amount": "many"], at: start + 2))
        try await fixture.record(use)
        #expect(try fixture.meter("sketches", at: start)?.used == 3)
        var imported = lineage
        imported.trust = .imported
        imported.source = "native"
        try await fixture.record(
            amended("sub", ["original_transaction_id": "2"], at: start + 1),
            amended("sub", ["expires_at": .integer(end + day)], at: start + 2))
        try await fixture.record(
            imported.event(
                .subscriptionStarted, at: start, key: "sub",
                [
                    "product": "club.monthly", "transaction_id": "1", "price_milli": 1,
                    "currency": "EUR", "starts_at": .integer(start), "expires_at": .integer(end),
                ]))
        #expect(try fixture.entitlement("club", at: end)?.expiresAt == end + day)
    }

    @Test("What is signed, and what joins IDs, is not amended even where a report says so")
    func unamendable() async throws {
        var signed = lineage
        signed.source = "native"
        let alias = EventDraft.reported(
            .subjectAliased, at: start, key: "alias", ["alias": "ada-2", "canonical": "ada"])
        // Before their targets, or they would be refused.
        try await fixture.record(
            amended("sub", ["expires_at": .integer(end + day)], at: start + 1),
            amended("alias", ["canonical": "ben"], at: start + 1))
        try await fixture.record(
            signed.event(
                .subscriptionStarted, at: start, key: "sub",
                [
                    "product": "club.monthly", "transaction_id": "1", "price_milli": 1,
                    "currency": "EUR", "starts_at": .integer(start), "expires_at": .integer(end),
                ]), alias)
        #expect(try fixture.entitlement("club", at: end)?.isActive == false)
        let status = try fixture.ledger.status(of: "ada-2", moment: Moment(at: start)).status
        #expect(status.subject == "ada")
    }

    // MARK: What came closest

    @Test("What ended last stands for what is off; what never began or went away does not")
    func closest() async throws {
        var other = lineage
        other.lineage = "2"
        other.subject = nil
        try await fixture.record(
            lineage.started("1", from: start, until: end),
            .reported(
                .grantIssued, at: end, key: "g",
                [
                    "grant_id": "g", "entitlement": "club", "reason": "promo",
                    "starts_at": .integer(end + 30 * day),
                ]),
            other.started("2", from: start, until: end + 90 * day, ["app_account_token": "ada"]),
            other.event(.purchaseTransferred, at: end, ["from": "ada", "to": "ben"]))
        let club = try #require(try fixture.entitlement("club", at: end + day))
        #expect(club.state == .expired)
        #expect(club.candidates.map(\.why) == [.expired, .notStarted, .transferred])
    }
}
