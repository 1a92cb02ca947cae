import CDaybook
import DaybookEvents
import Foundation
import Synchronization

/// A container opened by mapping it: nothing is decoded before it is asked for, and every block is checked once.
///
/// Invariant of the unsafe pointer: the mapping is private, read-only, lives from `init` to `deinit`, and is never
/// handed out; reads are bounds-checked against its size. We never change a file in place, only replace it by rename,
/// so the mapped bytes stay what they were. Where another program cuts one short all the same, its end reads as zeros,
/// and every read says so afterwards: nothing that was read of a lost file leaves `withBytes` or `reading`.
public final class ContainerFile: Sendable {
    private struct Section {
        var name: String
        var fingerprint: UInt64
        var offset: Int
        var byteCount: Int
        var elementCount: Int
        var checksums: Int
        /// The number that this section's first block has among all blocks of the file.
        var firstBlock: Int
    }

    /// The path with which it was opened.
    public let path: String
    /// The header, whose checksum was compared when the file was opened.
    public let header: ContainerHeader
    /// The size of the whole file when it was opened, in bytes.
    public let byteCount: Int
    private let sections: [Section]
    // Safe to share: see the invariant above.
    private nonisolated(unsafe) let memory: UnsafeRawPointer
    /// One bit per block, set once its checksum was found to fit.
    private let checked: CheckedBlocks
    /// Among the mappings whose faults are survived.
    private let mapping: CInt
    /// Eight bytes that end with the last one that is not zero, which a file loses first.
    private let mark: (offset: Int, value: UInt64)
    private let lost = Atomic<Bool>(false)

