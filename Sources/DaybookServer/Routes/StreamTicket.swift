import DaybookEvents
import Synchronization

/// The streams that are open, so that there are never too many, and how far each has come.
final class StreamCount: Sendable {
    private struct Open {
        var last: Int64 = 0
        /// By ticket: the app, and the last position that was handed out.
        var streams: [Int64: (app: String, position: Int64)] = [:]
    }

    private let streams = Mutex(Open())
    private let countMax: Int

    init(max: Int) { countMax = max }

    var open: Int { streams.withLock { $0.streams.count } }

    /// How many events the slowest stream of an app is behind an end.
    func lag(of app: String, behind end: Int64) -> Int64 {
        streams.withLock { open in
            open.streams.values.filter { haveSameBytes($0.app, app) }
                .map { max(0, end - $0.position) }.max() ?? 0
        }
    }

    /// - Parameter position: Where the stream begins.
    /// - Throws: `Problem` with 503 where too many are open.
    func begin(app: String, at position: Int64) throws -> StreamTicket {
        let number: Int64? = streams.withLock { open in
            guard open.streams.count < countMax else { return nil }
            open.last += 1
            open.streams[open.last] = (app, position)
            return open.last
        }
        guard let number else {
            throw Problem.tooMany(
                .serviceUnavailable, "too_many_streams",
                "\(countMax) streams are open; try again later", after: 5)
        }
        return StreamTicket(number: number, count: self)
    }

    fileprivate func note(_ number: Int64, _ position: Int64) {
        streams.withLock { $0.streams[number]?.position = position }
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
