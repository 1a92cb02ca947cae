import CDaybook
import DaybookEvents
import DaybookStore
import Synchronization

/// All events up to a position, each at its place in memory: mapped segments, and pages that were filled from rows.
///
/// Rows go to memory of this process, or beyond a size to a file without a name, which is mapped and gone with the
/// process, so that a ledger of any length can be replayed.
package final class EventPages: Sendable {
    private struct Page {
        /// The first event; the memory of both lives as long as this object.
        let events: UnsafePointer<PackedEvent>
        let extensions: UnsafeBufferPointer<EventExtension>

        /// `nil` without events.
        static func of(_ events: Span<PackedEvent>, _ extensions: Span<EventExtension>) -> Page? {
            guard let first = events.withUnsafeBufferPointer({ $0.baseAddress }) else { return nil }
            return Page(events: first, extensions: extensions.withUnsafeBufferPointer { $0 })
        }
    }

    /// Beyond this many events from rows, pages lie in a file: 128 MiB, and the extensions of extended events.
    private static let memoryCountMax: Int64 = 1 << 21

    /// Events of a page, as a power of two.
    private let shift: Int
    private let mask: Int
    package let count: Int
    /// How many events came from segments.
    package let segmentEventCount: Int64
    /// How many came from rows.
    package var rowCount: Int64 { Int64(count) - segmentEventCount }
    private let segments: [Segment?]
    private let folder: SegmentFolder?
    // Safe to share: written before `init` returns, read only from then on.
    private nonisolated(unsafe) let pages: [Page]
    /// Whether any event is extended.
    package let hasExtensions: Bool
    private let scratch: ScratchMemory
    /// Where in it each page lies.
    private let scratchPages: [Int]

    /// - Parameters:
    ///   - progress: Events read from rows, and these and all events together.
    /// - Throws: What `progress` throws; `StoreError` where rows cannot be read.
    private init(
        _ log: EventLog, through last: Int64, source: ReplaySource, workers: Int, chunkCount: Int,
        progress: @Sendable (Int64, Int64) throws -> Void
    ) throws {
        let pageEventCount = log.segments?.eventCount ?? SegmentFolder.eventCountDefault
        let pageCount = Int((last + pageEventCount - 1) / pageEventCount)
        let found =
            source == .segments
            ? try Self.openSegments(log.segments, pageCount, through: last, workers: workers)
            : Array(repeating: nil, count: pageCount)
        var pages = try found.map { try $0?.withEvents(Page.of) }
        let missing = pages.indices.filter { pages[$0] == nil }
        let scratch = try ScratchMemory(
            pageCount: missing.count, pageEventCount: Int(pageEventCount),
            isFile: Int64(missing.count) * pageEventCount > Self.memoryCountMax)
        let filling = PageFilling(
            store: log.store, scratch: scratch,
            ranges: missing.map { index in
                let first = Int64(index) * pageEventCount + 1
                return first...min(last, first + pageEventCount - 1)
            }, last: last, chunkCount: chunkCount)
        try filling.run(workers: workers, progress: progress)
        var scratchPages = Array(repeating: 0, count: pageCount)
        for (place, index) in missing.enumerated() {
            scratchPages[index] = place
            pages[index] = Page(
                events: scratch.page(place), extensions: scratch.extensions(place))
        }
        self.pages = pages.compactMap(\.self)
        hasExtensions = self.pages.contains { !$0.extensions.isEmpty }
        self.scratch = scratch
        self.scratchPages = scratchPages
        segments = found
        folder = log.segments
        segmentEventCount = Int64(found.count { $0 != nil }) * pageEventCount
        shift = pageEventCount.trailingZeroBitCount
        mask = Int(pageEventCount) - 1
        count = Int(last)
    }

    /// Lends all events up to a position to a body that only looks, and gives what it makes of them. A segment whose
    /// file another program cut short meanwhile is dropped, what the body made is thrown away, and it is run again; at
    /// last upon rows alone.
    package static func reading<Result>(
        _ log: EventLog, through last: Int64, source: ReplaySource = .segments, workers: Int,
        chunkCount: Int, progress: @Sendable (Int64, Int64) throws -> Void,
        _ body: (EventPages) throws -> Result
    ) throws -> Result {
        var attempt = 0
        while true {
            attempt += 1
            let pages = try EventPages(
                log, through: last, source: attempt < attemptsMax ? source : .rows,
                workers: workers, chunkCount: chunkCount, progress: progress)
            let outcome = Swift.Result { try body(pages) }
            // An error may come from what was lost, too.
            if try pages.areWhole() { return try outcome.get() }
        }
    }

    private static let attemptsMax = 4

    /// Whether nothing was lost of what lies here; segments of which something was are not used again.
    private func areWhole() throws -> Bool {
        try StoreError.require(
            !scratch.isLost, .full,
            "there is no space for the events, or they cannot be read; set TMPDIR to a folder that has"
        )
        var areWhole = true
        for (index, segment) in segments.enumerated() {
            guard let segment, segment.isLost else { continue }
            areWhole = false
            folder?.drop(
                index,
                because: StoreError(
                    .damaged,
                    "\(segment.path) was cut short by another program, or cannot be read, while it was in use"
                ))
        }
        return areWhole
    }

    /// The segments of the first pages, every block checked, several at once; `nil` where rows must be read.
    private static func openSegments(
        _ folder: SegmentFolder?, _ pageCount: Int, through last: Int64, workers: Int
    ) throws -> [Segment?] {
        let found = Mutex<[Segment?]>(Array(repeating: nil, count: pageCount))
        guard let folder else { return found.withLock { $0 } }
        let next = Atomic<Int>(0)
        try Parallel.run(workers: min(workers, pageCount)) { _ in
            while true {
                let index = next.wrappingAdd(1, ordering: .relaxed).oldValue
                guard index < pageCount, folder.range(of: index).upperBound <= last else { return }
                guard let segment = folder.segment(index) else { continue }
                do {
                    try segment.withStreams { _ in }
                    try segment.withEvents { _, _ in }
                    found.withLock { $0[index] = segment }
                } catch {
                    folder.drop(index, because: error)
                }
            }
        }
        return found.withLock { $0 }
    }

    /// The packed event at a position less one.
    /// - Precondition: Below `count`.
    @inline(__always)
    package func packed(_ index: Int) -> UnsafePointer<PackedEvent> {
        pages[index >> shift].events + (index & mask)
    }

    /// The event at a position less one.
    /// - Throws: `StoreError.damaged` for bits that are of no event.
    @inline(__always)
    package func event(_ index: Int) throws -> Event {
        let packed = packed(index).pointee
        return packed.isWhole ? packed.event(at: Int64(index + 1)) : try extendedEvent(index)
    }

    /// The event at a position less one, where it is not whole in its packed form.
    /// - Throws: `StoreError.damaged` for bits that are of no event.
    package func extendedEvent(_ index: Int) throws -> Event {
        let page = pages[index >> shift]
        let packed = packed(index).pointee
        let position = Int64(index + 1)
        guard let place = packed.extensionIndex, place < page.extensions.count else {
            throw damage(at: position)
        }
        return packed.event(at: position, page.extensions[place])
    }

    /// The error for bits that are no event; their segment is not used again.
    private func damage(at position: Int64) -> StoreError {
        let page = Int(position - 1) >> shift
        guard let segment = segments[page] else {
            return StoreError(.failed, "position \(position) was not packed")
        }
        let damage = segment.damage(at: position)
        folder?.drop(page, because: damage)
        return damage
    }

    /// Has the processor fetch an event that will be read soon.
    @inline(__always)
    package func willRead(_ index: Int) { daybook_will_read(packed(index)) }

    /// Has the processor fetch the extension of an extended event.
    @inline(__always)
    package func willReadExtension(_ index: Int) {
        if let place = packed(index).pointee.extensionIndex,
            let first = pages[index >> shift].extensions.baseAddress
        {
            // Any address will do: nothing is read here.
            daybook_will_read(UnsafeRawPointer(first) + place * EventExtension.byteCount)
        }
    }

    /// Runs the body on the streams of a range of events, given by their positions less one, a page at a time.
    @inline(__always)
    package func forEachStream(_ range: Range<Int>, _ body: (Int, UInt32) -> Void) throws {
        var index = range.lowerBound
        while index < range.upperBound {
            let page = index >> shift
            let end = min(range.upperBound, (page + 1) << shift)
            if let segment = segments[page] {
                try segment.withStreams { streams in
                    for place in index..<end { body(place, streams[place & mask]) }
                }
            } else {
                let streams = scratch.streams(scratchPages[page])
                for place in index..<end { body(place, streams[place & mask]) }
            }
            index = end
        }
    }
}

