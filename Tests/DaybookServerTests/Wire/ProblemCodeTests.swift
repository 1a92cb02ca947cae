import Daybook
import DaybookEvents
import DaybookFixtures
import DaybookServer
import Foundation
import NIOHTTP1
import Testing

/// Every way in which a request can be wrong has a code of its own, for programs.
@Suite("Codes of problems")
struct ProblemCodeTests {
    private static let ada = "/v1/dozzi/customers/ada"

    /// A request, and what it must be answered with.
    struct Case: Sendable, CustomStringConvertible {
        var scope = Scope.admin
        var method = HTTPMethod.GET
        var path: String
        var body = JSONObject()
        var status: Int
        var code: String

        var description: String { "\(code): \(method) \(path)" }

        static func get(_ path: String, _ status: Int, _ code: String) -> Case {
            Case(path: path, status: status, code: code)
        }

        /// By the app's own backend, which names no actor.
        static func post(
            _ path: String, _ body: JSONObject, _ status: Int, _ code: String,
            scope: Scope = .store
        ) -> Case {
            Case(
                scope: scope, method: .POST, path: path, body: body, status: status, code: code)
        }
    }

    private static let audit: JSONObject = ["actor": "kim", "reason": "test"]

    private static func transfer(_ members: JSONObject) -> JSONObject {
        var body: JSONObject = ["lineage": "apple:1", "from": "ada"]
        for member in audit.members + members.members { body[member.name] = member.value }
        return body
    }

    private static let use: JSONObject = [
        "type": "usage.recorded", "v": 1, "subject": "ada",
        "occurred_at": .integer(Fixtures.now), "source": ["kind": "native", "key": "k"],
        "trust": "imported", "data": ["meter": "stories", "amount": 1],
    ]

    static let cases: [Case] = [
        .get(ada + "/checks/stories?amount=-1", 422, "amount_out_of_bounds"),
        .get(ada + "/checks/stories?amount=many", 422, "wrong_kind"),
        .get(ada + "/checks/storiez", 422, "unknown_name"),
        .get(ada + "/status?environment=moon", 422, "unknown_environment"),
        .get(ada + "/status?at=yesterday", 422, "bad_time"),
        .get(ada + "/status?min_position=x", 422, "bad_place"),
        .get(ada + "/status?at=1&at=2", 400, "duplicate_member"),
        .get(ada + "/history?from=10&until=5", 422, "empty_range"),
        .get(ada + "/history?limit=0", 422, "limit_out_of_bounds"),
        .get(ada + "/history?newest_first=maybe", 422, "wrong_kind"),
        .get(ada + "/explanations/stories", 404, "unknown_subject"),
        .get(ada + "/beliefs/stories", 404, "unknown_subject"),
        .get(ada + "/beliefs/storeis", 422, "unknown_name"),
        .get(ada + "/beliefs/stories?events=0", 422, "events_out_of_bounds"),
        .get(ada + "/difference", 422, "missing_member"),
        .get("/v1/dozzi/catalogs/first", 404, "unknown_version"),
        .get("/v1/dozzi/customers?id=a&prefix=b", 422, "id_alone"),
        .get("/v1/dozzi/funnels/none", 422, "unknown_name"),
        .get("/v1/dozzi/funnels/conversion?by=moon", 422, "unknown_choice"),
        .get("/v1/dozzi/changes?type=usage.recordet", 422, "unknown_name"),
        .post(ada + "/consume", ["meter": 5], 422, "wrong_kind"),
        .post(ada + "/consume", ["meter": "stories", "amount": 0], 422, "amount_out_of_bounds"),
        .post(
            ada + "/consume", ["meter": "stories", "expected_version": -1], 422, "bad_version"),
        .post(
            ada + "/consume", ["meter": "stories", "expected_version": 7], 409,
            "version_conflict"),
        .post(ada + "/grants", ["id": "g"], 422, "one_target"),
        .post(ada + "/grants", ["id": "g", "meter": "stories"], 422, "missing_member"),
        .post(ada + "/grants/void", ["grant": "none"], 404, "unknown_grant"),
        .post(ada + "/redeem", ["code": "none"], 404, "unknown_code"),
        .post(ada + "/checks", ["names": ["stories"], "at": [1]], 422, "wrong_kind"),
        .post(
            "/v1/dozzi/transfers", transfer(["to": "bob", "force": true]), 422,
            "force_without_undo", scope: .admin),
        .post(
            "/v1/dozzi/transfers", transfer(["to": "bob"]), 404, "unknown_line",
            scope: .admin),
        .post("/v1/dozzi/what-if", ["drop": ["native"]], 422, "bad_target", scope: .admin),
        .post(
            "/v1/dozzi/what-if", ["drop": ["native/a"], "top": 5_000], 422, "bad_limit",
            scope: .admin),
        .post("/v1/dozzi/what-if", ["insert": [5]], 422, "wrong_kind", scope: .admin),
        .post("/v1/dozzi/what-if", ["drop": "native/a"], 422, "wrong_kind", scope: .admin),
        .post(
            "/v1/dozzi/what-if",
            ["insert": .array(Array(repeating: .object(use), count: 1_001))], 422,
            "too_many_events", scope: .admin),
    ]

