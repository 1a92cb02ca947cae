import Daybook
import DaybookEvents
import DaybookFixtures
import DaybookServer
import NIOHTTP1
import Testing

/// Reports that are frozen, shown and compared over HTTP; the numbers are worked out by hand.
@Suite("Frozen reports over HTTP")
struct ReportRouteTests {
    private static func purchase(_ subject: String, _ id: String) -> String {
        """
        {"type":"purchase.completed","v":1,"subject":"\(subject)","occurred_at":1767312120000,\
        "source":{"kind":"apple","key":"p\(id)"},"trust":"imported","data":{\
        "product":"com.dozzi.unlimited_stories","kind":"non_consumable","transaction_id":"\(id)",\
        "price_milli":2990,"currency":"USD"}}
        """
    }

    private static func record(_ bench: ServerBench, _ lines: String...) async throws {
        let reply = try await bench.client.send(
            .POST, "/v1/dozzi/events", headers: [try bench.key(.store)],
            body: Array(lines.joined(separator: "\n").utf8))
        try #require(reply.status == 200, "\(reply.text)")
    }

    private static func freeze(
        _ bench: ServerBench, _ body: JSONObject
    ) async throws -> HTTPReply {
        try await bench.client.send(
            .POST, "/v1/dozzi/reports", headers: [try bench.key(.analyst)],
            body: body.canonicalBytes)
    }

    private static let books: JSONObject = [
        "name": "january", "period": "2026-01", "metrics": ["net_revenue", "paying_customers"],
        "at": "2026-01-12T00:00:00Z",
    ]

    @Test("A report keeps its bytes after later events, and the comparison explains them")
    func compared() async throws {
        try await ServerBench.serving { bench in
            let key = try bench.key(.analyst)
            try await Self.record(bench, Self.purchase("ada", "1"))
            let made = try await Self.freeze(bench, Self.books)
            #expect(made.status == 200 && made.json["done_before"] == false, "\(made.text)")
            let kept = try await bench.get("/v1/dozzi/reports/january", [key])
            #expect(kept.json["metrics"]?.array?.count == 2, "\(kept.text)")
            let digest = Digest.hexadecimal(Digest.sha256(kept.body))
            #expect(made.json["document_sha256"] == .string(digest))
            try await Self.record(bench, Self.purchase("bob", "2"))
            #expect(try await bench.get("/v1/dozzi/reports/january", [key]).body == kept.body)
            let tag = try #require(kept.headers["etag"])
            let same = try await bench.get(
                "/v1/dozzi/reports/january", [key, ("if-none-match", tag)])
            #expect(same.status == 304)
            let csv = try await bench.get(
                "/v1/dozzi/reports/january", [key, ("accept", "text/csv")])
            #expect(csv.text.contains("net_revenue,USD,2026-01-01T00:00:00Z"), "\(csv.text)")
            let list = try await bench.get("/v1/dozzi/reports", [key])
            #expect(list.json["reports"]?.array?.first?.object?["name"] == "january")

            let reply = try await bench.get("/v1/dozzi/reports/january/comparison", [key])
            #expect(reply.json["same"] == false && reply.json["unexplained"] == [])
            let told = reply.json["contributions"]?.array?.compactMap(\.object) ?? []
            #expect(told.map { $0["customer"] } == ["bob"], "\(reply.text)")
            #expect(told.first?["cause"] == "late_arrival")
            let changes = told.first?["changes"]?.array?.compactMap(\.object) ?? []
            #expect(changes.map { $0["metric"] } == ["net_revenue", "paying_customers"])
            #expect(changes.map { $0["numerator"] } == [2_990, 1])
            let then = try #require(made.json["known_position"]?.integer)
            let before = try await bench.get(
                "/v1/dozzi/reports/january/comparison?known_at=@\(then)", [key])
            #expect(before.json["same"] == true, "\(before.text)")
        }
    }

