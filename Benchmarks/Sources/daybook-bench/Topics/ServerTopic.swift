import DaybookFixtures
import Foundation

/// What HTTP adds: requests a second of `daybook serve`, beside routes of the same server library that only answer.
extension Benchmark {
    private static let bareCheck = "bare route, GET, 64 connections"
    private static let bareUse = "bare route, POST, 64 connections"
    private static let leastCheck = "least check, 64 connections"
    private static let leastUse = "least use, 64 connections"
    private static let check = "check, 64 connections"
    private static let one = "consume, 1 connection"
    private static let many = "consume, 64 connections"
    private static let streamed = "consume, 64 connections, 200 event streams open"
    private static let streamCount = 200

    private enum Route: String {
        case check, consume
    }

    private enum Kind {
        case bare, least, daybook
    }

    var server: Topic {
        let seconds = scale.rounds == Scale.quick.rounds ? 2 : 5
        return Topic(
            "Server",
            note: """
                `daybook serve` with its log in a file, on a ledger of \
                \(Self.count(scale.events)) events over \(Self.count(scale.subjects)) customers \
                with a snapshot; wrk asks over loopback for \(seconds) s, each request about \
                another customer; both share this machine's processors. Every use is on disk when \
                it is answered. The bare routes are Hummingbird's, and answer the same bytes. The \
                least ones do besides what cannot be left out: the digest of the caller's key, \
                the customer in a table in memory, a line of the log; and for a use a row by \
                SQLiteEventStore.append, those that wait in one commit. They decide nothing. Each \
                of the event streams follows a customer.
                """,
            share: 0.1,
            ways: [
                .init(Self.bareCheck) { try load(.check, 64, of: .bare, seconds: seconds) },
                .init(Self.leastCheck) { try load(.check, 64, of: .least, seconds: seconds) },
                .init(Self.check) { try load(.check, 64, seconds: seconds) },
                .init(Self.bareUse) { try load(.consume, 64, of: .bare, seconds: seconds) },
                .init(Self.leastUse) { try load(.consume, 64, of: .least, seconds: seconds) },
                .init(Self.one) { try load(.consume, 1, seconds: seconds) },
                .init(Self.many) { try load(.consume, 64, seconds: seconds) },
                .init(Self.streamed) {
                    try load(.consume, 64, streams: Self.streamCount, seconds: seconds)
                },
            ],
            tables: [
                [
                    .rate("requests"), .range, .ratio(to: Self.bareCheck, "of the bare GET"),
                    .ratio(to: Self.bareUse, "of the bare POST"),
                    .ratio(to: Self.leastCheck, "of the least check"),
                    .ratio(to: Self.leastUse, "of the least use"),
                ]
                    + ["50", "95", "99", "99.9"].map { percent in
                        .value("p\(percent) ms", 2) { $0["p\(percent)_ms"] }
                    }
            ],
            goals: [
                .ratio(Self.check, to: Self.bareCheck, atLeast: 0.7),
                .ratio(Self.many, to: Self.bareUse, atLeast: 0.45),
                .ratio(Self.many, to: Self.one, atLeast: 3),
                .ratio(Self.streamed, to: Self.many, atLeast: 0.9),
                Goal("p95 of check, ms (X-10)", .atMost, 500) {
                    Statistics.median($0[Self.check].map { $0["p95_ms"] })
                },
                Goal("p95 of consume of 64 connections, ms (X-10)", .atMost, 500) {
                    Statistics.median($0[Self.many].map { $0["p95_ms"] })
                },
            ],
            prepare: prepareServer)
    }

    private var file: String { programs.path("served") }
    private var keyFile: String { programs.folder + "/served.key" }

    private func answerFile(_ route: Route) -> String {
        programs.folder + "/served-\(route.rawValue).json"
    }

    private func prepareServer() throws {
        try programs.copy("ledger", to: "served")
        try snapshot("served")
        try FileManager.default.removeItem(
            atPath: programs.folder + "/server.sqlite", ifThere: true)
        let made = try programs.version(
            programs.server, "key", "create", "--scope", "store", "--label", "bench", "--actor",
            "bench", "--ledger", file)
        let key = made.split(separator: "\n").first.map(String.init) ?? ""
        try key.write(toFile: keyFile, atomically: true, encoding: .utf8)
        let server = try served(.daybook)
        defer { server.stop() }
        for route in [Route.check, .consume] {
            let (method, path, body) = request(route, customer: 0)
            let bytes = try server.answer(method, path, key: key, body: body)
            try Data(bytes).write(to: URL(fileURLWithPath: answerFile(route)))
        }
    }

    private func request(
        _ route: Route, customer: Int
    ) -> (method: String, path: String, body: String?) {
        let prefix = "/v1/\(Workload.app)/customers/customer-\(customer)"
        return switch route {
        case .check: ("GET", prefix + "/checks/\(Workload.meter)", nil)
        case .consume: ("POST", prefix + "/consume", #"{"meter":"\#(Workload.meter)"}"#)
        }
    }

    private func served(_ kind: Kind) throws -> ServedProgram {
        let answers = [answerFile(.check), answerFile(.consume)]
        switch kind {
        case .bare:
            return try ServedProgram(
                programs.ours, ["serve-bare"] + answers, log: file + ".bare.log")
        case .least:
            try programs.remove("least")
            return try ServedProgram(
                programs.ours,
                ["serve-least"] + answers
                    + [keyFile, programs.path("least"), String(scale.subjects)],
                log: file + ".least.log")
        case .daybook:
            return try ServedProgram(
                programs.server, ["serve", file, "--port", "0", "--rate", "0"], log: file + ".log")
        }
    }

    private func load(
        _ route: Route, _ connections: Int, streams: Int = 0, of kind: Kind = .daybook,
        seconds: Int
    ) throws -> Measurement {
        guard let wrk = programs.wrk else { throw Skipped(reason: "wrk is not there") }
        let key = try String(contentsOfFile: keyFile, encoding: .utf8)
        let server = try served(kind)
        defer { server.stop() }
        let followed = (0..<streams).map {
            "/v1/\(Workload.app)/customers/customer-\($0 * 7 % scale.subjects)/changes"
        }
        let readers =
            streams == 0 ? nil : try StreamReaders(port: server.port, paths: followed, key: key)
        defer { readers?.close() }
        // What they cost while they are open is asked, not what it costs to open them.
        if readers != nil { usleep(1_500_000) }
        let (method, path, body) = request(route, customer: 0)
        let parts = path.components(separatedBy: "customer-0")
        let measured = try programs.run(
            wrk,
            [
                "-t1", "-c\(connections)", "-d\(seconds)s", "-s", programs.script,
                "http://127.0.0.1:\(server.port)", "--", method, parts[0] + "customer-", parts[1],
                String(scale.subjects), "Bearer \(key)",
            ] + (body.map { [$0] } ?? []))
        guard measured["errors"] == 0 else {
            throw BenchmarkError("\(measured["errors"]) requests of \(route.rawValue) failed")
        }
        return measured
    }
}
