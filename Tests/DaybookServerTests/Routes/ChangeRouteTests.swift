import Daybook
import DaybookEvents
import DaybookFixtures
import DaybookServer
import Foundation
import Synchronization
import Testing

@Suite("Changes over HTTP")
struct ChangeRouteTests {
    private static func consume(
        _ bench: ServerBench, by subject: String = "ada"
    ) async throws {
        let given = try await bench.post(
            "/v1/dozzi/customers/\(subject)/consume", ["meter": "stories"])
        #expect(given.status == 200, "\(given.text)")
    }

    @Test("Pages go on from their places without a gap or a duplicate")
    func pages() async throws {
        try await ServerBench.serving { bench in
            let key = try bench.key(.analyst)
            for index in 0..<7 { try await Self.consume(bench, by: "c\(index)") }
            var positions: [Int64] = []
            var after = ""
            while true {
                let reply = try await bench.get("/v1/dozzi/changes?limit=3\(after)", [key])
                #expect(reply.status == 200, "\(reply.text)")
                #expect(reply.headers["content-type"] == "application/x-ndjson")
                let end = try #require(reply.lines.last)
                positions += reply.lines.dropLast().compactMap { $0["position"]?.integer }
                after = "&after=\(try #require(end["place"]?.text))"
                if end["more"]?.bool == false { break }
            }
            #expect(positions.count > 7)
            #expect(positions == Array(1...Int64(positions.count)))
            let uses = try await bench.get(
                "/v1/dozzi/changes?type=usage.recorded&subject=c3", [key])
            #expect(uses.lines.dropLast().map { $0["subject"]?.text } == ["c3"])
        }
    }

    @Test("An empty page waits for what comes next")
    func longPoll() async throws {
        try await ServerBench.serving { bench in
            let key = try bench.key(.analyst)
            let place = try await bench.get("/v1/dozzi/place", [key]).json["place"]?.text ?? ""
            async let waiting = bench.get("/v1/dozzi/changes?wait=PT30S&after=\(place)", [key])
            try await Self.consume(bench)
            let reply = try await waiting
            #expect(reply.lines.count >= 2)
            let none = try await bench.get("/v1/dozzi/changes?wait=PT60S&after=\(place)", [key])
            #expect(none.status == 422 && none.code == "wait_out_of_bounds")
            let foreign = try await bench.get("/v1/dozzi/changes?after=x", [key])
            #expect(foreign.status == 422 && foreign.code == "bad_place")
        }
    }

    @Test("A stream that is cut goes on where its client stopped")
    func stream() async throws {
        try await ServerBench.serving { bench in
            let key = try bench.key(.analyst)
            let accept = ("accept", "text/event-stream")
            let ids = Mutex<[String]>([])
            let positions = Mutex<[Int64]>([])
            func read(_ count: Int, _ headers: [(String, String)]) async throws -> Int {
                try await bench.client.stream("/v1/dozzi/changes", headers: headers) { line in
                    if line.hasPrefix("id: ") {
                        ids.withLock { $0.append(String(line.dropFirst(4))) }
                    }
                    if line.hasPrefix("data: "),
                        let object = try JSONReader.read(Array(line.utf8.dropFirst(6))).object,
                        object["type"] != nil, let position = object["position"]?.integer
                    {
                        positions.withLock { $0.append(position) }
                    }
                    return positions.withLock { $0.count } < count
                }
            }
            try await Self.consume(bench)
            let start = try await bench.get("/v1/dozzi/changes", [key]).lines.count - 1
            #expect(try await read(start, [key, accept]) == 200)
            for _ in 0..<3 {
                try await Self.consume(bench, by: UUID().uuidString)
                let last = try #require(ids.withLock { $0.last })
                let count = positions.withLock { $0.count } + 1
                #expect(try await read(count, [key, accept, ("last-event-id", last)]) == 200)
            }
            let found = positions.withLock { $0 }
            #expect(found == Array(1...Int64(found.count)))
            let bad = try await bench.get(
                "/v1/dozzi/changes", [key, accept, ("last-event-id", "x")])
            #expect(bad.status == 422 && bad.code == "bad_place")
        }
    }

    @Test("A place of a history that was given up answers 410 with the fork")
    func replaced() async throws {
        try await ServerBench.serving { bench in
            let key = try bench.key(.analyst)
            try await Self.consume(bench)
            let saved = bench.folder + "/saved.db"
            let ledger = try Ledger.open(bench.path(), clock: { Fixtures.now })
            _ = try ledger.backUp(to: saved)
            let fork = try ledger.place()
            try ledger.close()
            try await Self.consume(bench)
            let place = try await bench.get("/v1/dozzi/place", [key]).json["place"]?.text ?? ""
            _ = try Ledger.restore(
                backup: saved, to: bench.path(), isReplacing: true, actor: "sam", reason: "test",
                clock: { Fixtures.now })
            let gone = try await bench.get("/v1/dozzi/changes?after=\(place)", [key])
            #expect(gone.status == 410 && gone.code == "history_replaced", "\(gone.text)")
            #expect(gone.json["fork"]?.object?["place"]?.text == fork.description)
            let read = try await bench.get(
                "/v1/dozzi/customers/ada/checks/stories?min_position=\(place)")
            #expect(read.status == 410)
            // Nothing of the other past is served, and what is there now can be written to.
            #expect(
                try await bench.get("/v1/dozzi/customers/ada/checks/stories").json["used"]?.integer
                    == 1)
            try await Self.consume(bench)
        }
    }
}