/// Reads rows into pages, several at once.
private struct PageFilling: Sendable {
    let store: any EventStore
    let scratch: ScratchMemory
    /// The positions of each page.
    let ranges: [ClosedRange<Int64>]
    /// Of all events, which are folded afterwards.
    let last: Int64
    let chunkCount: Int

    func run(workers: Int, progress: @Sendable (Int64, Int64) throws -> Void) throws {
        let total = ranges.reduce(Int64(0)) { $0 + Int64($1.count) }
        guard total > 0 else { return }
        let done = Atomic<Int64>(0)
        _ = try Parallel.run(
            workers: min(workers, ranges.count), turns: ranges.count, workspace: { $0 },
            { worker, place, _ in
                try fill(place) { count in
                    let sum = done.wrappingAdd(count, ordering: .relaxed).newValue
                    if worker == 0 { try progress(sum, total + last) }
                }
            })
    }

    private func fill(_ place: Int, _ note: (Int64) throws -> Void) throws {
        let range = ranges[place]
        let streams = scratch.streams(place)
        var packed = PackedEvents()
        var count = 0
        try store.scan(
            after: Checkpoint(position: range.lowerBound - 1),
            through: Checkpoint(position: range.upperBound), chunkCount: chunkCount
        ) { events in
            guard events.count <= range.count - count else {
                throw StoreError(.damaged, "the store gives more events than positions")
            }
            for index in events.indices {
                guard events[index].position == range.lowerBound + Int64(count + index) else {
                    throw gap(range)
                }
                packed.append(events[index])
                streams[count + index] = events[index].stream
            }
            try scratch.append(packed, to: place, count: count)
            count += events.count
            packed.removeAll()
            try note(Int64(events.count))
        }
        guard count == range.count else { throw gap(range) }
    }

    private func gap(_ range: ClosedRange<Int64>) -> StoreError {
        StoreError(
            .damaged,
            "positions \(range.lowerBound) to \(range.upperBound) are not all there; restore a backup"
        )
    }
}
