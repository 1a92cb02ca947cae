import Daybook
import DaybookEvents
import DaybookFixtures
import Foundation
import Testing

@Suite("Questions about customers over HTTP")
struct CustomerRouteTests {
    private static let ada = "/v1/dozzi/customers/ada"

    @Test("Status answers with the library's own members, and once more only where it changed")
    func status() async throws {
        try await ServerBench.serving { bench in
            let first = try await bench.get(Self.ada + "/status")
            #expect(first.status == 200)
            let ledger = try Ledger.open(bench.path(), readOnly: true, clock: { Fixtures.now })
            let (status, asOf) = try ledger.status(of: "ada")
            #expect(first.body == status.json(asOf).canonicalBytes)
            try ledger.close()
            let tag = try #require(first.headers["etag"])
            let key = try bench.key(.store)
            let same = try await bench.get(Self.ada + "/status", [key, ("if-none-match", tag)])
            #expect(same.status == 304 && same.body.isEmpty && same.headers["etag"] == tag)
            _ = try await bench.post(Self.ada + "/consume", ["meter": "stories"])
            let changed = try await bench.get(Self.ada + "/status", [key, ("if-none-match", tag)])
            #expect(changed.status == 200 && changed.headers["etag"] != tag)
        }
    }

    @Test("Several checks are answered from one cut")
    func many() async throws {
        try await ServerBench.serving { bench in
            let reply = try await bench.post(
                Self.ada + "/checks", ["names": ["stories", "premiumVoices"]])
            #expect(reply.status == 200, "\(reply.text)")
            let checks = try #require(reply.json["checks"]?.array)
            #expect(checks.map { $0.object?["allowed"]?.bool } == [true, false])
            let unknown = try await bench.post(Self.ada + "/checks", ["names": ["storiez"]])
            #expect(unknown.status == 422 && unknown.code == "unknown_name")
            let none = try await bench.post(Self.ada + "/checks", ["names": []])
            #expect(none.status == 422 && none.code == "too_many_names")
        }
    }

    @Test("Names in a path are taken as they are meant")
    func names() async throws {
        try await ServerBench.serving { bench in
            for name in ["a%2Fb", "a%20b", "%C3%A9", "a+b", "..%2F..%2Fetc"] {
                let used = try await bench.post(
                    "/v1/dozzi/customers/\(name)/consume", ["meter": "stories"])
                #expect(used.status == 200, "\(name): \(used.text)")
            }
            let ledger = try Ledger.open(bench.path(), readOnly: true, clock: { Fixtures.now })
            #expect(try ledger.subjects() == ["../../etc", "a b", "a+b", "a/b", "é"])
            try ledger.close()
            for name in ["%", "%zz", "%C3", "%00"] {
                let reply = try await bench.get("/v1/dozzi/customers/\(name)/status")
                #expect(reply.status == 400 && reply.code == "bad_url", "\(name): \(reply.text)")
            }
        }
    }

    @Test("What no route takes is told as a problem, and bad times say what to write")
    func problems() async throws {
        try await ServerBench.serving { bench in
            let nowhere = try await bench.get("/v1/dozzi/nowhere")
            #expect(nowhere.status == 404 && nowhere.code == "unknown_route")
            #expect(nowhere.headers["content-type"] == "application/problem+json")
            for query in ["at=yesterday", "at=2026-01-01", "known_at=%40x", "environment=moon"] {
                let reply = try await bench.get(Self.ada + "/status?\(query)")
                #expect(reply.status == 422, "\(query): \(reply.text)")
            }
            let large = try await bench.client.send(
                .POST, Self.ada + "/consume", headers: [try bench.key(.store)],
                body: Array(repeating: 0x20, count: (1 << 20) + 1))
            #expect(large.status == 413 && large.code == "body_too_large")
        }
    }
}
