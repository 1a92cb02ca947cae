import DaybookFixtures
import Foundation

/// How long a server takes for the dashboard's pages, beside a page that only shows a form.
extension Benchmark {
    private static let largest = 10_000_000
    private static let oneCustomer = 10_000
    private static let form = "a form, nothing asked"
    private static let customer = "a customer, another one each time"
    private static let past = "a customer at another moment"
    private static let search = "a search by an id or a key"
    private static let board = "a metric that was computed before"
    private static let full = "a customer with 10,000 events"
    private static let timeline = "the timeline of that one"

    var pages: Topic {
        let events = scale.sizes.filter { $0 >= Self.largest }.last ?? scale.events
        let many = "pages-\(events)"
        let one = "pages-one"
        let subjects = events / 10
        func page(_ title: String, _ file: String, _ count: Int, _ path: @escaping (Int) -> String)
            -> Comparison.Way
        {
            .init(title) {
                try loaded(file, count: count) { "/apps/\(Workload.app)" + path($0) }
            }
        }
        func subject(_ number: Int) -> Int { number * 7_919 % subjects }
        return Topic(
            "Pages",
            note: """
                `daybook dashboard` over \(Self.count(events)) events of \(Self.count(subjects)) \
                customers with a snapshot and segments, and over one customer with \
                \(Self.count(Self.oneCustomer)); a connection for each request over loopback, \
                nothing else asked meanwhile. Times are of whole pages at the server, without \
                what a browser does with them.
                """,
            share: 0.04,
            ways: [
                .init(Self.form) { try loaded(many, count: 200) { _ in "/sign-in" } },
                page(Self.customer, many, 200) { "/customers/customer-\(subject($0))" },
                page(Self.past, many, 50) {
                    "/customers/customer-\(subject($0))?at=2026-01-03&known_at=@\(events / 2)"
                },
                page(Self.search, many, 100) { "/customers?q=customer-\(subject($0))" },
                page(Self.board, many, 20) { _ in "/metrics/uses" },
                page(Self.full, one, 5) { _ in "/customers/customer-0" },
                page(Self.timeline, one, 5) { _ in "/customers/customer-0/timeline" },
            ],
            tables: [
                [
                    .value("median, ms", 1) { $0["median_ms"] },
                    .value("slowest, ms", 1) { $0["slowest_ms"] },
                    Column("times the form") { comparison, way in
                        Figure.decimal(
                            way.median { $0["median_ms"] }
                                / Statistics.median(comparison[Self.form].map { $0["median_ms"] }),
                            1)
                    },
                ]
            ],
            goals: [
                (Self.customer, 200.0), (Self.past, 200), (Self.search, 50), (Self.board, 200),
                (Self.full, 300), (Self.timeline, 200),
            ].map { title, limit in
                Goal("\(title), ms", .atMost, limit, places: 0) {
                    Statistics.median($0[title].map { $0["median_ms"] })
                }
            },
            prepare: {
                for (file, events, subjects) in [
                    (many, events, subjects), (one, Self.oneCustomer, 1),
                ] {
                    _ = try ours("append-ledger", file, events, subjects, Self.batchCount)
                    try snapshot(file)
                }
            })
    }

    /// Asks for pages one after the other.
    private func loaded(
        _ file: String, count: Int, _ path: (Int) -> String
    ) throws -> Measurement {
        let log = programs.path(file) + ".pages.log"
        let server = try ServedProgram(
            programs.server, ["dashboard", programs.path(file), "--port", "0", "--json"], log: log,
            saysOnOutput: true)
        defer { server.stop() }
        let cookie = try server.session(log)
        // The first answer opens what the others find open, and a board is computed once.
        try wait(for: path(0), of: server, cookie)
        var milliseconds: [Double] = []
        for number in 1...count {
            let start = ContinuousClock.now
            let page = try server.page(path(number), cookie: cookie)
            // Of a million customers who are drawn ten million times, some never come.
            guard !page.hasPrefix("HTTP/1.1 404") else { continue }
            milliseconds.append(start.secondsSince * 1_000)
        }
        var measurement = Measurement()
        measurement["median_ms"] = Statistics.median(milliseconds)
        measurement["slowest_ms"] = milliseconds.max() ?? .nan
        return measurement
    }

    /// A page about all customers says that it is being computed until it is.
    private func wait(for path: String, of server: ServedProgram, _ cookie: String) throws {
        let end = ContinuousClock.now + .seconds(300)
        while try server.page(path, cookie: cookie).contains("data-running") {
            guard ContinuousClock.now < end else { throw BenchmarkError("\(path) takes too long") }
            usleep(100_000)
        }
    }
}

extension ServedProgram {
    /// Opens the pages by the address that was printed once.
    /// - Returns: The session's cookie.
    fileprivate func session(_ log: String) throws -> String {
        let text = try String(contentsOfFile: log, encoding: .utf8)
        guard let start = text.range(of: "/open?ticket="),
            let end = text[start.lowerBound...].firstIndex(of: "\"")
        else { throw BenchmarkError("\(log) has no address") }
        let reply = try reply(String(text[start.lowerBound..<end]), cookie: "")
        guard
            let line = reply.components(separatedBy: "\r\n").first(where: {
                $0.lowercased().hasPrefix("set-cookie: ")
            })
        else { throw BenchmarkError("the pages did not open: \(reply.prefix(200))") }
        return String(line.dropFirst("set-cookie: ".count).prefix { $0 != ";" })
    }

    /// A page, or the way that a search leads.
    fileprivate func page(_ path: String, cookie: String) throws -> String {
        let text = try reply(path, cookie: cookie)
        guard ["200", "303", "404"].contains(where: { text.hasPrefix("HTTP/1.1 \($0)") }) else {
            throw BenchmarkError("\(path) was answered with \(text.prefix(200))")
        }
        return text
    }

    private func reply(_ path: String, cookie: String) throws -> String {
        let socket = try LoopbackSocket(port: port)
        defer { socket.close() }
        try socket.send(
            "GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nCookie: \(cookie)\r\nConnection: close\r\n\r\n"
        )
        return String(decoding: socket.readAll(), as: UTF8.self)
    }
}
