import CDaybook
import DaybookEvents
import DaybookStore

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Space for pages of packed events: memory of this process, or a file without a name that is mapped.
///
/// ```
/// pages       one after the other, 64 bytes an event
/// extensions  the same once more: as many as a page has events, of which most are never written, so that they take
///             addresses and neither memory nor space on the disk
/// ```
/// Invariant of the unsafe pointers: made in `init`, given back in `deinit`, and each page is written by one thread
/// before any thread reads it.
package final class ScratchMemory: Sendable {
    private nonisolated(unsafe) let start: UnsafeMutableRawPointer
    private nonisolated(unsafe) let streams: UnsafeMutablePointer<UInt32>
    private nonisolated(unsafe) let extensionCounts: UnsafeMutablePointer<Int>
    private let eventsByteCount: Int
    private let pageEventCount: Int
    private let pageByteCount: Int
    /// `nil`: the pages are memory.
    private let file: ScratchFile?
    /// Of the file among the mappings whose faults are survived: some disks are full only when they are read.
    private let mapping: CInt

    /// - Throws: `StoreError.full` or `.failed` where there is no space.
    package init(pageCount: Int, pageEventCount: Int, isFile: Bool) throws {
        precondition(
            PackedEvent.byteCount == EventExtension.byteCount, "an event has as much as its rest")
        self.pageEventCount = pageEventCount
        pageByteCount = pageEventCount * PackedEvent.byteCount
        let pageCount = max(1, pageCount)
        eventsByteCount = pageCount * pageByteCount
        file = isFile ? try ScratchFile(for: "replay", byteCount: 2 * eventsByteCount) : nil
        // A file is written through its descriptor, which is far cheaper than by faults of its pages.
        let protection = isFile ? PROT_READ : PROT_READ | PROT_WRITE
        let flags = isFile ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS
        guard
            let mapped = mmap(
                nil, 2 * eventsByteCount, protection, flags, file?.descriptor ?? -1, 0),
            mapped != MAP_FAILED
        else {
            throw StoreError(.full, "there is no memory for \(eventsByteCount) bytes of events")
        }
        #if os(Linux)
            // A large page instead of 512 small ones that are each filled with zeros at their first write.
            if !isFile { madvise(mapped, eventsByteCount, MADV_HUGEPAGE) }
        #endif
        mapping = isFile ? daybook_mapping_add(mapped, 2 * eventsByteCount) : -1
        start = mapped
        streams = .allocate(capacity: pageCount * pageEventCount)
        extensionCounts = .allocate(capacity: pageCount)
        extensionCounts.initialize(repeating: 0, count: pageCount)
    }

    deinit {
        streams.deallocate()
        extensionCounts.deallocate()
        daybook_mapping_remove(mapping)
        munmap(start, 2 * eventsByteCount)
    }

    /// Whether something that was written cannot be read again.
    package var isLost: Bool {
        // No other program can cut a file short that has no name, so its end says nothing.
        var none: UInt64 = 0
        return !daybook_mapping_is_whole(mapping, &none, 0)
    }

    /// The first event of a page.
    package func page(_ index: Int) -> UnsafePointer<PackedEvent> {
        UnsafePointer(
            (start + index * pageByteCount).bindMemory(
                to: PackedEvent.self, capacity: pageEventCount))
    }

    /// The extensions of a page's events.
    package func extensions(_ index: Int) -> UnsafeBufferPointer<EventExtension> {
        let first = start + eventsByteCount + index * pageByteCount
        return UnsafeBufferPointer(
            start: first.bindMemory(to: EventExtension.self, capacity: pageEventCount),
            count: extensionCounts[index])
    }

    /// The streams of a page's events once more.
    package func streams(_ index: Int) -> UnsafeMutablePointer<UInt32> {
        streams + index * pageEventCount
    }

    /// Adds events to a page, which has space for them.
    /// - Parameters:
    ///   - count: How many it has already.
    ///   - packed: Their extensions are numbered on from those that the page has.
    /// - Throws: `StoreError.full` where there is no space.
    package func append(_ packed: borrowing PackedEvents, to index: Int, count: Int) throws {
        let extensionCount = extensionCounts[index]
        precondition(
            count + packed.events.count <= pageEventCount
                && extensionCount + packed.extensions.count <= pageEventCount,
            "the page has no space")
        try packed.events.withUnsafeBytes {
            try write($0, at: index * pageByteCount + count * PackedEvent.byteCount)
        }
        try packed.extensions.withUnsafeBytes {
            let place = index * pageByteCount + extensionCount * EventExtension.byteCount
            try write($0, at: eventsByteCount + place)
        }
        extensionCounts[index] = extensionCount + packed.extensions.count
    }

    private func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws {
        if let file { return try file.write(bytes, at: offset) }
        guard let first = bytes.baseAddress, !bytes.isEmpty else { return }
        (start + offset).copyMemory(from: first, byteCount: bytes.count)
    }
}
