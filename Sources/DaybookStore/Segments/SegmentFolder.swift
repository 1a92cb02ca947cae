import DaybookEvents
import Synchronization

/// The segments of one ledger: files that are mapped when they are first read, written when a process has time.
///
/// One file a segment, `<number>.dayseg` with twelve digits, in the folder of derived files. A file is never changed;
/// one that does not fit, or is damaged, is told once, not used, and replaced by the next sealing.
public final class SegmentFolder: Sendable {
    private static let suffix = ".dayseg"
    /// How many events a segment has: a range of rows that is read in some hundredths of a second.
    public static let eventCountDefault: Int64 = 16_384

    private enum Place {
        case unread
        case open(Segment)
        case missing
        /// It is there and was found to be of no use; the next sealing writes it anew.
        case damaged

        var isMissing: Bool {
            switch self {
            case .missing, .damaged: true
            case .unread, .open: false
            }
        }
    }

    private struct Content {
        /// By the number of the segment.
        private(set) var places: [Place] = []
        /// Everything before it has a file, as far as is known.
        private var sealedCount = 0
        /// What `sealNext` could not write, and does not try again.
        var failed: Set<Int> = []

        subscript(index: Int) -> Place {
            get { places.indices.contains(index) ? places[index] : .missing }
            set {
                while places.count <= index { places.append(.missing) }
                places[index] = newValue
                if newValue.isMissing {
                    sealedCount = min(sealedCount, index)
                } else {
                    failed.remove(index)
                }
            }
        }

        /// The first of those without a file that end with this one, as far as one look goes.
        func firstOfMissing(endingWith index: Int) -> Int {
            if places.isEmpty { return 0 }
            var first = index
            while first > 0, index - first < SegmentFolder.lookBackMax, self[first - 1].isMissing {
                first -= 1
            }
            return first
        }

        /// The first one without a file that may be tried, below a number.
        mutating func firstMissing(below count: Int) -> Int? {
            while sealedCount < count, !self[sealedCount].isMissing { sealedCount += 1 }
            guard sealedCount < count else { return nil }
            return (sealedCount..<count).first { self[$0].isMissing && !failed.contains($0) }
        }
    }

    /// The folder of the segment files, which may be missing before the first one is written.
    public let path: String
    /// How many events each segment has, and the step at which they begin: position 1, then 1 + this, and so on.
    public let eventCount: Int64
    /// The ledger's file, whose permissions those of segments are.
    private let model: String?
    private let ledger: UInt64
    private let fingerprint: UInt64
    /// The store that must confirm the history of each file.
    private let store: any EventStore
    /// Is told in one sentence why a file is not used, once.
    private let report: @Sendable (String) -> Void
    private let isReadOnly: Bool
    private let content = Mutex(Content())
    private let isOutdatedTold = Atomic<Bool>(false)
    private let isForeignTold = Atomic<Bool>(false)
    private let isBeyondTold = Atomic<Bool>(false)

    /// Lists the folder; nothing is opened yet.
    /// - Parameters:
    ///   - store: Of the ledger.
    ///   - model: The ledger's file: who may read it may read its segments.
    ///   - ledger: The first 64 bits of the digest of the ledger's id.
    ///   - fingerprint: Of the meaning of the events' slots.
    ///   - eventCount: A power of two; segments of another size are not used.
    ///   - isReadOnly: Segments of another history stay where they are.
    public init(
        path: String, store: any EventStore, like model: String? = nil, ledger: UInt64,
        fingerprint: UInt64, eventCount: Int64 = SegmentFolder.eventCountDefault,
        isReadOnly: Bool = false,
        report: @escaping @Sendable (String) -> Void
    ) {
        precondition(
            eventCount > 0 && eventCount & (eventCount - 1) == 0, "segments have 2^n events")
        self.path = path
        self.model = model
        self.eventCount = eventCount
        self.ledger = ledger
        self.fingerprint = fingerprint
        self.store = store
        self.isReadOnly = isReadOnly
        self.report = report
        refresh()
    }

