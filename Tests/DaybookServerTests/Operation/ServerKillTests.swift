import Daybook
import DaybookEvents
import DaybookFixtures
import DaybookServer
import Foundation
import Synchronization
import Testing

/// What a server told its clients before it was killed holds after it.
@Suite("A killed server", .serialized)
struct ServerKillTests {
    /// 50 in the soak.
    private static let rounds =
        ProcessInfo.processInfo.environment["DAYBOOK_TIER"] == "soak" ? 50 : 5
    private static let clientCount = 8

    /// What clients were told, and what they have to try again.
    private final class Told: Sendable {
        private struct State {
            var next = 0
            var acknowledged: [String: Int64] = [:]
            var waiting: [String] = []
            var doubled: [String] = []
        }

        private let state = Mutex(State())

        /// A key that was not acknowledged, or a new one.
        func key() -> String {
            state.withLock { state in
                if let key = state.waiting.popLast() { return key }
                state.next += 1
                return "key-\(state.next)"
            }
        }

        func acknowledge(_ key: String, at position: Int64) {
            state.withLock { state in
                if let other = state.acknowledged.updateValue(position, forKey: key),
                    other != position
                {
                    state.doubled.append(key)
                }
            }
        }

        func keep(_ key: String) { state.withLock { $0.waiting.append(key) } }

        var hasWaiting: Bool { state.withLock { !$0.waiting.isEmpty } }
        var acknowledged: [String: Int64] { state.withLock { $0.acknowledged } }
        var doubled: [String] { state.withLock { $0.doubled } }
    }

    /// Where a reader of the stream stands.
    private final class Reader: Sendable {
        private let state = Mutex((positions: [Int64](), last: String?.none))

        func take(_ line: String) throws {
            if line.hasPrefix("id: ") {
                state.withLock { $0.last = String(line.dropFirst(4)) }
            } else if line.hasPrefix("data: "),
                let object = try JSONReader.read(Array(line.utf8.dropFirst(6))).object,
                object["type"] != nil, let position = object["position"]?.integer
            {
                state.withLock { $0.positions.append(position) }
            }
        }

        var last: String? { state.withLock { $0.last } }
        var positions: [Int64] { state.withLock { $0.positions } }
    }

    @Test("Every acknowledged write is there once, and every stream goes on without a gap")
    func killed() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "daybook-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        // A test that already failed must not fail again for leaving something behind.
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "dozzi.sqlite").path
        let made = try await Ledger.create(at: path, catalog: Fixtures.catalogDocument("dozzi"))
        try await made.perform(
            CommandRequest(
                .issueGrant(.init(id: "many", target: .meter("stories"), amount: 1_000_000)),
                subject: "ada"))
        try made.close()
        let keys = try KeyStore(folder: folder.path)
        let (_, text) = try keys.create(
            [.store, .analyst], app: "dozzi", label: "test", by: "test", now: 0)
        let (told, reader) = (Told(), Reader())
        for round in 0..<Self.rounds {
            let server = try await ServerProcess(path)
            let key = ("authorization", "Bearer \(text)")
            await withTaskGroup(of: Void.self) { tasks in
                for _ in 0..<Self.clientCount {
                    tasks.addTask { await Self.consume(server.client, key, told) }
                }
                tasks.addTask { await Self.follow(server.client, key, reader) }
                tasks.addTask {
                    // Not at the same moment of every round.
                    try? await Task.sleep(for: .milliseconds(200 + 37 * (round % 11)))
                    server.kill()
                }
            }
        }
        let server = try await ServerProcess(path)
        let key = ("authorization", "Bearer \(text)")
        while told.hasWaiting { await Self.consumeOnce(server.client, key, told) }
        let end = try await server.client.send(.GET, "/v1/dozzi/place", headers: [key])
        let last = try #require(end.json["position"]?.integer)
        _ = try await server.client.stream(
            "/v1/dozzi/changes", headers: Self.resuming(key, reader)
        ) { line in
            try reader.take(line)
            return reader.positions.last ?? 0 < last
        }
        server.kill()
        #expect(reader.positions == Array(1...last))
        let ledger = try Ledger.open(path, readOnly: true)
        let acknowledged = told.acknowledged
        #expect(acknowledged.count > Self.rounds)
        #expect(told.doubled == [])
        #expect(try ledger.check("stories", for: "ada").usage?.used == Int64(acknowledged.count))
        for (name, position) in acknowledged {
            #expect(try ledger.event(at: position)?.draft.source.key == name)
        }
        #expect(try ledger.verify().filter { !$0.isClean } == [])
        try ledger.close()
    }

    private static func resuming(
        _ key: (String, String), _ reader: Reader
    ) -> [(String, String)] {
        [key, ("accept", "text/event-stream")] + (reader.last.map { [("last-event-id", $0)] } ?? [])
    }

    /// Goes on until the server is gone.
    private static func consume(
        _ client: HTTPClient, _ key: (String, String), _ told: Told
    ) async {
        while await consumeOnce(client, key, told) {}
    }

    /// - Returns: Whether the server answered.
    @discardableResult
    private static func consumeOnce(
        _ client: HTTPClient, _ key: (String, String), _ told: Told
    ) async -> Bool {
        let name = told.key()
        let body: JSONObject = ["meter": "stories"]
        let reply = try? await client.send(
            .POST, "/v1/dozzi/customers/ada/consume",
            headers: [key, ("idempotency-key", name)], body: body.canonicalBytes)
        guard let reply, reply.status == 200,
            let position = reply.json["positions"]?.array?.first?.integer
        else {
            told.keep(name)
            return reply?.status == 503
        }
        told.acknowledge(name, at: position)
        return true
    }

    private static func follow(
        _ client: HTTPClient, _ key: (String, String), _ reader: Reader
    ) async {
        // It ends where the server does.
        _ = try? await client.stream("/v1/dozzi/changes", headers: resuming(key, reader)) { line in
            try reader.take(line)
            return true
        }
    }
}
