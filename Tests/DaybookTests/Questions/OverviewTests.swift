import Daybook
import DaybookDomain
import DaybookEvents
import DaybookTesting
import Testing

@Suite("Lists over all customers")
struct OverviewTests {
    private let now = instant("2026-04-01T00:00:00Z")
    private let day = LedgerFixture.day

    private func fixture() async throws -> LedgerFixture {
        try await LedgerFixture("meters", document: Array(MeterCatalog.text.utf8), now: now)
    }

    private func grant(
        _ id: String, _ subject: String, amount: Int64 = 5, from start: Int64,
        until end: Int64? = nil,
        _ more: JSONObject = JSONObject()
    ) -> EventDraft {
        var data: JSONObject = ["grant_id": .string(id), "starts_at": .integer(start)]
        if more["entitlement"] == nil {
            data["meter"] = "units"
            data["amount"] = .integer(amount)
        }
        if let end { data["expires_at"] = .integer(end) }
        for member in more.members where member.name != "profile" {
            data[member.name] = member.value
        }
        return .reported(
            .grantIssued, at: min(start, now), key: id, subject: subject,
            profile: more["profile"]?.text, data)
    }

    @Test("Grants show what is left of each, the newest first; those that are over behind a flag")
    func grants() async throws {
        let fixture = try await fixture()
        let begin = now - 30 * day
        try await fixture.record(
            grant("first", "ada", amount: 5, from: begin),
            grant("second", "ada", amount: 5, from: begin, until: now + day),
            grant("used", "bob", amount: 2, from: begin),
            grant("later", "bob", from: now + day),
            grant("over", "eve", from: begin, until: now),
            grant("taken", "cleo", from: begin),
            grant("access", "cleo", from: begin, ["entitlement": "club"]),
            grant("rex's", "dan", amount: 4, from: begin, ["profile": "rex"]),
            .reported(
                .grantVoided, at: now - day, key: "void", subject: "cleo",
                ["grant_id": "taken", "voided_at": .integer(now - day)]),
            .used("units", at: begin + day, ref: "1", amount: 7, subject: "ada"),
            .used("units", at: begin + day, ref: "2", amount: 2, subject: "bob"))
        func row(_ row: GrantRow) -> String {
            let left = row.grant.left.map(String.init) ?? "-"
            return "\(row.subject) \(row.grant.name) \(row.grant.state.rawValue) \(left)"
        }
        // The second ends first, so it is burnt first: 5 of it, then 2 of the first.
        #expect(
            try fixture.ledger.grants().rows.map(row) == [
                "dan rex's active 4", "cleo access active -", "bob later pending -",
                "ada first active 3",
            ])
        let all = try fixture.ledger.grants(isAll: true)
        #expect(
            all.rows.map(row) == [
                "dan rex's active 4", "cleo access active -", "cleo taken voided -",
                "eve over expired -", "bob later pending -", "bob used used 0",
                "ada second used 0", "ada first active 3",
            ])
        #expect(all.rows.map(\.position) == [9, 8, 7, 6, 5, 4, 3, 2])
        #expect(all.next == nil)
        var request = OverviewRequest(limit: 3)
        var pages: [[Int64]] = []
        repeat {
            let page = try fixture.ledger.grants(request, isAll: true)
            pages.append(page.rows.map(\.position))
            request.after = page.next
        } while request.after != nil && pages.count < 9
        #expect(pages == [[9, 8, 7], [6, 5, 4], [3, 2]])
        // As it was before anything was used, and as known before anything else was.
        let before = try fixture.ledger.grants(
            OverviewRequest(moment: Moment(at: begin, knownAt: .position(3))))
        #expect(before.rows.map(row) == ["ada second active 5", "ada first active 5"])
    }

    @Test("A voided event is no grant, and an id that is issued twice is one")
    func grantsOnce() async throws {
        let fixture = try await fixture()
        let begin = now - 30 * day
        var twice = grant("g", "ada", amount: 9, from: begin)
        twice.source.key = "again"
        twice.occurredAt = begin + day
        try await fixture.record(grant("g", "ada", amount: 5, from: begin), twice)
        #expect(try fixture.ledger.grants().rows.map(\.grant.amount) == [5])
        try await fixture.perform(
            .voidEvent(source: "native", key: "g"))
        #expect(try fixture.ledger.grants().rows.map(\.grant.amount) == [9])
    }

    @Test("Reservations are open until they are used, given back, taken back, or over")
    func reservations() async throws {
        let fixture = try await fixture()
        let ledger = fixture.ledger
        for (subject, id) in [("ada", "a"), ("bob", "b"), ("cleo", "c"), ("dan", "d")] {
            try await ledger.perform(
                CommandRequest(
                    .reserve(
                        meter: "yearly", amount: 1, reservation: id, timeoutMilliseconds: 10_000),
                    subject: subject))
        }
        func open() throws -> [String] {
            try ledger.openReservations().rows.map {
                "\($0.subject) \($0.reservation.name) \($0.reservation.meter)"
            }
        }
        #expect(try open() == ["dan d yearly", "cleo c yearly", "bob b yearly", "ada a yearly"])
        try await ledger.perform(
            CommandRequest(.commit(reservation: "b", amount: nil), subject: "bob"))
        try await ledger.perform(CommandRequest(.release(reservation: "c"), subject: "cleo"))
        #expect(try open() == ["dan d yearly", "ada a yearly"])
        let first = try ledger.openReservations(OverviewRequest(limit: 1))
        #expect(first.rows.map(\.subject) == ["dan"])
        let second = try ledger.openReservations(OverviewRequest(limit: 1, after: first.next))
        #expect(second.rows.map(\.subject) == ["ada"])
        #expect(second.next == nil)
        fixture.clock.now = now + 9_999
        #expect(try open().count == 2)
        fixture.clock.now = now + 10_000
        #expect(try open() == [])
    }

    private func refund(_ row: RefundRow) -> String {
        let at = row.revokedAt.map { "\(($0 - now) / day)" } ?? "-"
        return
            "\(row.subject ?? "-") \(row.lineage) \(row.transaction) \(row.kind?.rawValue ?? "reversed") \(at) \(row.refundedMilli)"
    }

    @Test("Refunds are told once for each transaction, as the latest word has it")
    func refunds() async throws {
        let fixture = try await fixture()
        let start = now - 20 * day
        let lineages = ["1", "2", "3", "4"].map {
            LineageFixture($0, product: "club.monthly", subject: $0 == "4" ? nil : "u\($0)")
        }
        try await fixture.ledger.record(
            lineages.map { $0.started("t" + $0.lineage, from: start, until: now + 10 * day) })
        func refunded(_ lineage: LineageFixture, _ more: JSONObject = JSONObject()) -> EventDraft {
            var data: JSONObject = [
                "transaction_id": .string("t" + lineage.lineage),
                "revoked_at": .integer(now - 3 * day),
            ]
            for member in more.members { data[member.name] = member.value }
            return lineage.event(.purchaseRefunded, at: now - 3 * day, data)
        }
        try await fixture.record(
            refunded(lineages[0], ["amount_milli": 4990, "currency": "EUR", "reason": "other"]),
            refunded(lineages[1], ["type": "prorated", "pct_milli": 40_000]),
            refunded(lineages[3]), refunded(lineages[2]),
            lineages[2].event(
                .purchaseRefundReversed, at: now - 2 * day, ["transaction_id": "t3"]))
        let page = try fixture.ledger.refunds()
        #expect(
            page.rows.map(refund) == [
                "u3 apple:3 t3 reversed - 0", "- apple:4 t4 refund -3 100000",
                "u2 apple:2 t2 prorated -3 40000", "u1 apple:1 t1 refund -3 100000",
            ])
        #expect(page.rows.last?.amountMilli == 4990)
        #expect(page.rows.last?.currency == "EUR")
        #expect(page.rows.last?.product == "club.monthly")
        let known = try fixture.ledger.refunds(
            OverviewRequest(moment: Moment(knownAt: .position(9))))
        #expect(
            known.rows.map(refund).first == "u3 apple:3 t3 refund -3 100000")
        let first = try fixture.ledger.refunds(OverviewRequest(limit: 2))
        let second = try fixture.ledger.refunds(OverviewRequest(limit: 2, after: first.next))
        #expect((first.rows + second.rows).map(refund) == page.rows.map(refund))
        #expect(second.next == nil)
    }

    @Test("The refund whose word counts is told, as it was amended, and none that does not count")
    func refundsThatCount() async throws {
        let fixture = try await fixture()
        let start = now - 20 * day
        let lineage = LineageFixture("1", product: "club.monthly", subject: "ada")
        let other = LineageFixture("2", product: "club.monthly", subject: "bob")
        var claimed = other.event(
            .purchaseRefunded, at: now - 2 * day,
            ["transaction_id": "t2", "revoked_at": .integer(now - 2 * day)])
        claimed.trust = .clientAsserted
        func refunded(_ key: String, _ amount: Int64, signedAt: Int64) -> EventDraft {
            var draft = lineage.event(
                .purchaseRefunded, at: now - 3 * day, signedAt: signedAt, key: key,
                [
                    "transaction_id": "t1", "revoked_at": .integer(now - 3 * day),
                    "amount_milli": .integer(amount), "currency": "USD",
                ])
            draft.trust = .imported
            return draft
        }
        try await fixture.record(
            lineage.started("t1", from: start, until: now + day),
            other.started("t2", from: start, until: now + day), claimed,
            refunded("newer", 500, signedAt: now - day),
            refunded("older", 900, signedAt: now - 2 * day))
        func rows(_ moment: Moment = .now) throws -> [String] {
            try fixture.ledger.refunds(OverviewRequest(moment: moment)).rows.map {
                "\($0.subject ?? "-") \($0.position) \($0.amountMilli ?? -1)"
            }
        }
        #expect(try rows() == ["ada 5 500"])
        try await fixture.perform(
            .amendEvent(source: "apple_asn_v2", key: "newer", patch: ["amount_milli": 700]))
        #expect(try rows() == ["ada 5 700"])
        #expect(try rows(Moment(at: now - 3 * day - 1)) == [])
        #expect(try rows(Moment(at: now - 3 * day)) == ["ada 5 700"])
    }

    @Test(
        "A reversal is told where it reverses something that counts, whichever of them came first")
    func reversals() async throws {
        let fixture = try await fixture()
        let start = now - 20 * day
        let lineages = ["1", "2", "3"].map {
            LineageFixture($0, product: "club.monthly", subject: "u\($0)")
        }
        func refunded(_ lineage: LineageFixture) -> EventDraft {
            lineage.event(
                .purchaseRefunded, at: now - 3 * day, key: "refund-\(lineage.lineage)",
                [
                    "transaction_id": .string("t" + lineage.lineage),
                    "revoked_at": .integer(now - 3 * day),
                ])
        }
        func reversed(_ lineage: LineageFixture) -> EventDraft {
            lineage.event(
                .purchaseRefundReversed, at: now - 2 * day,
                ["transaction_id": .string("t" + lineage.lineage)])
        }
        func rows(_ moment: Moment = .now) throws -> [String] {
            try fixture.ledger.refunds(OverviewRequest(moment: moment)).rows.map(refund)
        }
        // What only a client says of a purchase of the store's is no refund; what the store states is one.
        var claimed = refunded(lineages[1])
        claimed.trust = .clientAsserted
        let stated = lineages[2].event(
            .storeTransactionStated, at: now - 3 * day,
            [
                "product": "club.monthly", "transaction_id": "t3", "starts_at": .integer(start),
                "expires_at": .integer(now + day), "revoked_at": .integer(now - 3 * day),
            ])
        try await fixture.ledger.record(
            lineages.map { $0.started("t" + $0.lineage, from: start, until: now + day) }
                + [
                    reversed(lineages[0]), claimed, reversed(lineages[1]), stated,
                    reversed(lineages[2]),
                ])
        #expect(try rows() == ["u3 apple:3 t3 reversed - 0"])
        try await fixture.record(refunded(lineages[0]))
        #expect(try rows() == ["u3 apple:3 t3 reversed - 0", "u1 apple:1 t1 reversed - 0"])
        #expect(try rows(Moment(knownAt: .position(9))) == ["u3 apple:3 t3 reversed - 0"])
        try await fixture.perform(.voidEvent(source: "apple_asn_v2", key: "refund-1"))
        #expect(try rows() == ["u3 apple:3 t3 reversed - 0"])
    }

    @Test(
        "A reversal stays told when the store states the transaction whole again, and is told once")
    func reversedAndStated() async throws {
        let fixture = try await fixture()
        let start = now - 20 * day
        let lineage = LineageFixture("1", product: "club.monthly", subject: "ada")
        try await fixture.record(
            lineage.started("t1", from: start, until: now + day),
            lineage.event(
                .purchaseRefunded, at: now - 4 * day,
                ["transaction_id": "t1", "revoked_at": .integer(now - 4 * day)]),
            lineage.event(
                .purchaseRefundReversed, at: now - 3 * day, ["transaction_id": "t1"]),
            lineage.event(
                .storeTransactionStated, at: now - 2 * day,
                [
                    "product": "club.monthly", "transaction_id": "t1",
                    "starts_at": .integer(start), "expires_at": .integer(now + day),
                ]))
        #expect(try fixture.ledger.refunds().rows.map(refund) == ["ada apple:1 t1 reversed - 0"])
        #expect(try fixture.ledger.refunds().rows.map(\.position) == [4])
        try await fixture.record(
            lineage.event(.purchaseRefundReversed, at: now - day, ["transaction_id": "t1"]))
        #expect(try fixture.ledger.refunds().rows.map(\.position) == [6])
        let before = OverviewRequest(moment: Moment(at: now - day - 1))
        #expect(try fixture.ledger.refunds(before).rows.map(\.position) == [4])
    }

    @Test("What is recorded between two pages moves no row from one to the other")
    func pagesOfOneKnowledge() async throws {
        let fixture = try await fixture()
        for number in 1...3 {
            try await fixture.record(grant("g\(number)", "u\(number)", from: now - day))
        }
        let first = try fixture.ledger.grants(OverviewRequest(limit: 1))
        try await fixture.record(
            grant("g4", "u4", from: now - day),
            .reported(
                .grantVoided, at: now - 1, key: "void", subject: "u2",
                ["grant_id": "g2", "voided_at": .integer(now - 1)]))
        let rest = try fixture.ledger.grants(OverviewRequest(limit: 9, after: first.next))
        #expect(first.rows.map(\.grant.name) == ["g3"])
        #expect(rest.rows.map(\.grant.name) == ["g2", "g1"])
        #expect(try fixture.ledger.grants().rows.map(\.grant.name) == ["g4", "g3", "g1"])
    }

    @Test(
        "Units that come again stay listed while none is left, and what serves a profile ends too")
    func recurringAndProfiles() async throws {
        let fixture = try await fixture()
        let start = now - 10 * day
        let long = "a-grant-with-an-id-that-is-longer-than-a-reference"
        try await fixture.record(
            grant("again", "ada", amount: 2, from: start, ["every": "P1M"]),
            .used("units", at: start + day, ref: "1", amount: 2, subject: "ada"),
            grant(long, "bob", from: start, until: now + day, ["entitlement": "club"]),
            grant(
                "rex", "cleo", from: start, until: now + day,
                ["entitlement": "club", "profile": "rex"]))
        let again = try fixture.ledger.grants().rows.last
        #expect(again?.grant.state == .active)
        #expect(again?.grant.left == 0)
        let rows = try fixture.ledger.expiring(within: 7 * day).rows
        #expect(rows.map(\.subject) == ["bob", "cleo"])
        #expect(rows.map(\.source) == [long, "rex"])
        #expect(rows.map(\.profile) == [nil, "rex"])
    }

    @Test("What ends within the time is listed by its end; the bounds are exclusive")
    func expiring() async throws {
        let fixture = try await fixture()
        let start = now - 10 * day
        func lineage(_ id: String, until end: Int64) -> EventDraft {
            LineageFixture(id, product: "club.monthly", subject: "u" + id).started(
                id, from: start, until: end)
        }
        try await fixture.record(
            lineage("1", until: now + 2 * day), lineage("2", until: now + 7 * day),
            lineage("3", until: now + 7 * day - 1), lineage("4", until: now + 1),
            lineage("5", until: now),
            LineageFixture("1", product: "club.monthly", subject: "u1").event(
                .subscriptionAutoRenewChanged, at: now - day, ["enabled": false]),
            grant("g", "u6", from: start, until: now + 3 * day),
            grant("none", "u6", amount: 0, from: start, until: now + 3 * day),
            grant("access", "u7", from: start, until: now + day, ["entitlement": "club"]),
            .used("daily", at: start, ref: "1", subject: "nobody"))
        func row(_ row: ExpiryRow) -> String {
            "\(row.subject) \(row.kind.rawValue) \(row.name) \(row.willRenew)"
        }
        let all = [
            "u4 entitlement club true", "u7 entitlement club false", "u1 entitlement club false",
            "u6 grant g false", "u3 entitlement club true",
        ]
        let page = try fixture.ledger.expiring(within: 7 * day)
        #expect(page.rows.map(row) == all)
        #expect(page.rows.map(\.left) == [nil, nil, nil, 5, nil])
        #expect(
            try fixture.ledger.expiring(within: 7 * day, isEndingAlone: true).rows.map(row) == [
                all[1], all[2], all[3],
            ])
        var request = OverviewRequest(limit: 2)
        var pages: [[String]] = []
        repeat {
            let page = try fixture.ledger.expiring(request, within: 7 * day)
            pages.append(page.rows.map(row))
            request.after = page.next
        } while request.after != nil && pages.count < 9
        #expect(pages == [[all[0], all[1]], [all[2], all[3]], [all[4]]])
        // A day before, the renewal was still on.
        let before = try fixture.ledger.expiring(
            OverviewRequest(moment: Moment(at: now - day - 1)), within: 4 * day)
        #expect(before.rows.first { $0.subject == "u1" }?.willRenew == true)
    }

    @Test("A place that no page gave is refused, and so is a ledger without rules")
    func badInput() async throws {
        let fixture = try await fixture()
        for after in ["x", "0", "-4", "5@3", "1/9/x", "[1,\"a\",\"b\",\"c\"]"] {
            let request = OverviewRequest(after: after)
            #expect(throws: LedgerError.self, "\(after)") {
                try fixture.ledger.expiring(request, within: 1)
            }
            if Int64(after) ?? 0 <= 0 {
                #expect(throws: LedgerError.self, "\(after)") { try fixture.ledger.grants(request) }
            }
        }
        let bare = try Ledger(inMemory: "meters", clock: { 1 })
        #expect(throws: LedgerError.self) { try bare.grants() }
        #expect(try bare.customers().rows.isEmpty)
    }
}
