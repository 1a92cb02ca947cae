import Daybook
import DaybookAudit
import DaybookDomain
import DaybookEvents
import DaybookStore
import DaybookTesting
import Foundation
import Testing

@Suite("Customers by their ids and by any id")
struct CustomerListTests {
    private static let upper = "6F9619FF-8B86-D011-B42D-00CF4FC964FF"
    private let now = instant("2026-04-01T00:00:00Z")

    private func fixture() async throws -> LedgerFixture {
        try await LedgerFixture(
            "meters", document: Array(MeterCatalog.text.utf8), now: now)
    }

    private func use(_ subject: String, _ ref: String) -> EventDraft {
        .used("daily", at: instant("2026-03-01T00:00:00Z"), ref: ref, subject: subject)
    }

    /// The ids of all pages.
    private func pages(
        _ ledger: Ledger, prefix: String = "", limit: Int, environment: Environment = .production
    ) throws -> [[String]] {
        var pages: [[String]] = []
        var request = OverviewRequest(environment: environment, limit: limit)
        repeat {
            let page = try ledger.customers(prefix: prefix, request)
            pages.append(page.rows.map(\.id))
            request.after = page.next
        } while request.after != nil && pages.count < 20
        return pages
    }

    @Test("They come in the order of their bytes, in pages, by prefix, each environment its own")
    func pages() async throws {
        let fixture = try await fixture()
        for subject in ["bob", "ada", "é", "ad", "Zoe", "adam"] {
            try await fixture.record(use(subject, "1 \(subject)"))
        }
        var other = use("adrian", "2")
        other.environment = .sandbox
        try await fixture.record(other)
        let ledger = fixture.ledger
        #expect(
            try pages(ledger, limit: 2) == [["Zoe", "ad"], ["ada", "adam"], ["bob", "é"]])
        #expect(try pages(ledger, limit: 6) == [["Zoe", "ad", "ada", "adam", "bob", "é"]])
        #expect(try pages(ledger, prefix: "ad", limit: 2) == [["ad", "ada"], ["adam"]])
        #expect(try pages(ledger, prefix: "adam", limit: 2) == [["adam"]])
        #expect(try pages(ledger, prefix: "adams", limit: 2) == [[]])
        #expect(try pages(ledger, prefix: "zz", limit: 2) == [[]])
        #expect(try pages(ledger, limit: 9, environment: .sandbox) == [["adrian"]])
        #expect(try pages(ledger, limit: 9, environment: .test) == [[]])
        // A customer who comes between two pages belongs to the rest.
        let first = try ledger.customers(OverviewRequest(limit: 2))
        try await fixture.record(use("aa", "3"), use("b", "4"))
        let second = try ledger.customers(OverviewRequest(limit: 9, after: first.next))
        #expect(second.rows.map(\.id) == ["ada", "adam", "b", "bob", "é"])
    }

    @Test("Every id that anything names is listed: an alias, an owner of a lineage, a receiver")
    func named() async throws {
        let fixture = try await fixture()
        let lineage = LineageFixture("100", product: "club.monthly", subject: "owner")
        try await fixture.record(
            use("zed", "1"),
            lineage.started("100", from: now - 1, until: now + 1_000_000),
            .reported(
                .subjectAliased, at: now - 5, key: "alias", subject: "ada",
                ["alias": "anon-1", "canonical": "ada"]),
            .reported(
                .purchaseTransferred, at: now - 4, key: "gift", subject: "giver",
                ["from": "giver", "to": "taker"]))
        let rows = try fixture.ledger.customers().rows
        #expect(rows.map(\.id) == ["ada", "anon-1", "giver", "owner", "taker", "zed"])
        let alias = try #require(rows.first { $0.id == "anon-1" })
        #expect(alias.subject == "ada")
        #expect(alias.ids == ["ada", "anon-1"])
        let owner = try #require(rows.first { $0.id == "owner" })
        #expect(owner.entitlements == ["club"])
        #expect(owner.ids == ["owner"])
    }

    @Test("What serves one profile alone is listed too, once, until no profile has it any more")
    func profiles() async throws {
        let fixture = try await fixture()
        func change(_ type: String, _ profile: String, at time: Int64) -> EventDraft {
            .reported(
                EventTypeName(rawValue: type), at: time, key: "\(type)-\(profile)", subject: "cleo",
                ["profile": .string(profile), "kind": "dog"])
        }
        for profile in ["rex", "bella"] {
            try await fixture.record(
                change("profile.created", profile, at: now - 50),
                .reported(
                    .grantIssued, at: now - 40, key: "g-\(profile)", subject: "cleo",
                    profile: profile,
                    [
                        "grant_id": .string("g-\(profile)"), "entitlement": "club",
                        "starts_at": .integer(now - 40),
                    ]))
        }
        try await fixture.record(use("dan", "1"))
        func entitlements() throws -> [[String]] {
            try fixture.ledger.customers().rows.map(\.entitlements)
        }
        #expect(try entitlements() == [["club"], []])
        let found = try fixture.ledger.customers(withID: "g-rex").matches
        #expect(found.map { $0.customer?.entitlements ?? [] } == [["club"], ["club"]])
        try await fixture.record(change("profile.deleted", "rex", at: now - 30))
        #expect(try entitlements() == [["club"], []])
        try await fixture.record(change("profile.deleted", "bella", at: now - 20))
        #expect(try entitlements() == [[], []])
    }

    @Test("A customer who is named again is listed once, and a snapshot written then is sound")
    func again() async throws {
        let folder = try LedgerFolder()
        let ledger = try await Ledger.create(
            at: folder.path, catalog: Array(MeterCatalog.text.utf8), clock: { [now] in now })
        try await ledger.record([use("b", "1"), use("ada", "2")])
        #expect(try pages(ledger, limit: 9) == [["ada", "b"]])
        let lineage = LineageFixture("5", product: "club.monthly", subject: "ada")
        try await ledger.record([
            lineage.started("5", from: now - 9, until: now + 9),
            .reported(
                .subjectAliased, at: now - 5, key: "alias", subject: "b",
                ["alias": "anon", "canonical": "b"]),
        ])
        #expect(try pages(ledger, limit: 9) == [["ada", "anon", "b"]])
        // More than are put in one by one, some of them again.
        try await ledger.record((0..<60).map { use("c\($0 % 40)", "many \($0)") })
        try await ledger.record([use("ada", "3"), use("b", "4")])
        let names = (0..<40).map { "c\($0)" }.sorted()
        #expect(try pages(ledger, limit: 99) == [["ada", "anon", "b"] + names])
        _ = try ledger.snapshot()
        #expect(try ledger.verify().filter { !$0.isClean } == [])
        try ledger.close()
        let reopened = try Ledger.open(folder.path, clock: { [now] in now })
        #expect(try pages(reopened, limit: 99) == [["ada", "anon", "b"] + names])
        try reopened.close()
    }

    @Test("Ids that only look alike are two customers, and two spellings of a UUID are one")
    func spellings() async throws {
        let fixture = try await fixture()
        // One accented letter, and a letter with an accent behind it: equal to Swift, other bytes.
        let (one, two) = ("\u{E9}", "e\u{301}")
        var other = use(two, "r")
        other.source.key = "another"
        try await fixture.record(
            use(one, "r"), other, use(Self.upper, "u1"), use(Self.upper.lowercased(), "u2"))
        let both = try fixture.ledger.customers(withID: "r").matches
        #expect(
            both.map { Array(($0.customer?.id ?? "").utf8) } == [Array(two.utf8), Array(one.utf8)])
        #expect(try fixture.ledger.customers(withID: Self.upper).matches.count == 1)
    }

    @Test("A snapshot's customers and those who came since are one list")
    func snapshot() async throws {
        let folder = try LedgerFolder()
        let ledger = try await Ledger.create(
            at: folder.path, catalog: Array(MeterCatalog.text.utf8), clock: { [now] in now })
        let lineage = LineageFixture("7", product: "club.monthly", subject: "mia")
        try await ledger.record([
            use("m", "1"), use("c", "2"), lineage.started("7", from: now - 9, until: now + 9),
        ])
        _ = try ledger.snapshot()
        try await ledger.record([use("a", "3"), use("d", "4"), use("c", "5"), use("mia", "6")])
        #expect(try pages(ledger, limit: 2) == [["a", "c"], ["d", "m"], ["mia"]])
        try ledger.close()
        let reopened = try Ledger.open(folder.path, clock: { [now] in now })
        #expect(try pages(reopened, limit: 9) == [["a", "c", "d", "m", "mia"]])
        #expect(try pages(reopened, prefix: "m", limit: 1) == [["m"], ["mia"]])
        try await reopened.record([use("m1", "7")])
        _ = try reopened.snapshot()
        #expect(try pages(reopened, prefix: "m", limit: 9) == [["m", "m1", "mia"]])
        #expect(try reopened.verify().filter { !$0.isClean } == [])
        try reopened.close()
        let last = try Ledger.open(folder.path, clock: { [now] in now })
        #expect(try pages(last, limit: 9) == [["a", "c", "d", "m", "m1", "mia"]])
        try last.close()
    }

    /// `kind customer@position`, and `-` where there is none.
    private func found(_ ledger: Ledger, _ id: String) throws -> [String] {
        try ledger.customers(withID: id).matches.map { match in
            let customer = match.customer?.subject ?? "-"
            return "\(match.kind.rawValue) \(customer)"
                + (match.position.map { "@\($0)" } ?? "")
        }
    }

    private var many: [EventDraft] {
        let lineage = LineageFixture("2000", product: "club.monthly", subject: "ada")
        let orphan = LineageFixture("3000", product: "club.monthly", subject: nil)
        func event(_ type: String, _ key: String, _ data: JSONObject) -> EventDraft {
            .reported(EventTypeName(rawValue: type), at: now - 100, key: key, subject: "bob", data)
        }
        return [
            lineage.started("2000", from: now - 900, until: now - 500),
            lineage.renewed("2001", from: now - 500, until: now + 500),
            orphan.started("3000", from: now - 900, until: now + 500),
            event(
                "grant.issued", "k-grant",
                [
                    "grant_id": "g-7", "meter": "units", "amount": 3,
                    "starts_at": .integer(now - 100),
                ]),
            event(
                "profile.created", "k-profile", ["profile": "rex", "kind": "dog"]),
            event("usage.recorded", "k-use", ["meter": "daily", "ref": "story-1", "amount": 1]),
            .used("daily", at: now - 90, ref: "story-1", subject: "cleo"),
            .used("daily", at: now - 80, ref: Self.upper.lowercased(), subject: "cleo"),
        ].map { draft in
            var draft = draft
            if draft.type == .profileCreated { draft.profile = "rex" }
            return draft
        }
    }

    private func expectFound(_ ledger: Ledger, _ comment: Comment) throws {
        #expect(try found(ledger, "bob") == ["customer bob"], comment)
        #expect(try found(ledger, "apple:2000") == ["lineage ada"], comment)
        #expect(try found(ledger, "2000") == ["lineage ada", "transaction ada@2"], comment)
        #expect(try found(ledger, "2001") == ["transaction ada@3"], comment)
        #expect(try found(ledger, "3000") == ["lineage -", "transaction -@4"], comment)
        #expect(try found(ledger, "g-7") == ["grant bob@5"], comment)
        #expect(try found(ledger, "rex") == ["profile bob@6"], comment)
        #expect(
            try found(ledger, "story-1") == ["reference cleo@8", "reference bob@7"], comment)
        #expect(try found(ledger, Self.upper) == ["reference cleo@9"], comment)
        #expect(try found(ledger, "k-use") == ["key bob@7"], comment)
        #expect(try found(ledger, "native:k-grant") == ["key bob@5"], comment)
        #expect(try found(ledger, "nobody") == [], comment)
        #expect(try found(ledger, "") == [], comment)
        #expect(
            try ledger.customers(withID: "g-7", environment: .sandbox).matches.isEmpty, comment)
    }

    @Test(
        "An id leads to its customer: in memory, in sealed arrays, and where their files are damaged"
    )
    func anyID() async throws {
        let folder = try LedgerFolder()
        let ledger = try await Ledger.create(
            at: folder.path, catalog: Array(MeterCatalog.text.utf8), clock: { [now] in now })
        try await ledger.record(many)
        try expectFound(ledger, "in memory")
        for start in stride(from: 0, to: 16_400, by: 8_200) {
            try await ledger.record(
                (start..<start + 8_200).map {
                    .reported(.appLaunched, at: Int64($0), key: "l \($0)", subject: "fay")
                })
        }
        try expectFound(ledger, "sealed")
        try ledger.close()
        let name = try #require(folder.derivedNames(".daykeys").first)
        let reopened = try Ledger.open(folder.path, clock: { [now] in now })
        try expectFound(reopened, "mapped")
        try reopened.close()
        let path = folder.derived.appending(path: name).path
        let whole = try Data(contentsOf: URL(filePath: path))
        let file = try ContainerFile(path: path)
        // The place of each section in the file, by what stands in it.
        for section in ["id-filter", "id-hashes", "id-offsets"] {
            let bytes = Data(try file.bytes(section))
            let place = try #require(whole.range(of: bytes)).lowerBound
            var damaged = whole
            for index in 0..<bytes.count { damaged[place + index] ^= 0x55 }
            try damaged.write(to: URL(filePath: path))
            let reader = try Ledger.open(folder.path, clock: { [now] in now })
            try expectFound(reader, "damaged \(section)")
            try reader.close()
        }
        try FileManager.default.removeItem(atPath: path)
        let scanned = try Ledger.open(folder.path, clock: { [now] in now })
        try expectFound(scanned, "scanned")
        try scanned.close()
    }

    @Test("A lineage that changed hands leads to its present owner")
    func transferred() async throws {
        let fixture = try await fixture()
        let lineage = LineageFixture("9", product: "club.monthly", subject: "ada")
        try await fixture.record(
            lineage.started("9", from: now - 900, until: now + 900),
            lineage.event(
                .purchaseTransferred, at: now - 10, ["from": "ada", "to": "zoe"]))
        #expect(try found(fixture.ledger, "apple:9") == ["lineage zoe"])
        #expect(try found(fixture.ledger, "9") == ["lineage zoe", "transaction zoe@2"])
    }
}
