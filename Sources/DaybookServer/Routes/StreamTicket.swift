import Synchronization

/// How many streams are open, so that there are never too many.
final class StreamCount: Sendable {
    private let count = Mutex(0)
    private let countMax: Int

    init(max: Int) { countMax = max }

    var open: Int { count.withLock { $0 } }

    /// - Throws: `Problem` with 503 where too many are open.
    func begin() throws -> StreamTicket {
        let isFree = count.withLock { count in
            guard count < countMax else { return false }
            count += 1
            return true
        }
        guard isFree else {
            throw Problem.tooMany(
                .serviceUnavailable, "too_many_streams",
                "\(countMax) streams are open; try again later", after: 5)
        }
        return StreamTicket(count: self)
    }

    fileprivate func end() { count.withLock { $0 -= 1 } }
}

/// One open stream; it ends where its last user lets it go, also where nothing of it was ever written.
final class StreamTicket: Sendable {
    private let count: StreamCount

    fileprivate init(count: StreamCount) { self.count = count }

    deinit { count.end() }
}