    /// Opens and checks the header.
    /// - Throws: `StoreError.damaged` with the reason, `.notFound` without a file.
    public init(path: String) throws {
        // Whatever lies there, such as a pipe, is not waited for.
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        guard descriptor >= 0 else { throw StoreError(.notFound, "no file \(path)") }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw DerivedFile.failure("read", path) }
        try StoreError.require(status.st_mode & S_IFMT == S_IFREG, .damaged, "\(path) is no file")
        let size = Int(status.st_size)
        try StoreError.require(
            size >= ContainerFormat.headerByteCount, .damaged,
            "\(path) is too short to be a derived file")
        guard let mapped = mmap(nil, size, PROT_READ, MAP_PRIVATE, descriptor, 0),
            mapped != MAP_FAILED
        else { throw DerivedFile.failure("map", path) }
        let raw = UnsafeRawBufferPointer(start: mapped, count: size)
        let mapping = daybook_mapping_add(mapped, size)
        let mark: (offset: Int, value: UInt64)
        do {
            (header, sections) = try Self.parse(raw, path)
            mark = Self.mark(raw)
            guard daybook_mapping_is_whole(mapping, mapped + mark.offset, mark.value) else {
                throw Self.loss(path)
            }
        } catch {
            daybook_mapping_remove(mapping)
            munmap(mapped, size)
            throw error
        }
        self.path = path
        self.mapping = mapping
        self.mark = mark
        byteCount = size
        memory = UnsafeRawPointer(mapped)
        checked = CheckedBlocks(
            count: sections.reduce(0) { $0 + ContainerFormat.blockCount($1.byteCount) })
    }

    deinit {
        daybook_mapping_remove(mapping)
        munmap(UnsafeMutableRawPointer(mutating: memory), byteCount)
    }

    private static func mark(_ raw: UnsafeRawBufferPointer) -> (offset: Int, value: UInt64) {
        let offset = max(7, raw.lastIndex { $0 != 0 } ?? 7) - 7
        return (offset, raw.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    /// Whether the file was cut short, or could not be read, since it was opened: nothing more is read of it.
    public var isLost: Bool {
        if lost.load(ordering: .relaxed) { return true }
        if daybook_mapping_is_whole(mapping, memory + mark.offset, mark.value) { return false }
        lost.store(true, ordering: .relaxed)
        return true
    }

    /// The same as far as a read has noticed it.
    public var isKnownLost: Bool { lost.load(ordering: .relaxed) }

    private static func loss(_ path: String) -> StoreError {
        StoreError(
            .damaged,
            "\(path) was cut short by another program, or cannot be read, while it was in use")
    }

    private static func parse(
        _ raw: UnsafeRawBufferPointer, _ path: String
    ) throws -> (ContainerHeader, [Section]) {
        func damaged(_ reason: String) -> StoreError { StoreError(.damaged, "\(path): \(reason)") }
        func require(_ holds: Bool, _ reason: @autoclosure () -> String) throws(StoreError) {
            if !holds { throw damaged(reason()) }
        }
        func number<Value: FixedWidthInteger>(_ offset: Int, _: Value.Type) -> Value {
            Value(littleEndian: raw.loadUnaligned(fromByteOffset: offset, as: Value.self))
        }
        try require(raw[0..<8].elementsEqual(ContainerFormat.magic), "no derived file")
        try require(
            number(8, UInt32.self) == ContainerFormat.version,
            "format version \(number(8, UInt32.self)), expected \(ContainerFormat.version)")
        let count = Int(number(ContainerFormat.countOffset, UInt32.self))
        let frontCount = ContainerFormat.headerByteCount + count * ContainerFormat.sectionByteCount
        try require(
            count <= ContainerFormat.sectionCountMax && frontCount <= raw.count,
            "the section table lies outside of the file")
        var front = Array(raw[0..<frontCount])
        let place = ContainerFormat.checksumOffset
        front.replaceSubrange(place..<place + 4, with: [0, 0, 0, 0])
        try require(
            CRC32C.checksum(front) == number(place, UInt32.self),
            "the header's checksum does not fit")
        guard let kind = ContainerHeader.Kind(rawValue: number(12, UInt32.self)) else {
            throw damaged("unknown kind")
        }
        var sections: [Section] = []
        var firstBlock = 0
        var end = frontCount
        for index in 0..<count {
            let base = ContainerFormat.headerByteCount + index * ContainerFormat.sectionByteCount
            let name = String(decoding: raw[base..<base + 16].prefix { $0 != 0 }, as: UTF8.self)
            let values = (0..<4).map { number(base + 24 + 8 * $0, UInt64.self) }
            let limit = UInt64(raw.count)
            guard values[0] <= limit, values[1] <= limit - values[0],
                values[3] == values[0] + values[1],
                values[2] <= limit,
                UInt64(4 * ContainerFormat.blockCount(Int(values[1]))) <= limit - values[3]
            else { throw damaged("section \(name) lies outside of the file") }
            try require(
                Int(values[0]) == ContainerFormat.aligned(end)
                    && raw[end..<Int(values[0])].allSatisfy { $0 == 0 },
                "section \(name) does not follow the one before it")
            end = Int(values[3]) + 4 * ContainerFormat.blockCount(Int(values[1]))
            sections.append(
                Section(
                    name: name, fingerprint: number(base + 16, UInt64.self), offset: Int(values[0]),
                    byteCount: Int(values[1]), elementCount: Int(values[2]),
                    checksums: Int(values[3]), firstBlock: firstBlock))
            firstBlock += ContainerFormat.blockCount(Int(values[1]))
        }
        try require(end == raw.count, "\(raw.count - end) bytes follow its last section")
        let hash = HistoryHash(UnsafeRawBufferPointer(rebasing: raw[72..<104])) ?? .zero
        let header = ContainerHeader(
            kind: kind, fingerprint: number(16, UInt64.self), ledger: number(24, UInt64.self),
            firstPosition: number(32, Int64.self),
            history: HistoryPoint(
                position: number(40, Int64.self), epoch: number(48, Int64.self),
                nameCount: number(56, Int64.self), streamCount: number(64, Int64.self), hash: hash),
            stateDigest: Array(raw[104..<136]))
        return (header, sections)
    }

    /// How many elements a section has; 0 without the section.
    public func elementCount(_ name: String) -> Int {
        sections.first { $0.name == name }?.elementCount ?? 0
    }

    /// What gives a section's bytes their meaning, beyond the header's fingerprint; 0 without the section.
    public func fingerprint(_ name: String) -> UInt64 {
        sections.first { $0.name == name }?.fingerprint ?? 0
    }

    /// How many bytes a section has; 0 without the section.
    public func byteCount(_ name: String) -> Int {
        sections.first { $0.name == name }?.byteCount ?? 0
    }

    /// A section of this file that was found once, for callers that read it often.
    public struct Part: Sendable {
        fileprivate let index: Int
        /// How many bytes the section has.
        public let byteCount: Int
        fileprivate let offset: Int
        fileprivate let checksums: Int
        fileprivate let firstBlock: Int
    }

    /// Finds a section by name.
    /// - Throws: `StoreError.damaged` without the section.
    public func part(_ name: String) throws -> Part {
        guard let index = sections.firstIndex(where: { $0.name == name }) else {
            throw StoreError(.damaged, "\(path) has no section \(name)")
        }
        let section = sections[index]
        return Part(
            index: index, byteCount: section.byteCount, offset: section.offset,
            checksums: section.checksums, firstBlock: section.firstBlock)
    }

    /// Reads a range of a section's bytes.
    /// - Throws: `StoreError.damaged` outside of the section, or where a block's checksum does not fit.
    public func withBytes<Result>(
        _ name: String, _ range: Range<Int>, _ body: (UnsafeRawBufferPointer) throws -> Result
    ) throws -> Result {
        try withBytes(try part(name), range, body)
    }

    /// Reads a range of a section's bytes.
    /// - Parameters:
    ///   - part: Of this very file.
    ///   - body: May see zeros in a file that is being lost; then what it returns is thrown away. It changes nothing
    ///     outside of it that must be right.
    /// - Throws: `StoreError.damaged` outside of the section, or where a block's checksum does not fit.
    public func withBytes<Result>(
        _ part: Part, _ range: Range<Int>, _ body: (UnsafeRawBufferPointer) throws -> Result
    ) throws -> Result {
        let result = try body(try bytes(part, range))
        guard !isLost else { throw Self.loss(path) }
        return result
    }

    /// Reads values one by one, as a chain leads from one to the next, and looks once whether the file is still whole.
    /// - Parameter body: Gets the file's values and keeps them no longer than it runs. As above, it may see zeros.
    /// - Throws: `StoreError.damaged` as above.
    func reading<Result>(_ body: (Values) throws -> Result) throws -> Result {
        let result = try body(Values(file: self))
        guard !isLost else { throw Self.loss(path) }
        return result
    }

    /// The values of a file while it is read.
    struct Values {
        fileprivate let file: ContainerFile

        /// - Parameter offset: In bytes from the beginning of the part.
        /// - Throws: `StoreError.damaged` as `withBytes` does; whether the file was lost is asked by `reading`.
        @inline(__always)
        func value<Value: BitwiseCopyable>(
            _ part: Part, at offset: Int, as type: Value.Type
        ) throws -> Value {
            try file.bytes(part, offset..<offset + MemoryLayout<Value>.size)
                .loadUnaligned(as: type)
        }
    }

    @inline(__always)
    private func bytes(_ part: Part, _ range: Range<Int>) throws -> UnsafeRawBufferPointer {
        guard range.lowerBound >= 0, range.upperBound <= part.byteCount else {
            throw absence(part, range)
        }
        // Most reads are of a few bytes, in a block that was read before.
        let block = range.lowerBound / ContainerFormat.blockByteCount
        if range.isEmpty || (range.upperBound - 1) / ContainerFormat.blockByteCount != block
            || !checked.contains(part.firstBlock + block)
        {
            try check(part, range)
        }
        return UnsafeRawBufferPointer(
            start: memory + part.offset + range.lowerBound, count: range.count)
    }

    @inline(never)
    private func absence(_ part: Part, _ range: Range<Int>) -> StoreError {
        StoreError(
            .damaged,
            "\(path): bytes \(range) of section \(sections[part.index].name) are not there")
    }

    /// What the file says of a section's blocks: CRC-32C of each.
    /// - Throws: `StoreError.damaged`.
    public func checksums(_ part: Part) throws -> [UInt32] {
        let count = ContainerFormat.blockCount(part.byteCount)
        let checksums = (0..<count).map { expected(part, $0) }
        guard !isLost else { throw Self.loss(path) }
        return checksums
    }

    /// A section's bytes, copied.
    public func bytes(_ name: String) throws -> [UInt8] {
        try withBytes(name, 0..<byteCount(name)) { Array($0) }
    }

    @inline(never)
    private func check(_ part: Part, _ range: Range<Int>) throws {
        guard !range.isEmpty else { return }
        var block = range.lowerBound / ContainerFormat.blockByteCount
        let last = (range.upperBound - 1) / ContainerFormat.blockByteCount
        while block <= last {
            if checked.contains(part.firstBlock + block) {
                block += 1
            } else if block + 2 <= last,
                (block + 3) * ContainerFormat.blockByteCount <= part.byteCount
            {
                try checkThree(part, block)
                block += 3
            } else {
                try check(part, block)
                block += 1
            }
        }
    }

    private func expected(_ part: Part, _ block: Int) -> UInt32 {
        UInt32(
            littleEndian: (memory + part.checksums + 4 * block).loadUnaligned(as: UInt32.self))
    }

    private func damage(_ part: Part, _ block: Int) -> StoreError {
        StoreError(
            .damaged, "\(path): block \(block) of section \(sections[part.index].name) is damaged")
    }

    private func check(_ part: Part, _ block: Int) throws {
        let place = part.offset + block * ContainerFormat.blockByteCount
        let count = min(
            ContainerFormat.blockByteCount,
            part.byteCount - block * ContainerFormat.blockByteCount)
        let bytes = UnsafeRawBufferPointer(start: memory + place, count: count)
        guard CRC32C.checksum(bytes) == expected(part, block) else {
            throw damage(part, block)
        }
        checked.insert(part.firstBlock + block)
    }

    /// Three whole blocks, whether some were checked before or not.
    private func checkThree(_ part: Part, _ first: Int) throws {
        let start = memory + part.offset + first * ContainerFormat.blockByteCount
        let found = CRC32C.checksums(ofThree: start, byteCount: ContainerFormat.blockByteCount)
        for (block, checksum) in zip(first..., [found.0, found.1, found.2]) {
            guard checksum == expected(part, block) else { throw damage(part, block) }
            checked.insert(part.firstBlock + block)
        }
    }
}

/// A set of block numbers that threads share without a lock.
private final class CheckedBlocks: Sendable {
    // Safe to share: allocated once, atomic words, freed with its owner.
    private nonisolated(unsafe) let words: UnsafeMutablePointer<Atomic<UInt64>>
    private let wordCount: Int

    init(count: Int) {
        wordCount = count / 64 + 1
        words = .allocate(capacity: wordCount)
        for index in 0..<wordCount { (words + index).initialize(to: Atomic(0)) }
    }

    deinit {
        words.deinitialize(count: wordCount)
        words.deallocate()
    }

    @inline(__always)
    func contains(_ block: Int) -> Bool {
        words[block >> 6].load(ordering: .relaxed) & (1 << UInt64(block & 63)) != 0
    }

    func insert(_ block: Int) {
        words[block >> 6].bitwiseOr(1 << UInt64(block & 63), ordering: .relaxed)
    }
}
