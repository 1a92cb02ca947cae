import Daybook
import DaybookEvents
import DaybookFixtures
import DaybookServer
import Foundation
import NIOCore
import Synchronization
import Testing

/// Everything that a server does at once, for long: uses, retries, questions, streams, and beside it imports and
/// snapshots by other processes.
///
/// `make soak` runs it for ten minutes (`DAYBOOK_SOAK_SECONDS` says otherwise), `make test` for a few seconds, so that
/// it is known to work when it is needed.
@Suite("A server under mixed load", .serialized)
struct ServerSoakTests {
    private static let environment = ProcessInfo.processInfo.environment
    fileprivate static let isSoak = environment["DAYBOOK_TIER"] == "soak"
    private static let seconds: Double =
        environment["DAYBOOK_SOAK_SECONDS"].flatMap(Double.init) ?? (isSoak ? 600 : 5)

    @Test(
        "X-10 FR-29 Under mixed load no error, no growth of memory, p95 below 500 ms, and nothing lost or doubled"
    )
    func everythingAtOnce() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "daybook-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        // A test that already failed must not fail again for leaving something behind.
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "dozzi.sqlite").path
        let catalog = String(decoding: try Fixtures.catalogDocument("dozzi"), as: UTF8.self)
        let generous = catalog.replacing(/\n    limit: 2\n/, with: "\n    limit: 1000000\n")
        #expect(generous != catalog)
        let ledger = try await Ledger.create(at: path, catalog: Array(generous.utf8))
        if Self.isSoak { try await ledger.fillForSoak() }
        try ledger.close()
        let keys = try KeyStore(folder: folder.path)
        let (_, text) = try keys.create(
            [.store, .analyst], app: "dozzi", label: "soak", by: "test", now: 0)
        try keys.close()
        let server = try await ServerProcess(path, ["--rate", "0", "--memory", "32"])
        let crew = ServerSoakCrew(
            server: server, path: path, folder: folder.path,
            key: ("authorization", "Bearer \(text)"), seconds: Self.seconds)
        await withTaskExecutorPreference(OwnThreads()) { await crew.work() }
        #expect(server.stop() == 0)
        print(crew.summary)
        #expect(crew.surprises == [])
        // Of a few seconds on a busy machine times tell nothing.
        if Self.isSoak {
            #expect(crew.milliseconds(0.95) < 500)
            // Beside senders who mean no good.
            #expect(crew.milliseconds(0.99) < 1_000)
            #expect(crew.lag(0.99) < 1_000)
        }
        try Self.judge(crew, path)
    }

    /// Compares what is in the file with what clients were told.
    private static func judge(_ crew: ServerSoakCrew, _ path: String) throws {
        let ledger = try Ledger.open(path, readOnly: true)
        let told = crew.told
        #expect(told.count > 50)
        var lost: [String] = []
        for (key, position) in told {
            if try ledger.event(at: position)?.draft.source.key != key { lost.append(key) }
        }
        #expect(lost == [])
        #expect(Set(told.values).count == told.count)
        var uses: [String: Int64] = [:]
        for (key, _) in told { uses[ServerSoakCrew.customer(of: key), default: 0] += 1 }
        for customer in ServerSoakCrew.customers {
            let used = try ledger.check("stories", for: customer).usage?.used
            #expect(used == uses[customer] ?? 0, "\(customer)")
        }
        // The last positions may have been written after the reader was stopped.
        let streamed = crew.streamed
        #expect(streamed.gaps == 0 && streamed.last > 0)
        #expect(try ledger.verify().filter { !$0.isClean } == [])
        if isSoak, let (early, late) = crew.memory {
            let events = try ledger.head().position
            // The names of new customers and the newest keys are kept; what was asked is not.
            #expect(late < early + early / 10 + 16_000_000, "\(early) to \(late), \(events) events")
        }
        try ledger.close()
    }
}

/// The clients of one soak, and what they were told.
private final class ServerSoakCrew: Sendable {
    /// In a soak more than are held at hand: what is known of a customer grows with what the customer does, and what is
    /// held must not.
    static let customers = (0..<(ServerSoakTests.isSoak ? 20_000 : 64)).map { "c\($0)" }

    private struct Notes {
        var told: [String: Int64] = [:]
        var surprises: [String] = []
        var rounds: [String: Int] = [:]
        var streamed: (last: Int64, gaps: Int) = (0, 0)
        var memory: [(seconds: Double, bytes: Int)] = []
        var milliseconds: [Double] = []
        /// From when an event was recorded to when the follower of all changes had it.
        var lags: [Double] = []
    }

    private let server: ServerProcess
    private let path: String
    private let folder: String
    private let key: (String, String)
    private let seconds: Double
    private let start = ContinuousClock.now
    private let notes = Mutex(Notes())

    init(
        server: ServerProcess, path: String, folder: String, key: (String, String),
        seconds: Double
    ) {
        self.server = server
        self.path = path
        self.folder = folder
        self.key = key
        self.seconds = seconds
    }

