/// Bytes that are appended piece by piece, in memory that grows.
///
/// Why not an array: most pieces have a few bytes, and an array asks at each of them whether it is shared.
struct ByteBuilder: ~Copyable {
    private var memory: UnsafeMutableRawBufferPointer
    /// How many bytes were appended.
    private(set) var count = 0

    /// - Parameter capacity: How many bytes to make room for at first, 0 or more.
    init(reserving capacity: Int) {
        memory = .allocate(byteCount: capacity, alignment: 1)
    }

    deinit { memory.deallocate() }

    /// Begins anew in the same memory.
    mutating func removeAll() { count = 0 }

    /// Lends what was appended.
    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try body(UnsafeRawBufferPointer(rebasing: memory[..<count]))
    }

    /// A copy of what was appended.
    var array: [UInt8] { Array(memory[..<count]) }

    @inline(__always)
    mutating func append(_ byte: UInt8) {
        if count == memory.count { grow(by: 1) }
        memory[count] = byte
        count += 1
    }

    @inline(__always)
    mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
        if memory.count - count < bytes.count { grow(by: bytes.count) }
        memory.copy(bytes, at: count)
        count += bytes.count
    }

    /// Makes room for so many more bytes than there are.
    @inline(never)
    private mutating func grow(by extra: Int) {
        let larger = UnsafeMutableRawBufferPointer.allocate(
            byteCount: max(2 * memory.count, count + extra, 64), alignment: 1)
        larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: memory[..<count]))
        memory.deallocate()
        memory = larger
    }
}
