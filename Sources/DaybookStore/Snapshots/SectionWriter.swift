/// Takes the bytes of a section one after the other and keeps no more than a block of them: a section of a large ledger
/// has hundreds of megabytes.
///
/// An error of whatever takes the blocks is kept until `finish`; what is appended after it goes nowhere.
package struct SectionWriter: ~Copyable {
    /// Is given each block of `ContainerFormat.blockByteCount` bytes, and the rest at the end.
    private let take: (UnsafeRawBufferPointer) throws -> Void
    private let block: UnsafeMutableRawBufferPointer
    /// How many bytes of the block are taken.
    private var used = 0
    private var failure: (any Error)?
    /// What was appended so far.
    package private(set) var byteCount = 0
    /// Of every block that was full, and of the rest once it is finished.
    package private(set) var checksums: [UInt32] = []

    package init(_ take: @escaping (UnsafeRawBufferPointer) throws -> Void) {
        self.take = take
        block = .allocate(byteCount: ContainerFormat.blockByteCount, alignment: 64)
    }

    deinit { block.deallocate() }

    /// Appends a number, little-endian, in as many bytes as its type has.
    package mutating func append<Number: FixedWidthInteger>(_ value: Number) {
        let size = MemoryLayout<Number>.size
        guard used + size < block.count else {
            return withUnsafeBytes(of: value.littleEndian) { append($0) }
        }
        block.storeBytes(of: value.littleEndian, toByteOffset: used, as: Number.self)
        used += size
        byteCount += size
    }

    /// Appends bytes as they are.
    package mutating func append(_ bytes: UnsafeRawBufferPointer) {
        byteCount += bytes.count
        var rest = bytes
        while !rest.isEmpty {
            // What is long is not copied.
            if used == 0, rest.count >= block.count {
                give(UnsafeRawBufferPointer(rebasing: rest.prefix(block.count)))
                rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(block.count))
                continue
            }
            let part = UnsafeRawBufferPointer(rebasing: rest.prefix(block.count - used))
            UnsafeMutableRawBufferPointer(rebasing: block[used...]).copyMemory(from: part)
            used += part.count
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(part.count))
            if used == block.count { giveBlock() }
        }
    }

    /// Appends bytes as they are.
    package mutating func append(_ bytes: [UInt8]) { bytes.withUnsafeBytes { append($0) } }

    /// Gives on what is left.
    /// - Throws: What went wrong since the beginning.
    package mutating func finish() throws {
        if used > 0 { giveBlock() }
        if let failure { throw failure }
    }

    private mutating func giveBlock() {
        give(UnsafeRawBufferPointer(rebasing: block[..<used]))
        used = 0
    }

    private mutating func give(_ bytes: UnsafeRawBufferPointer) {
        guard failure == nil else { return }
        checksums.append(CRC32C.checksum(bytes))
        do { try take(bytes) } catch { failure = error }
    }
}