    @Test("A request that cannot be meant is told what is wrong with it, by a stable code")
    func wrongRequests() async throws {
        try await ServerBench.serving { bench in
            let key = try bench.key(.analyst)
            let before = try await bench.get("/v1/dozzi/place", [key]).json["position"]
            for asked in Self.cases {
                let reply = try await bench.client.send(
                    asked.method, asked.path, headers: [try bench.key(asked.scope)],
                    body: asked.method == .POST ? asked.body.canonicalBytes : [])
                #expect(reply.status == asked.status, "\(asked): \(reply.text)")
                #expect(reply.code == asked.code, "\(asked): \(reply.text)")
                #expect(reply.json["retryable"]?.bool != nil, "\(asked)")
                #expect(reply.json["request_id"]?.text?.isEmpty == false, "\(asked)")
            }
            // Nothing of all this was done.
            #expect(try await bench.get("/v1/dozzi/place", [key]).json["position"] == before)
        }
    }

    @Test("A batch of too many lines is refused whole, and so is one with a line that is none")
    func batches() async throws {
        try await ServerBench.serving { bench in
            func record(_ lines: [[UInt8]]) async throws -> HTTPReply {
                try await bench.client.send(
                    .POST, "/v1/dozzi/events", headers: [try bench.key(.store)],
                    body: Array(lines.joined(separator: [0x0A])))
            }
            let line = { (index: Int) -> [UInt8] in
                var event = Self.use
                event["source"] = ["kind": "native", "key": .string("k\(index)")]
                return event.canonicalBytes
            }
            let many = try await record((0..<1_001).map(line))
            #expect(many.status == 422 && many.code == "too_many_events")
            let broken = try await record([line(1), Array("{".utf8), line(2)])
            #expect(broken.status == 422, "\(broken.text)")
            #expect(broken.json["problems"]?.array?.first?.object?["line"] == 2, "\(broken.text)")
            let check = try await bench.get(Self.ada + "/checks/stories")
            #expect(check.json["used"] == 0)
            let good = try await record([line(1), line(2)])
            #expect(good.status == 200, "\(good.text)")
        }
    }

    @Test("A context for which the app has no paywall, not even a general one, has none")
    func noPaywall() async throws {
        try await ServerBench.serving(replacing: ["  default:\n": "  usageLimitReached:\n"]) {
            bench in
            let own = try await bench.get("/v1/dozzi/paywalls/usageLimitReached")
            #expect(own.status == 200)
            let none = try await bench.get("/v1/dozzi/paywalls/settings")
            #expect(none.status == 404 && none.code == "unknown_paywall")
        }
    }

    @Test("An app that has a key and no ledger here is unknown")
    func unknownApp() async throws {
        try await ServerBench.serving { bench in
            let key = try bench.key(.store, app: "ghost")
            let reply = try await bench.get("/v1/ghost/customers/ada/status", [key])
            #expect(reply.status == 404 && reply.code == "unknown_app")
        }
    }