    @Test("A name has one report: the same question is done, another is refused")
    func names() async throws {
        try await ServerBench.serving { bench in
            try await Self.record(bench, Self.purchase("ada", "1"))
            let first = try await Self.freeze(bench, Self.books)
            try await Self.record(bench, Self.purchase("bob", "2"))
            let again = try await Self.freeze(bench, Self.books)
            #expect(again.json["done_before"] == true, "\(again.text)")
            #expect(again.json["position"] == first.json["position"])
            var other = Self.books
            other["period"] = "2026-02"
            let refused = try await Self.freeze(bench, other)
            #expect(refused.status == 422 && refused.code == "name_taken", "\(refused.text)")
            for (change, code) in [
                ("period", "bad_period"), ("by", "unknown_choice"), ("from", "bad_range"),
            ] {
                var body = Self.books
                body["name"] = .string(change)
                body[change] = change == "from" ? 0 : "soon"
                let reply = try await Self.freeze(bench, body)
                #expect(reply.status == 422 && reply.code == code, "\(reply.text)")
            }
            let nameless = try await Self.freeze(bench, ["period": "2026-01"])
            #expect(nameless.status == 422 && nameless.code == "missing_member")
            let unknown = try await bench.get(
                "/v1/dozzi/reports/januar/comparison", [try bench.key(.analyst)])
            #expect(unknown.status == 422 && unknown.text.contains("did you mean"))
        }
    }

    /// A report of a version to come, or one that was made up.
    private static func strange(_ document: String, digest: String? = nil) -> JSONObject {
        [
            "type": "report.frozen", "v": 1, "occurred_at": 1_767_312_000_000,
            "source": ["kind": "ledger", "key": "report/strange"], "trust": "admin",
            "data": [
                "name": "strange", "position": 1, "place": "p", "at": 1_767_312_000_000,
                "definition": ["metrics": ["x"], "by": "fortnight"], "engine": "99",
                "document_sha256": .string(
                    digest ?? Digest.hexadecimal(Digest.sha256(Array(document.utf8)))),
                "document": .string(document),
            ],
        ]
    }

    private static func post(_ bench: ServerBench, _ event: JSONObject) async throws -> HTTPReply {
        try await bench.client.send(
            .POST, "/v1/dozzi/events?actor=kim&reason=moved", headers: [try bench.key(.admin)],
            body: event.canonicalBytes)
    }

    @Test("A report that another version asked is listed and given; what it means is not guessed")
    func strange() async throws {
        try await ServerBench.serving { bench in
            let key = try bench.key(.analyst)
            for (document, digest) in [("no JSON", nil), ("[]", nil), ("{}", "00")] {
                let reply = try await Self.post(bench, Self.strange(document, digest: digest))
                #expect(reply.status == 422, "\(reply.text)")
            }
            // By its own name alone, and not by a backend.
            var other = Self.strange("{}")
            other["source"] = ["kind": "ledger", "key": "report/march"]
            let misnamed = try await Self.post(bench, other)
            #expect(misnamed.status == 422 && misnamed.text.contains("report/strange"))
            let backend = try await bench.client.send(
                .POST, "/v1/dozzi/events", headers: [try bench.key(.store)],
                body: Self.strange("{}").canonicalBytes)
            #expect(backend.status == 403 && backend.code == "type_for_admins", "\(backend.text)")
            let taken = try await Self.post(bench, Self.strange("{\"a\":1}"))
            #expect(taken.status == 200, "\(taken.text)")
            let shown = try await bench.get("/v1/dozzi/reports/strange", [key])
            #expect(shown.text == "{\"a\":1}")
            let list = try await bench.get("/v1/dozzi/reports", [key])
            #expect(list.json["reports"]?.array?.first?.object?["by"] == .null, "\(list.text)")
            let csv = try await bench.get(
                "/v1/dozzi/reports/strange", [key, ("accept", "text/csv")])
            #expect(csv.status == 406 && csv.code == "unknown_form", "\(csv.text)")
            let compared = try await bench.get("/v1/dozzi/reports/strange/comparison", [key])
            #expect(compared.status == 422 && compared.code == "unknown_form")
        }
    }
}
