import Daybook
import DaybookEvents
import DaybookFixtures
import DaybookServer
import Foundation
import NIOHTTP1
import Testing

/// Facts that are recorded over HTTP: who says so, and under which keys.
@Suite("Recording facts")
struct RecordRouteTests {
    private static func line(_ ref: String, key: String? = nil) -> JSONObject {
        var source: JSONObject = ["kind": "native"]
        if let key { source["key"] = .string(key) }
        return [
            "type": "usage.recorded", "v": 1, "subject": "ada",
            "occurred_at": .integer(Fixtures.now), "source": .object(source),
            "trust": "imported", "data": ["meter": "stories", "amount": 1, "ref": .string(ref)],
        ]
    }

    private static func record(
        _ bench: ServerBench, _ lines: [JSONObject], query: String = "", scope: Scope = .store,
        key: String? = nil
    ) async throws -> HTTPReply {
        try await bench.client.send(
            .POST, "/v1/dozzi/events" + query,
            headers: [try bench.key(scope)] + (key.map { [("idempotency-key", $0)] } ?? []),
            body: Array(lines.map(\.canonicalBytes).joined(separator: [0x0A])))
    }

    private static func events(_ bench: ServerBench) throws -> [EventDraft] {
        let ledger = try Ledger.open(bench.path(), readOnly: true, clock: { Fixtures.now })
        defer { try? ledger.close() }
        return try (2...max(2, ledger.head().position)).compactMap {
            try ledger.event(at: $0)?.draft
        }
    }

    @Test("With an admin key facts need an actor and a reason, and the history has both")
    func persons() async throws {
        try await ServerBench.serving { bench in
            let none = try await Self.record(bench, [Self.line("a", key: "a")], scope: .admin)
            #expect(none.status == 422 && none.code == "missing_member", "\(none.text)")
            let half = try await Self.record(
                bench, [Self.line("a", key: "a")], query: "?actor=kim", scope: .admin)
            #expect(half.status == 422 && half.code == "missing_member", "\(half.text)")
            #expect(try Self.events(bench).isEmpty)
            var own = Self.line("b", key: "b")
            own["actor"] = "sam"
            let both = try await Self.record(
                bench, [Self.line("a", key: "a"), own],
                query: "?actor=kim&reason=from%20the%20old%20file",
                scope: .admin)
            #expect(both.status == 200, "\(both.text)")
            let events = try Self.events(bench)
            // Who acted at the time is not who recorded it.
            #expect(events.map { $0.extras["actor"] } == ["kim", "sam"])
            #expect(events.allSatisfy { $0.extras["reason"] == "from the old file" })
            // The app's backend names no one.
            #expect(try await Self.record(bench, [Self.line("c", key: "c")]).status == 200)
            #expect(try Self.events(bench).last?.extras.isEmpty == true)
        }
    }

    @Test(
        "An Idempotency-Key names the lines that have no key: the same again is known, another body refused"
    )
    func keys() async throws {
        try await ServerBench.serving { bench in
            let lines = [Self.line("a"), Self.line("b", key: "own")]
            let first = try await Self.record(bench, lines, key: "tap")
            #expect(first.status == 200, "\(first.text)")
            let again = try await Self.record(bench, lines, key: "tap")
            #expect(again.status == 200 && again.json["duplicates"] == 2, "\(again.text)")
            #expect(try Self.events(bench).map(\.source.key) == ["tap/1", "own"])
            let other = try await Self.record(bench, [Self.line("c")], key: "tap")
            #expect(other.status == 409 && other.code == "idempotency_conflict", "\(other.text)")
            #expect(try Self.events(bench).count == 2)
            for key in ["", String(repeating: "k", count: 129)] {
                let bad = try await Self.record(bench, [Self.line("d")], key: key)
                #expect(bad.status == 422 && bad.code == "bad_key", "\(bad.text)")
            }
            // Who says it, and why, is part of what was said.
            let own = [Self.line("b", key: "own")]
            let said = try await Self.record(
                bench, own, query: "?actor=kim&reason=again", scope: .admin)
            #expect(said.status == 409, "\(said.text)")
        }
    }

    @Test("What a device got is posted by the app's backend or the device, not by a person")
    func devices() async throws {
        try await ServerBench.serving { bench in
            for scope in [Scope.admin, .support] {
                let reply = try await bench.post(
                    "/v1/dozzi/customers/ada/transactions",
                    ["signed": ["a.b.c"], "actor": "kim", "reason": "test"],
                    [try bench.key(scope)])
                #expect(reply.status == 403 && reply.code == "scope_needed", "\(reply.text)")
            }
        }
    }

    @Test("Catalogs are listed, and what they sell, as it was known at a time")
    func catalogs() async throws {
        try await ServerBench.serving { bench in
            let key = [try bench.key(.analyst)]
            let ledger = try Ledger.open(bench.path(), clock: { Fixtures.now })
            let before = try ledger.head().position
            let catalog = String(decoding: try Fixtures.catalogDocument("dozzi"), as: UTF8.self)
            var changed = catalog
            for (old, new) in [
                ("regular: 2.99 USD", "regular: 3.99 USD"), ("window: P7D", "window: P8D"),
                ("paywall.title: Unlock Unlimited Stories", "paywall.title: Unlock All"),
            ] {
                try #require(changed.contains(old))
                changed = changed.replacing(old, with: new)
            }
            _ = try await ledger.publish(CatalogPublication(document: Array(changed.utf8)))
            try ledger.close()
            func texts(_ path: String, _ knownAt: Int64?) async throws -> String {
                let query = knownAt.map { "?known_at=@\($0)" } ?? ""
                let reply = try await bench.get("/v1/dozzi" + path + query, key)
                #expect(reply.status == 200, "\(reply.text)")
                return reply.text
            }
            #expect(try await texts("/products", nil).contains("3990"))
            #expect(try await !texts("/products", before).contains("3990"))
            #expect(try await texts("/catalogs", nil).contains(#""version":2"#))
            #expect(try await !texts("/catalogs", before).contains(#""version":2"#))
            #expect(try await texts("/catalogs/newest", before).contains(#""version":1"#))
            #expect(try await texts("/paywalls/usage_limit", nil).contains("Unlock All"))
            #expect(try await !texts("/paywalls/usage_limit", before).contains("Unlock All"))
            #expect(try await texts("/funnels", before) != texts("/funnels", nil))
            let both = try await bench.get("/v1/dozzi/catalogs/2?known_at=@\(before)", key)
            #expect(both.status == 422 && both.code == "version_alone")
            let early = try await bench.get("/v1/dozzi/products?known_at=@0", key)
            #expect(early.status == 404 && early.code == "no_catalog", "\(early.text)")
        }
    }
}
