import Daybook
import DaybookEvents
import DaybookFixtures
import DaybookServer
import Foundation
import Synchronization
import Testing

@Suite("Uses over HTTP")
struct UseRouteTests {
    private static let ada = "/v1/dozzi/customers/ada"

    @Test("A use is counted, the third is refused with its numbers, and check says the same")
    func limit() async throws {
        try await ServerBench.serving { bench in
            for index in 1...2 {
                let reply = try await bench.post(
                    Self.ada + "/consume", ["meter": "stories", "ref": .string("story-\(index)")])
                #expect(reply.status == 200, "\(reply.text)")
                #expect(reply.json["used"]?.integer == Int64(index))
                #expect(reply.json["durability"]?.text == "FULL")
            }
            let refused = try await bench.post(Self.ada + "/consume", ["meter": "stories"])
            #expect(refused.status == 409)
            #expect(refused.headers["content-type"] == "application/problem+json")
            #expect(refused.code == "limit_reached")
            let decision = try #require(refused.json["decision"]?.object)
            #expect(decision["allowed"]?.bool == false)
            #expect(decision["limit"]?.integer == 2 && decision["used"]?.integer == 2)
            let check = try await bench.get(Self.ada + "/checks/stories")
            #expect(check.status == 200)
            #expect(check.json["allowed"]?.bool == false)
            #expect(check.json["reason"]?.text == "limit_reached")
            let earlier = try await bench.get(Self.ada + "/checks/stories?known_at=%402")
            #expect(earlier.json["allowed"]?.bool == true)
        }
    }

    @Test("The same key gets the first receipt, and another request under it is refused")
    func idempotency() async throws {
        try await ServerBench.serving { bench in
            let key = ("idempotency-key", "tap-1")
            let headers = [try bench.key(.store), key]
            let first = try await bench.post(
                Self.ada + "/consume", ["meter": "stories"], headers)
            let again = try await bench.post(
                Self.ada + "/consume", ["meter": "stories"], headers)
            #expect(first.status == 200 && first.body == again.body)
            let other = try await bench.post(
                Self.ada + "/consume", ["meter": "stories", "amount": 2], headers)
            #expect(other.status == 409 && other.code == "idempotency_conflict")
            let check = try await bench.get(Self.ada + "/checks/stories")
            #expect(check.json["used"]?.integer == 1)
        }
    }

    @Test("A dry run answers as the write would and writes nothing")
    func dryRun() async throws {
        try await ServerBench.serving { bench in
            let dry = try await bench.post(
                Self.ada + "/consume", ["meter": "stories", "dry_run": true])
            #expect(dry.json["dry_run"]?.bool == true && dry.json["used"]?.integer == 1)
            let check = try await bench.get(Self.ada + "/checks/stories")
            #expect(check.json["used"]?.integer == 0)
        }
    }

    @Test("What was reserved is used, given back, or taken back")
    func reservations() async throws {
        try await ServerBench.serving { bench in
            for (id, end) in [("a", "commit"), ("b", "release")] {
                let reserved = try await bench.post(
                    Self.ada + "/reserve",
                    ["meter": "stories", "reservation": .string(id), "timeout": "PT10M"])
                #expect(reserved.status == 200, "\(reserved.text)")
                let ended = try await bench.post(
                    Self.ada + "/\(end)", ["reservation": .string(id)])
                #expect(ended.status == 200, "\(ended.text)")
            }
            #expect(try await bench.get(Self.ada + "/checks/stories").json["used"]?.integer == 1)
            let reversed = try await bench.post(Self.ada + "/reverse", ["target": "a"])
            #expect(reversed.status == 200, "\(reversed.text)")
            #expect(try await bench.get(Self.ada + "/checks/stories").json["used"]?.integer == 0)
            let unknown = try await bench.post(Self.ada + "/commit", ["reservation": "c"])
            #expect(unknown.status == 404 && unknown.code == "unknown_reservation")
        }
    }

