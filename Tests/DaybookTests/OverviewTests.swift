import Daybook
import DaybookDomain
import DaybookEvents
import DaybookTesting
import Testing

@Suite("Lists over all customers")
struct OverviewTests {
    private let now = instant("2026-04-01T00:00:00Z")
    private let day = StoryLedger.day

    private func story() async throws -> StoryLedger {
        try await StoryLedger("meters", document: Array(MeterCatalog.text.utf8), now: now)
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
            "grant.issued", at: min(start, now), key: id, subject: subject,
            profile: more["profile"]?.text, data)
    }

    @Test("Grants show what is left of each, the newest first; those that are over behind a flag")
    func grants() async throws {
        let story = try await story()
        let begin = now - 30 * day
        try await story.record(
            grant("first", "ada", amount: 5, from: begin),
            grant("second", "ada", amount: 5, from: begin, until: now + day),
            grant("used", "bob", amount: 2, from: begin),
            grant("later", "bob", from: now + day),
            grant("over", "eve", from: begin, until: now),
            grant("taken", "cleo", from: begin),
            grant("access", "cleo", from: begin, ["entitlement": "club"]),
            grant("rex's", "dan", amount: 4, from: begin, ["profile": "rex"]),
            .reported(
                "grant.voided", at: now - day, key: "void", subject: "cleo",
                ["grant_id": "taken", "voided_at": .integer(now - day)]),
            .used("units", at: begin + day, ref: "1", amount: 7, subject: "ada"),
            .used("units", at: begin + day, ref: "2", amount: 2, subject: "bob"))
        func row(_ row: GrantRow) -> String {
            let left = row.grant.left.map(String.init) ?? "-"
            return "\(row.subject) \(row.grant.name) \(row.grant.state.rawValue) \(left)"
        }
        // The second ends first, so it is burnt first: 5 of it, then 2 of the first.
        #expect(
            try story.ledger.grants().rows.map(row) == [
                "dan rex's active 4", "cleo access active -", "bob later pending -",
                "ada first active 3",
            ])
        let all = try story.ledger.grants(isAll: true)
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
            let page = try story.ledger.grants(request, isAll: true)
            pages.append(page.rows.map(\.position))
            request.after = page.next
        } while request.after != nil && pages.count < 9
        #expect(pages == [[9, 8, 7], [6, 5, 4], [3, 2]])
        // As it was before anything was used, and as known before anything else was.
        let before = try story.ledger.grants(
            OverviewRequest(moment: Moment(at: begin, knownAt: .position(3))))
        #expect(before.rows.map(row) == ["ada second active 5", "ada first active 5"])
    }

    @Test("A voided event is no grant, and an id that is issued twice is one")
    func grantsOnce() async throws {
        let story = try await story()
        let begin = now - 30 * day
        var twice = grant("g", "ada", amount: 9, from: begin)
        twice.source.key = "again"
        twice.occurredAt = begin + day
        try await story.record(grant("g", "ada", amount: 5, from: begin), twice)
        #expect(try story.ledger.grants().rows.map(\.grant.amount) == [5])
        try await story.perform(
            .voidEvent(source: "native", key: "g"))
        #expect(try story.ledger.grants().rows.map(\.grant.amount) == [9])
    }

    @Test("Reservations are open until they are used, given back, taken back, or over")
    func reservations() async throws {
        let story = try await story()
        let ledger = story.ledger
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
        story.clock.now = now + 9_999
        #expect(try open().count == 2)
        story.clock.now = now + 10_000
        #expect(try open() == [])
    }

    private func refund(_ row: RefundRow) -> String {
        let at = row.revokedAt.map { "\(($0 - now) / day)" } ?? "-"
        return
            "\(row.subject ?? "-") \(row.line) \(row.transaction) \(row.kind?.rawValue ?? "reversed") \(at) \(row.refundedMilli)"
    }

    @Test("Refunds are told once for each transaction, as the latest word has it")
    func refunds() async throws {
        let story = try await story()
        let start = now - 20 * day
        let lines = ["1", "2", "3", "4"].map {
            LineStory($0, product: "club.monthly", subject: $0 == "4" ? nil : "u\($0)")
        }
        try await story.ledger.record(
            lines.map { $0.started("t" + $0.line, from: start, until: now + 10 * day) })
        func refunded(_ line: LineStory, _ more: JSONObject = JSONObject()) -> EventDraft {
            var data: JSONObject = [
                "transaction_id": .string("t" + line.line), "revoked_at": .integer(now - 3 * day),
            ]
            for member in more.members { data[member.name] = member.value }
            return line.event("purchase.refunded", at: now - 3 * day, data)
        }
        try await story.record(
            refunded(lines[0], ["amount_milli": 4990, "currency": "EUR", "reason": "other"]),
            refunded(lines[1], ["type": "prorated", "pct_milli": 40_000]),
            refunded(lines[3]), refunded(lines[2]),
            lines[2].event(
                "purchase.refund_reversed", at: now - 2 * day, ["transaction_id": "t3"]))
        let page = try story.ledger.refunds()
        #expect(
            page.rows.map(refund) == [
                "u3 apple:3 t3 reversed - 0", "- apple:4 t4 refund -3 100000",
                "u2 apple:2 t2 prorated -3 40000", "u1 apple:1 t1 refund -3 100000",
            ])
        #expect(page.rows.last?.amountMilli == 4990)
        #expect(page.rows.last?.currency == "EUR")
        #expect(page.rows.last?.product == "club.monthly")
        let known = try story.ledger.refunds(
            OverviewRequest(moment: Moment(knownAt: .position(9))))
        #expect(
            known.rows.map(refund).first == "u3 apple:3 t3 refund -3 100000")
        let first = try story.ledger.refunds(OverviewRequest(limit: 2))
        let second = try story.ledger.refunds(OverviewRequest(limit: 2, after: first.next))
        #expect((first.rows + second.rows).map(refund) == page.rows.map(refund))
        #expect(second.next == nil)
    }

    @Test("The refund whose word counts is told, as it was amended, and none that does not count")
    func refundsThatCount() async throws {
        let story = try await story()
        let start = now - 20 * day
        let line = LineStory("1", product: "club.monthly", subject: "ada")
        let other = LineStory("2", product: "club.monthly", subject: "bob")
        var claimed = other.event(
            "purchase.refunded", at: now - 2 * day,
            ["transaction_id": "t2", "revoked_at": .integer(now - 2 * day)])
        claimed.trust = .clientAsserted
        func refunded(_ key: String, _ amount: Int64, signedAt: Int64) -> EventDraft {
            var draft = line.event(
                "purchase.refunded", at: now - 3 * day, signedAt: signedAt, key: key,
                [
                    "transaction_id": "t1", "revoked_at": .integer(now - 3 * day),
                    "amount_milli": .integer(amount), "currency": "USD",
                ])
            draft.trust = .imported
            return draft
        }
        try await story.record(
            line.started("t1", from: start, until: now + day),
            other.started("t2", from: start, until: now + day), claimed,
            refunded("newer", 500, signedAt: now - day),
            refunded("older", 900, signedAt: now - 2 * day))
        func rows(_ moment: Moment = .now) throws -> [String] {
            try story.ledger.refunds(OverviewRequest(moment: moment)).rows.map {
                "\($0.subject ?? "-") \($0.position) \($0.amountMilli ?? -1)"
            }
        }
        #expect(try rows() == ["ada 5 500"])
        try await story.perform(
            .amendEvent(source: "apple_asn_v2", key: "newer", patch: ["amount_milli": 700]))
        #expect(try rows() == ["ada 5 700"])
        #expect(try rows(Moment(at: now - 3 * day - 1)) == [])
        #expect(try rows(Moment(at: now - 3 * day)) == ["ada 5 700"])
    }

    @Test(
        "A reversal is told where it reverses something that counts, whichever of them came first")
    func reversals() async throws {
        let story = try await story()
        let start = now - 20 * day
        let lines = ["1", "2", "3"].map {
            LineStory($0, product: "club.monthly", subject: "u\($0)")
        }
        func refunded(_ line: LineStory) -> EventDraft {
            line.event(
                "purchase.refunded", at: now - 3 * day, key: "refund-\(line.line)",
                [
                    "transaction_id": .string("t" + line.line),
                    "revoked_at": .integer(now - 3 * day),
                ])
        }
        func reversed(_ line: LineStory) -> EventDraft {
            line.event(
                "purchase.refund_reversed", at: now - 2 * day,
                ["transaction_id": .string("t" + line.line)])
        }
        func rows(_ moment: Moment = .now) throws -> [String] {
            try story.ledger.refunds(OverviewRequest(moment: moment)).rows.map(refund)
        }
        // What only a client says of a purchase of the store's is no refund; what the store states is one.
        var claimed = refunded(lines[1])
        claimed.trust = .clientAsserted
        let stated = lines[2].event(
            "store.transaction_stated", at: now - 3 * day,
            [
                "product": "club.monthly", "transaction_id": "t3", "starts_at": .integer(start),
                "expires_at": .integer(now + day), "revoked_at": .integer(now - 3 * day),
            ])
        try await story.ledger.record(
            lines.map { $0.started("t" + $0.line, from: start, until: now + day) }
                + [reversed(lines[0]), claimed, reversed(lines[1]), stated, reversed(lines[2])])
        #expect(try rows() == ["u3 apple:3 t3 reversed - 0"])
        try await story.record(refunded(lines[0]))
        #expect(try rows() == ["u3 apple:3 t3 reversed - 0", "u1 apple:1 t1 reversed - 0"])
        #expect(try rows(Moment(knownAt: .position(9))) == ["u3 apple:3 t3 reversed - 0"])
        try await story.perform(.voidEvent(source: "apple_asn_v2", key: "refund-1"))
        #expect(try rows() == ["u3 apple:3 t3 reversed - 0"])
    }

    @Test(
        "A reversal stays told when the store states the transaction whole again, and is told once")
    func reversedAndStated() async throws {
        let story = try await story()
        let start = now - 20 * day
        let line = LineStory("1", product: "club.monthly", subject: "ada")
        try await story.record(
            line.started("t1", from: start, until: now + day),
            line.event(
                "purchase.refunded", at: now - 4 * day,
                ["transaction_id": "t1", "revoked_at": .integer(now - 4 * day)]),
            line.event(
                "purchase.refund_reversed", at: now - 3 * day, ["transaction_id": "t1"]),
            line.event(
                "store.transaction_stated", at: now - 2 * day,
                [
                    "product": "club.monthly", "transaction_id": "t1",
                    "starts_at": .integer(start), "expires_at": .integer(now + day),
                ]))
        #expect(try story.ledger.refunds().rows.map(refund) == ["ada apple:1 t1 reversed - 0"])
        #expect(try story.ledger.refunds().rows.map(\.position) == [4])
        try await story.record(
            line.event("purchase.refund_reversed", at: now - day, ["transaction_id": "t1"]))
        #expect(try story.ledger.refunds().rows.map(\.position) == [6])
        let before = OverviewRequest(moment: Moment(at: now - day - 1))
        #expect(try story.ledger.refunds(before).rows.map(\.position) == [4])
    }

    @Test("What is recorded between two pages moves no row from one to the other")
    func pagesOfOneKnowledge() async throws {
        let story = try await story()
        for number in 1...3 {
            try await story.record(grant("g\(number)", "u\(number)", from: now - day))
        }
        let first = try story.ledger.grants(OverviewRequest(limit: 1))
        try await story.record(
            grant("g4", "u4", from: now - day),
            .reported(
                "grant.voided", at: now - 1, key: "void", subject: "u2",
                ["grant_id": "g2", "voided_at": .integer(now - 1)]))
        let rest = try story.ledger.grants(OverviewRequest(limit: 9, after: first.next))
        #expect(first.rows.map(\.grant.name) == ["g3"])
        #expect(rest.rows.map(\.grant.name) == ["g2", "g1"])
        #expect(try story.ledger.grants().rows.map(\.grant.name) == ["g4", "g3", "g1"])
    }

    @Test(
        "Units that come again stay listed while none is left, and what serves a profile ends too")
    func recurringAndProfiles() async throws {
        let story = try await story()
        let start = now - 10 * day
        let long = "a-grant-with-an-id-that-is-longer-than-a-reference"
        try await story.record(
            grant("again", "ada", amount: 2, from: start, ["every": "P1M"]),
            .used("units", at: start + day, ref: "1", amount: 2, subject: "ada"),
            grant(long, "bob", from: start, until: now + day, ["entitlement": "club"]),
            grant(
                "rex", "cleo", from: start, until: now + day,
                ["entitlement": "club", "profile": "rex"]))
        let again = try story.ledger.grants().rows.last
        #expect(again?.grant.state == .active)
        #expect(again?.grant.left == 0)
        let rows = try story.ledger.expiring(within: 7 * day).rows
        #expect(rows.map(\.subject) == ["bob", "cleo"])
        #expect(rows.map(\.source) == [long, "rex"])
        #expect(rows.map(\.profile) == [nil, "rex"])
    }

    @Test("What ends within the time is listed by its end; the bounds are exclusive")
    func expiring() async throws {
        let story = try await story()
        let start = now - 10 * day
        func line(_ id: String, until end: Int64) -> EventDraft {
            LineStory(id, product: "club.monthly", subject: "u" + id).started(
                id, from: start, until: end)
        }
        try await story.record(
            line("1", until: now + 2 * day), line("2", until: now + 7 * day),
            line("3", until: now + 7 * day - 1), line("4", until: now + 1), line("5", until: now),
            LineStory("1", product: "club.monthly", subject: "u1").event(
                "subscription.auto_renew_changed", at: now - day, ["enabled": false]),
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
        let page = try story.ledger.expiring(within: 7 * day)
        #expect(page.rows.map(row) == all)
        #expect(page.rows.map(\.left) == [nil, nil, nil, 5, nil])
        #expect(
            try story.ledger.expiring(within: 7 * day, isEndingAlone: true).rows.map(row) == [
                all[1], all[2], all[3],
            ])
        var request = OverviewRequest(limit: 2)
        var pages: [[String]] = []
        repeat {
            let page = try story.ledger.expiring(request, within: 7 * day)
            pages.append(page.rows.map(row))
            request.after = page.next
        } while request.after != nil && pages.count < 9
        #expect(pages == [[all[0], all[1]], [all[2], all[3]], [all[4]]])
        // A day before, nobody had switched the renewal off.
        let before = try story.ledger.expiring(
            OverviewRequest(moment: Moment(at: now - day - 1)), within: 4 * day)
        #expect(before.rows.first { $0.subject == "u1" }?.willRenew == true)
    }

    @Test("A place that no page gave is refused, and so is a ledger without rules")
    func badInput() async throws {
        let story = try await story()
        for after in ["x", "0", "-4", "5@3", "1/9/x", "[1,\"a\",\"b\",\"c\"]"] {
            let request = OverviewRequest(after: after)
            #expect(throws: LedgerError.self, "\(after)") {
                try story.ledger.expiring(request, within: 1)
            }
            if Int64(after) ?? 0 <= 0 {
                #expect(throws: LedgerError.self, "\(after)") { try story.ledger.grants(request) }
            }
        }
        let bare = try Ledger(inMemory: "meters", clock: { 1 })
        #expect(throws: LedgerError.self) { try bare.grants() }
        #expect(try bare.customers().rows.isEmpty)
    }
}