    /// Which segment a position belongs to, from 0 on.
    public func index(of position: Int64) -> Int { Int((position - 1) / eventCount) }

    /// The positions of a segment.
    public func range(of index: Int) -> ClosedRange<Int64> {
        let first = Int64(index) * eventCount + 1
        return first...first + eventCount - 1
    }

    /// How many segments are looked for at once: a million events.
    private static let lookBackMax = 64

    /// The last position before the rows that have no segment, down from the end of one that is missing. What is read
    /// of them is read at once, and not once for each segment that could be there.
    public func endBeforeRows(through index: Int) -> Int64 {
        let first = content.withLock { $0.firstOfMissing(endingWith: index) }
        return range(of: first).lowerBound - 1
    }

    /// Sees the files that others have written since. What lies beyond the ledger's end is no segment of it, whatever
    /// its number: it is passed over, and told once.
    public func refresh() {
        guard Segment.isSupported else { return }
        let names = DerivedFile.names(in: path, suffix: Self.suffix)
        if names.isEmpty { return }
        // Asked after the folder was read: a segment is written only after its events were committed. A ledger that
        // cannot tell its end has no segments until it can.
        let count = Int(((try? store.head().position) ?? 0) / eventCount)
        var beyond: [String] = []
        content.withLock { content in
            for name in names {
                guard let index = Int(name.dropLast(Self.suffix.count)), index >= 0 else {
                    continue
                }
                if index >= count {
                    beyond.append(name)
                } else if case .missing = content[index] {
                    content[index] = .unread
                }
            }
        }
        if let first = beyond.first, !isBeyondTold.exchange(true, ordering: .relaxed) {
            report(
                "segments beyond the ledger's end are passed over: \(beyond.count), the first is \(path)/\(first)"
            )
        }
    }

    private func file(_ index: Int) -> String {
        let digits = String(index)
        return
            "\(path)/\(String(repeating: "0", count: max(0, 12 - digits.count)))\(digits)\(Self.suffix)"
    }

    /// The segment of this number; `nil` where there is none that can be used.
    public func segment(_ index: Int) -> Segment? {
        switch content.withLock({ $0[index] }) {
        case .open(let segment): return segment
        case .missing, .damaged: return nil
        case .unread: break
        }
        // Not under the lock, which commits take too: the thread that opens may be one that gives way.
        let opened = Result { try open(index) }
        return content.withLock { content in
            guard case .unread = content[index] else {
                // Another thread was first.
                if case .open(let segment) = content[index] { return segment }
                return nil
            }
            switch opened {
            case .success(let segment):
                content[index] = .open(segment)
                return segment
            case .failure(let error):
                let code = (error as? StoreError)?.code
                if code == .otherHistory, !isReadOnly { DerivedFile.setAside(file(index)) }
                let isGone = code == .notFound
                content[index] = isGone ? .missing : .damaged
                if !isGone { tell(error) }
                return nil
            }
        }
    }

    private func open(_ index: Int) throws -> Segment {
        let segment = try Segment(
            file: try ContainerFile(path: file(index)), ledger: ledger, fingerprint: fingerprint)
        try StoreError.require(
            segment.range == range(of: index), .damaged,
            "\(segment.path): it has other positions than its name says")
        try StoreError.require(
            store.confirms(segment.history), .otherHistory,
            "\(segment.path) was made from another history of this ledger")
        return segment
    }

    /// After an update every file of the folder is of another version: that is told of the first one.
    private func tell(_ error: any Error) {
        let error = error as? StoreError ?? StoreError(.failed, "\(error)")
        if error.code == .outdated, isOutdatedTold.exchange(true, ordering: .relaxed) { return }
        if error.code == .otherHistory, isForeignTold.exchange(true, ordering: .relaxed) { return }
        report("segment not used: \(error.message)")
    }

    /// Does without a segment whose bytes turned out to be damaged.
    public func drop(_ index: Int, because error: any Error) {
        content.withLock { content in
            guard case .open = content[index] else { return }
            content[index] = .damaged
            tell(error)
        }
    }