    /// By the key of each use: the position that its receipt named.
    var told: [String: Int64] { notes.withLock { $0.told } }
    var surprises: [String] { notes.withLock { $0.surprises } }
    var streamed: (last: Int64, gaps: Int) { notes.withLock { $0.streamed } }

    /// The medians of the second minute and of the last one; `nil` for a run that was too short to tell.
    var memory: (early: Int, late: Int)? {
        let samples = notes.withLock { $0.memory }
        func median(_ range: ClosedRange<Double>) -> Int? {
            let found = samples.filter { range.contains($0.seconds) }.map(\.bytes).sorted()
            return found.isEmpty ? nil : found[found.count / 2]
        }
        guard seconds >= 180, let early = median(60...120),
            let late = median((seconds - 60)...seconds)
        else { return nil }
        return (early, late)
    }

    var summary: String {
        let times = [0.5, 0.95, 0.99, 0.999].map { milliseconds($0) }
        let (rounds, samples) = notes.withLock { ($0.rounds, $0.memory) }
        let counts = rounds.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        return
            "soak: \(counts.joined(separator: ", ")); use p50, p95, p99, p99.9: \(times) ms; lag p99: \(lag(0.99)) ms; own memory by minute: \(memoryMegabytes(samples)) MB"
    }

    /// How long uses took at most, of this part of them.
    func milliseconds(_ part: Double) -> Double {
        Self.quantile(part, of: notes.withLock { $0.milliseconds })
    }

    /// The same of how late changes were told, in milliseconds.
    func lag(_ part: Double) -> Double { Self.quantile(part, of: notes.withLock { $0.lags }) }

    private static func quantile(_ part: Double, of values: [Double]) -> Double {
        let sorted = values.sorted()
        return sorted.isEmpty ? .infinity : sorted[Int(Double(sorted.count - 1) * part)]
    }

    private func memoryMegabytes(_ samples: [(seconds: Double, bytes: Int)]) -> [Int] {
        var found: [Int] = []
        for sample in samples where sample.seconds >= 60 * Double(found.count) {
            found.append(sample.bytes >> 20)
        }
        return found
    }

    private var elapsed: Double { (ContinuousClock.now - start) / .seconds(1) }
    /// On a machine that is busy with other tests a few seconds may be over before anything was done.
    private var isTimeUp: Bool {
        elapsed >= seconds && (notes.withLock { $0.told.count > 100 } || elapsed > seconds + 300)
    }

    static func customer(of key: String) -> String { String(key.prefix { $0 != "/" }) }

    // MARK: Working