    @Test("A name that a route does not read is refused, and nothing is done")
    func misspelt() async throws {
        try await ServerBench.serving { bench in
            let reply = try await bench.post(
                Self.ada + "/consume", ["meter": "stories", "amuont": 5])
            #expect(reply.status == 422 && reply.code == "unknown_member")
            #expect(reply.json["detail"]?.text?.contains("did you mean \"amount\"?") == true)
            let twice = try await bench.post(
                Self.ada + "/consume?meter=stories", ["meter": "stories"])
            #expect(twice.status == 400 && twice.code == "duplicate_member")
            let array = try await bench.client.send(
                .POST, Self.ada + "/consume", headers: [try bench.key(.store)],
                body: Array("[]".utf8))
            #expect(array.status == 400 && array.code == "bad_json")
            let broken = try await bench.client.send(
                .POST, Self.ada + "/consume", headers: [try bench.key(.store)],
                body: Array("{\"meter\":".utf8))
            #expect(broken.status == 400 && broken.code == "bad_json")
            #expect(try await bench.get(Self.ada + "/checks/stories").json["used"]?.integer == 0)
        }
    }

    @Test("A person says who acts and why")
    func audit() async throws {
        try await ServerBench.serving { bench in
            let key = try bench.key(.support)
            let grant: JSONObject = ["meter": "stories", "amount": 5, "id": "sorry-1"]
            let missing = try await bench.post(Self.ada + "/grants", grant, [key])
            #expect(missing.status == 422 && missing.code == "missing_member")
            var named = grant
            named["actor"] = "kim"
            named["reason"] = "lost a story"
            let given = try await bench.post(Self.ada + "/grants", named, [key])
            #expect(given.status == 200, "\(given.text)")
            let history = try await bench.get(Self.ada + "/history", [key])
            let events = try #require(history.json["events"]?.array)
            #expect(events.last?.object?["actor"]?.text == "kim")
        }
    }

    private final class Gathering: Sendable {
        let count = Mutex(0)
    }

    @Test("1,000 consumers at once with 100 left: 100 succeed, and the others get the limit")
    func crowd() async throws {
        // Both ends of a thousand connections are in this process.
        try #require((OpenFileLimit.raise(to: 8_192) ?? 0) >= 4_096)
        try await ServerBench.serving { bench in
            let key = try bench.key(.store)
            let given = try await bench.post(
                Self.ada + "/grants", ["meter": "stories", "amount": 98, "id": "many"])
            #expect(given.status == 200, "\(given.text)")
            // A thousand connections that are open at the same time, each with one tap.
            let ready = Gathering()
            let replies = try await withThrowingTaskGroup(of: HTTPReply.self) { tasks in
                for _ in 0..<1_000 {
                    tasks.addTask {
                        try await bench.client.connected { connection in
                            ready.count.withLock { $0 += 1 }
                            while ready.count.withLock({ $0 < 1_000 }) {
                                try await Task.sleep(for: .milliseconds(20))
                            }
                            return try await connection.send(
                                .POST, Self.ada + "/consume", headers: [key],
                                body: (["meter": "stories"] as JSONObject).canonicalBytes)
                        }
                    }
                }
                return try await tasks.reduce(into: []) { $0.append($1) }
            }
            #expect(replies.count { $0.status == 200 } == 100)
            let refused = replies.filter { $0.status == 409 && $0.code == "limit_reached" }
            #expect(refused.count == 900)
            let decision = try #require(refused.first?.json["decision"]?.object)
            #expect(decision["used"]?.integer == 100, "\(decision)")
            #expect(
                refused.allSatisfy {
                    $0.json["decision"]?.object?["used"]?.integer == 100
                        && $0.json["decision"]?.object?["remaining"]?.integer == 0
                })
            let ledger = try Ledger.open(bench.path(), readOnly: true, clock: { Fixtures.now })
            #expect(try ledger.check("stories", for: "ada").usage?.used == 100)
            try ledger.close()
        }
    }
}