    @Test("One stream more than there may be is told to come later, and has room after one ends")
    func streams() async throws {
        var options = ServerOptions()
        options.streamsMax = 1
        try await ServerBench.serving(options: options) { bench in
            let headers = [try bench.key(.analyst), ("accept", "text/event-stream")]
            let status = try await bench.client.stream(
                "/v1/dozzi/changes", headers: headers
            ) { _ in
                let second = try await bench.get("/v1/dozzi/changes", headers)
                #expect(second.status == 503 && second.code == "too_many_streams")
                #expect(second.headers["retry-after"] == "5")
                return false
            }
            #expect(status == 200)
            try await ServerBench.eventually {
                try await bench.client.stream("/v1/dozzi/changes", headers: headers) { _ in
                    false
                } == 200
            }
        }
    }

    @Test("While ledgers are opened the server says that it is not ready, and how far it is")
    func starting() async throws {
        let (gates, gate) = AsyncStream<Void>.makeStream()
        try await ServerBench.serving(openingAfter: gates) { bench in
            // It listens a moment after it was started.
            try await ServerBench.eventually {
                (try? await bench.client.send(.GET, "/health").status) == 200
            }
            let ready = try await bench.client.send(.GET, "/ready")
            #expect(ready.status == 503 && ready.json["status"] == "starting", "\(ready.text)")
            let asked = try await bench.get(Self.ada + "/status")
            #expect(asked.status == 503 && asked.code == "starting")
            #expect(asked.headers["retry-after"] == "1")
            #expect(try await bench.client.send(.GET, "/health").status == 200)
            gate.finish()
            try await ServerBench.eventually {
                try await bench.client.send(.GET, "/ready").status == 200
            }
            #expect(try await bench.get(Self.ada + "/status").status == 200)
        }
    }

    @Test("Seventeen long questions of one app at once are one too many, and another app's are not")
    func longWork() async throws {
        let work = LongWork()
        let gate = DispatchSemaphore(value: 0)
        let number = LongWork.waitingMax + 1
        try await withThrowingTaskGroup(of: Result<Int, any Error>.self) { tasks in
            for index in 0..<number {
                tasks.addTask {
                    do {
                        return .success(
                            try await work.run(of: "dozzi") {
                                gate.wait()
                                return index
                            })
                    } catch {
                        return .failure(error)
                    }
                }
            }
            // All others wait for the gate.
            let first = try await tasks.next()
            guard case .failure(let error) = first else {
                Issue.record("\(String(describing: first))")
                for _ in 0..<number { gate.signal() }
                return
            }
            // As the struct shows it: the code among the members.
            let code = "overloaded"
            #expect("\(error)".contains("\"\(code)\""))
            #expect(try await work.run(of: "ollie") { -1 } == -1)
            for _ in 0..<number { gate.signal() }
            var answered = 0
            for try await result in tasks { if case .success = result { answered += 1 } }
            #expect(answered == LongWork.waitingMax)
        }
    }

    @Test("Every code of the server's own stands in one of these tests")
    func all() throws {
        let sources = try ["Sources/DaybookServer", "Sources/DaybookDashboard"].map(Self.text)
            .joined()
        let tests = try Self.text(of: "Tests/DaybookServerTests")
        let pattern =
            /(?:Problem|tooMany|notFound|badRequest|unprocessable)\(\s*(?:\.\w+,\s*)?"(?<code>[a-z_]+)"/
        let codes = Set(sources.matches(of: pattern).map { String($0.output.code) })
        #expect(codes.count > 40)
        // What the code around it makes impossible cannot be asked for.
        let impossible: Set = ["failed", "no_catalog"]
        let missing = codes.subtracting(impossible).filter { !tests.contains("\"\($0)\"") }
        #expect(missing == [])
    }

    private static func text(of folder: String) throws -> String {
        let root = Fixtures.root.appending(path: folder)
        let files = try #require(
            FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil))
        var text = ""
        for case let file as URL in files where file.pathExtension == "swift" {
            text += try String(contentsOf: file, encoding: .utf8)
        }
        return text
    }
}
