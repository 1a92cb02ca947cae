import Crypto
import DaybookFixtures
import DaybookStore
import Dispatch
import Foundation
import Hummingbird
import Synchronization

/// A server that does of a check and of a use what none can leave out: it compares the digest of the caller's key,
/// finds the customer in a table in memory, and writes a line of the log; a row of each use is on disk before it is
/// answered, those that wait together in one commit.
///
/// Nothing is decided, and no request's own key is looked for.
struct LeastServer: Sendable {
    private let keyDigest: [UInt8]
    private let customers: Set<String>
    private let checked: AnswerText
    private let consumed: AnswerText
    private let commits: GroupedCommits

    /// An answer about any customer, made from one about the first.
    private struct AnswerText: Sendable {
        /// The text between the places where it names the customer.
        let parts: [String]

        init(_ path: String) throws {
            let text = try String(contentsOfFile: path, encoding: .utf8)
            parts = text.components(separatedBy: "customer-0")
        }

        func response(_ customer: String) -> Response {
            Response(
                status: .ok, headers: [.contentType: "application/json"],
                body: ResponseBody(
                    byteBuffer: ByteBuffer(string: parts.joined(separator: customer))))
        }
    }

    /// - Parameters:
    ///   - check: The path of an answer, as the next one.
    ///   - key: The path of the caller's key.
    ///   - file: Where the rows of uses go.
    ///   - customers: How many there are.
    static func run(
        check: String, consume: String, key: String, file: String, customers: Int
    ) async throws {
        let workload = Workload(eventCount: 1, subjectCount: customers)
        let text = try String(contentsOfFile: key, encoding: .utf8)
        let server = LeastServer(
            keyDigest: Array(SHA256.hash(data: Data(text.utf8))),
            customers: Set((0..<customers).map(workload.subjectName)),
            checked: try AnswerText(check), consumed: try AnswerText(consume),
            commits: try GroupedCommits(file, workload))
        try await BareServer.run { router in
            router.get(BareServer.checkPath) { request, context in
                let start = ContinuousClock.now
                let customer = try server.admitted(request, context)
                server.log("check", customer, since: start)
                return server.checked.response(customer)
            }
            router.post(BareServer.usePath) { request, context in
                let start = ContinuousClock.now
                let customer = try server.admitted(request, context)
                _ = try await request.body.collect(upTo: 1 << 20)
                try await server.commits.append()
                server.log("consume", customer, since: start)
                return server.consumed.response(customer)
            }
        }
    }

    private func admitted(_ request: Request, _ context: some RequestContext) throws -> String {
        let shown = request.headers[.authorization]?.dropFirst("Bearer ".count) ?? ""
        let customer = try context.parameters.require("customer")
        guard SHA256.hash(data: Data(shown.utf8)).elementsEqual(keyDigest) else {
            throw HTTPError(.unauthorized)
        }
        guard customers.contains(customer) else { throw HTTPError(.notFound) }
        return customer
    }

    private func log(_ route: String, _ customer: String, since start: ContinuousClock.Instant) {
        let seconds = Date().timeIntervalSince1970
        let spent = start.duration(to: .now) / .milliseconds(1)
        var line = "\(seconds) info request route=\(route) customer=\(customer) ms=\(spent)\n"
        line.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}

/// Appends rows for tasks that wait: one thread writes those that came while it wrote the ones before.
private final class GroupedCommits: Sendable {
    private typealias Waiting = UnsafeContinuation<Void, any Error>

    private let waiting = Mutex<[Waiting]>([])
    private let isThere = DispatchSemaphore(value: 0)

    init(_ file: String, _ workload: Workload) throws {
        let store = try SQLiteEventStore.create(at: file, app: Workload.app)
        Thread.detachNewThread { [self] in
            var rows = RowWorkload(workload)
            var index = 0
            while true {
                isThere.wait()
                let group = waiting.withLock { waiting in
                    defer { waiting = [] }
                    return waiting
                }
                let result = Result {
                    let batch = rows.batch(index..<index + group.count, store.header.secret)
                    _ = try store.exclusively { try $0.append(batch) }
                }
                index += group.count
                for one in group { one.resume(with: result) }
            }
        }
    }

    func append() async throws {
        try await withUnsafeThrowingContinuation { (one: Waiting) in
            let isFirst = waiting.withLock { waiting in
                waiting.append(one)
                return waiting.count == 1
            }
            if isFirst { isThere.signal() }
        }
    }
}