    /// How many segments there are, read or not.
    public var count: Int {
        content.withLock { $0.places.count { !$0.isMissing } }
    }

    /// Every segment that can be used.
    public var segments: [Segment] {
        content.withLock { $0.places.indices }.compactMap { segment($0) }
    }

    /// Writes the segments that are missing, or were found to be damaged, below a position.
    /// - Parameters:
    ///   - store: Of the same ledger.
    ///   - position: The last one that is committed.
    ///   - progress: Events sealed, and events in all that are to be.
    /// - Returns: How many files were written.
    @discardableResult
    public func seal(
        from store: any EventStore, through position: Int64,
        progress: (Int64, Int64) throws -> Void = { _, _ in }
    ) throws -> Int {
        guard Segment.isSupported else { return 0 }
        refresh()
        let missing = (0..<Int(position / eventCount)).filter { segment($0) == nil }
        guard !missing.isEmpty else { return 0 }
        try DerivedFile.createFolder(path, like: model)
        let total = Int64(missing.count) * eventCount
        for (done, index) in missing.enumerated() {
            try progress(Int64(done) * eventCount, total)
            try write(index, from: store) {}
        }
        try progress(total, total)
        return missing.count
    }

    /// Whether a whole range up to a position has no file, and `sealNext` would try to write it. Nothing is read.
    public func isAnyMissing(through position: Int64) -> Bool {
        Segment.isSupported && firstMissing(through: position) != nil
    }

    private func firstMissing(through position: Int64) -> Int? {
        content.withLock { $0.firstMissing(below: Int(position / eventCount)) }
    }

    /// Writes the first segment that is missing, or was found to be damaged, below a position.
    /// - Parameters:
    ///   - store: Of the same ledger.
    ///   - position: The last one that is committed.
    ///   - isWanted: Asked every millisecond or so; after a no the segment is given up, and nothing is left of it.
    /// - Returns: Whether one was written.
    /// - Throws: `StoreError` when a row cannot be read or the file not be written; this segment is not tried again.
    public func sealNext(
        from store: any EventStore, through position: Int64, while isWanted: () -> Bool
    ) throws -> Bool {
        guard isWanted(), isAnyMissing(through: position) else { return false }
        // Another process may have been faster.
        refresh()
        guard let index = firstMissing(through: position) else { return false }
        do {
            try DerivedFile.createFolder(path, like: model)
            try write(index, from: store) {
                if !isWanted() { throw GivenUp() }
            }
            return true
        } catch is GivenUp {
            return false
        } catch {
            content.withLock { _ = $0.failed.insert(index) }
            throw error
        }
    }

    private struct GivenUp: Error {}

    /// - Parameter pause: Called after each chunk of rows, before anything is written.
    private func write(
        _ index: Int, from store: any EventStore, pause: () throws -> Void
    ) throws {
        let range = range(of: index)
        var packed = PackedEvents()
        var previous: [Int64] = []
        previous.reserveCapacity(range.count)
        try store.scanLinks(
            after: Checkpoint(position: range.lowerBound - 1),
            through: Checkpoint(position: range.upperBound), chunkCount: 1_024
        ) { events, places in
            for index in events.indices {
                guard events[index].position == range.lowerBound + Int64(packed.events.count)
                else { throw Self.gap(range) }
                packed.append(events[index])
            }
            previous += places
            try pause()
        }
        guard packed.events.count == range.count,
            let history = try store.point(at: range.upperBound)
        else { throw Self.gap(range) }
        try Segment.write(
            packed, range, previous: previous, history: history, ledger: ledger,
            fingerprint: fingerprint, to: file(index), like: model)
        content.withLock { $0[index] = .unread }
    }

    private static func gap(_ range: ClosedRange<Int64>) -> StoreError {
        StoreError(
            .damaged, "positions \(range.lowerBound) to \(range.upperBound) are not all there")
    }
}
