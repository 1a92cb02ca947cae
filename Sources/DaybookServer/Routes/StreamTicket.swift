import DaybookEvents
import Synchronization

/// The streams that are open, so that there are never too many, and how far each has come.
final class StreamCount: Sendable {
    private struct Open {
        var last: Int64 = 0
        /// By ticket.
        var streams: [Int64: Stream] = [:]
    }

    private struct Stream {
        let app: String
        /// The customer of a client's token; `nil`: of no client.
        let customer: String?
        /// The last that was handed out; `nil`: it follows one customer, and looks only where that one's events are.
        var position: Int64?
    }

    /// The most streams of one customer's clients: one device needs one.
    static let customerStreamsMax = 8

    private let streams = Mutex(Open())
    private let countMax: Int

    init(max: Int) { countMax = max }

    var open: Int { streams.withLock { $0.streams.count } }

    /// How many events the slowest stream of all of an app's changes is behind an end.
    func lag(of app: String, behind end: Int64) -> Int64 {
        streams.withLock { open in
            open.streams.values.filter { haveSameBytes($0.app, app) }
                .compactMap { $0.position }.map { max(0, end - $0) }.max() ?? 0
        }
    }

    /// - Parameters:
    ///   - caller: Who asks for it.
    ///   - position: Where the stream begins; `nil`: it follows one customer.
    /// - Throws: `Problem` with 503 where too many are open, of all or of one customer's clients.
    func begin(app: String, for caller: Caller, at position: Int64?) throws -> StreamTicket {
        let stream = Stream(app: app, customer: caller.customer, position: position)
        let number: Int64? = streams.withLock { open in
            guard open.streams.count < countMax, Self.hasRoom(for: stream, among: open.streams)
            else { return nil }
            open.last += 1
            open.streams[open.last] = stream
            return open.last
        }
        guard let number else {
            throw Problem.tooMany(
                .serviceUnavailable, "too_many_streams",
                "as many streams are open as there may be (\(countMax), and \(Self.customerStreamsMax) of one customer); try again later",
                after: 5)
        }
        return StreamTicket(number: number, count: self)
    }

    private static func hasRoom(for stream: Stream, among all: [Int64: Stream]) -> Bool {
        guard let customer = stream.customer else { return true }
        let own = all.values.count {
            haveSameBytes($0.app, stream.app) && haveSameBytes($0.customer, customer)
        }
        return own < customerStreamsMax
    }

    fileprivate func note(_ number: Int64, _ position: Int64) {
        streams.withLock { open in
            if open.streams[number]?.position != nil { open.streams[number]?.position = position }
        }
    }

    fileprivate func end(_ number: Int64) { streams.withLock { $0.streams[number] = nil } }
}

/// One open stream; it ends where its last user lets it go, also where nothing of it was ever written.
final class StreamTicket: Sendable {
    private let number: Int64
    private let count: StreamCount

    fileprivate init(number: Int64, count: StreamCount) {
        self.number = number
        self.count = count
    }

    /// The client has taken everything up to a position.
    func note(_ position: Int64) { count.note(number, position) }

    deinit { count.end(number) }
}
