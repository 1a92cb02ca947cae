import DaybookEvents
import DaybookStore

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Room for pages of events: memory of this process, or a file without a name that is mapped.
///
/// Invariant of the unsafe pointers: made in `init`, given back in `deinit`, and each page is written by one thread
/// before anybody reads it.
final class ScratchMemory: Sendable {
    private nonisolated(unsafe) let start: UnsafeMutableRawPointer
    private nonisolated(unsafe) let streams: UnsafeMutablePointer<UInt32>
    private let byteCount: Int
    private let pageEventCount: Int
    private let pageByteCount: Int
    /// -1: no file.
    private let descriptor: CInt

    /// - Throws: `StoreError.full` or `.failed` where there is no room.
    init(pageCount: Int, pageEventCount: Int, isFile: Bool) throws {
        self.pageEventCount = pageEventCount
        pageByteCount = pageEventCount * MemoryLayout<Event>.stride
        byteCount = max(1, pageCount) * pageByteCount
        if isFile {
            descriptor = try Self.namelessFile(byteCount)
        } else {
            descriptor = -1
        }
        // A file is written through its descriptor, which is far cheaper than by faults of its pages.
        let protection = isFile ? PROT_READ : PROT_READ | PROT_WRITE
        let flags = isFile ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS
        guard let mapped = mmap(nil, byteCount, protection, flags, descriptor, 0),
            mapped != MAP_FAILED
        else {
            if isFile { close(descriptor) }
            throw StoreError(.full, "there is no memory for \(byteCount) bytes of events")
        }
        #if os(Linux)
            // A large page instead of 512 small ones that are each filled with zeros at their first write.
            if !isFile { madvise(mapped, byteCount, MADV_HUGEPAGE) }
        #endif
        start = mapped
        streams = .allocate(capacity: max(1, pageCount) * pageEventCount)
    }

    deinit {
        streams.deallocate()
        munmap(start, byteCount)
        if descriptor >= 0 { close(descriptor) }
    }

    private static func namelessFile(_ byteCount: Int) throws -> CInt {
        let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(folder)/daybook-replay-XXXXXX".utf8CString)
        let descriptor = mkstemp(&template)
        guard descriptor >= 0 else {
            throw StoreError(
                .failed,
                "cannot create a file in \(folder); set TMPDIR to a folder with room for \(byteCount) bytes"
            )
        }
        // From here on it has no name: whatever becomes of this process, nothing stays behind.
        unlink(template)
        guard ftruncate(descriptor, off_t(byteCount)) == 0 else {
            close(descriptor)
            throw StoreError(
                .full,
                "\(folder) has no room for \(byteCount) bytes; set TMPDIR to a folder that has")
        }
        return descriptor
    }

    /// The first event of a page.
    func page(_ index: Int) -> UnsafePointer<Event> {
        UnsafePointer(
            (start + index * pageByteCount).bindMemory(to: Event.self, capacity: pageEventCount))
    }

    /// The streams of a page's events once more.
    func streams(_ index: Int) -> UnsafeMutablePointer<UInt32> { streams + index * pageEventCount }

    /// Has the body write a page.
    func fill(_ index: Int, _ body: (UnsafeMutablePointer<Event>) throws -> Void) throws {
        let capacity = pageEventCount
        guard descriptor >= 0 else {
            return try body(
                (start + index * pageByteCount).bindMemory(to: Event.self, capacity: capacity))
        }
        let buffer = UnsafeMutablePointer<Event>.allocate(capacity: capacity)
        defer { buffer.deallocate() }
        buffer.initialize(repeating: Event(), count: capacity)
        try body(buffer)
        var written = 0
        while written < pageByteCount {
            let count = pwrite(
                descriptor, UnsafeRawPointer(buffer) + written, pageByteCount - written,
                off_t(index * pageByteCount + written))
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                throw StoreError(
                    .full, "there is no room for the events; set TMPDIR to a folder that has")
            }
            written += count
        }
    }
}