    func work() async {
        await withTaskGroup(of: Void.self) { readers in
            readers.addTask { await self.follow() }
            for customer in Self.customers.prefix(8) {
                readers.addTask { await self.follow(customer) }
            }
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<8 { group.addTask { await self.use(number) } }
                for number in 0..<4 { group.addTask { await self.ask(number) } }
                for number in 0..<4 { group.addTask { await self.attack(number) } }
                group.addTask { await self.analyse() }
                group.addTask { await self.keepHouse() }
                group.addTask { await self.weigh() }
            }
            // A stream does not end by itself.
            readers.cancelAll()
        }
    }

    private func surprise(_ text: String) {
        notes.withLock { if $0.surprises.count < 20 { $0.surprises.append(text) } }
    }

    /// One connection as long as it lasts.
    private func loop(
        _ name: String, pause: Duration,
        _ body: (inout HTTPConnection, Int) async throws -> Void
    ) async {
        var round = 0
        for _ in 0..<Self.connectionsMax {
            do {
                return try await server.client.connected { connection in
                    while !isTimeUp {
                        try await body(&connection, round)
                        round += 1
                        notes.withLock { $0.rounds[name, default: 0] += 1 }
                        try await Task.sleep(for: pause)
                    }
                }
            } catch ChannelError.ioOnClosedChannel {
                // As `HTTPClient.send` does: the server has stopped waiting, and has got no request.
                continue
            } catch {
                return surprise("\(name): \(error)")
            }
        }
        surprise("\(name): the server hung up \(Self.connectionsMax) times")
    }

    private static let connectionsMax = 10

    /// Uses; one in eight is sent twice, as by a client that heard no answer.
    private func use(_ number: Int) async {
        await loop("uses", pause: .milliseconds(4)) { connection, round in
            let customer = Self.customers[(7_919 * round + number) % Self.customers.count]
            let name = "\(customer)/\(number)-\(round)"
            let body: JSONObject = ["meter": "stories", "ref": .string(name)]
            func send() async throws -> HTTPReply {
                try await connection.send(
                    .POST, "/v1/dozzi/customers/\(customer)/consume",
                    headers: [key, ("idempotency-key", name)], body: body.canonicalBytes)
            }
            let begin = ContinuousClock.now
            let reply = try await send()
            let duration = (ContinuousClock.now - begin) / .milliseconds(1)
            guard reply.status == 200,
                let position = reply.json["positions"]?.array?.first?.integer
            else { return surprise("use: \(reply.status) \(reply.text.prefix(200))") }
            notes.withLock {
                $0.told[name] = position
                $0.milliseconds.append(duration)
            }
            if round % 8 == 0 {
                let again = try await send()
                if again.body != reply.body { surprise("retry: \(again.text.prefix(200))") }
            }
        }
    }

    private func ask(_ number: Int) async {
        await loop("questions", pause: .milliseconds(5)) { connection, round in
            let customer = Self.customers[(104_729 * round + number) % Self.customers.count]
            let path = "/v1/dozzi/customers/\(customer)"
            let rest = ["/checks/stories", "/status", "/usage", "/checks/premiumVoices"][round % 4]
            let reply = try await connection.send(.GET, path + rest, headers: [key])
            if reply.status != 200 { surprise("\(rest): \(reply.status) \(reply.text)") }
        }
    }

    /// What no well-meaning client sends; none of it may be done, nor hold up the others.
    private func attack(_ number: Int) async {
        let texts = HostileTexts.all(key)
        var round = number
        while !isTimeUp {
            do {
                let text = texts[round % texts.count]
                let reply = try await server.client.raw([Array(text.utf8)], closing: true)
                if reply.hasPrefix("HTTP/1.1 2") || reply.hasPrefix("HTTP/1.1 5") {
                    surprise("attack \(round % texts.count): \(reply.prefix(200))")
                }
                round += 1
                notes.withLock { $0.rounds["attacks", default: 0] += 1 }
                try await Task.sleep(for: .milliseconds(50))
            } catch {
                return surprise("attack: \(error)")
            }
        }
    }

    private func analyse() async {
        await loop("lists", pause: .milliseconds(500)) { connection, round in
            let path = [
                "/customers?limit=50", "/grants?limit=20", "/expiring", "/prometheus",
                "/products", "/metrics/net_revenue,active_customers?by=day",
                "/changes?limit=50",
            ][round % 7]
            let reply = try await connection.send(.GET, "/v1/dozzi" + path, headers: [key])
            if reply.status != 200 { surprise("\(path): \(reply.status) \(reply.text)") }
        }
    }

    /// Every change, each once.
    private func follow() async {
        do {
            let start = try await server.client.send(.GET, "/v1/dozzi/place", headers: [key]).json
            notes.withLock { $0.streamed.last = start["position"]?.integer ?? -1 }
            _ = try await server.client.stream(
                "/v1/dozzi/changes?after=\(start["place"]?.text ?? "")",
                headers: [key, ("accept", "text/event-stream")]
            ) { line in
                if line.hasPrefix("data: "),
                    let event = try JSONReader.read(Array(line.utf8.dropFirst(6))).object,
                    event["type"] != nil, let position = event["position"]?.integer
                {
                    let lag = Double(SystemClock.now() - (event["recorded_at"]?.integer ?? 0))
                    notes.withLock {
                        $0.lags.append(lag)
                        if position != $0.streamed.last + 1 { $0.streamed.gaps += 1 }
                        $0.streamed.last = position
                    }
                }
                return true
            }
        } catch {
            if !isTimeUp { surprise("stream: \(error)") }
        }
    }

    private func follow(_ customer: String) async {
        do {
            _ = try await server.client.stream(
                "/v1/dozzi/customers/\(customer)/changes",
                headers: [key, ("accept", "text/event-stream")]
            ) { _ in true }
        } catch {
            if !isTimeUp { surprise("stream of \(customer): \(error)") }
        }
    }

    // MARK: Other processes

    private func keepHouse() async {
        var round = 0
        while !isTimeUp {
            do {
                try await importFile(round)
                let snapshot = try await ServerProcess.run(
                    ["snapshot", "--ledger", path], log: folder + "/snapshot.log")
                if snapshot != 0 { surprise("snapshot: \(snapshot)") }
                round += 1
                notes.withLock { $0.rounds["imports"] = round }
                try await Task.sleep(for: .seconds(2))
            } catch {
                return surprise("house: \(error)")
            }
        }
    }

    private func importFile(_ round: Int) async throws {
        let lines = (0..<1_000).map { index in
            """
            {"type":"usage.recorded","v":1,"subject":"import-\((1_000 * round + index) % 20_000)",\
            "occurred_at":1767225600000,"source":{"kind":"native","key":"i\(round)-\(index)"},\
            "trust":"imported","data":{"meter":"stories","amount":1,"ref":"i\(round)-\(index)"}}

            """
        }
        let file = folder + "/in.ndjson"
        try lines.joined().write(toFile: file, atomically: true, encoding: .utf8)
        let status = try await ServerProcess.run(
            ["import", file, "--ledger", path], log: folder + "/import.log")
        if status != 0 {
            let log = try String(contentsOfFile: folder + "/import.log", encoding: .utf8)
            surprise("import: \(status) \(log.suffix(300))")
        }
    }

    private func weigh() async {
        while !isTimeUp {
            if let bytes = server.ownMemory {
                let now = elapsed
                notes.withLock { $0.memory.append((now, bytes)) }
            }
            // Ends with the test at the latest.
            try? await Task.sleep(for: .seconds(1))
        }
    }
}
