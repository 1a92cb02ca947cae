import CDaybook
import Foundation

/// A file's bytes, mapped as long as this object lives. Derived files are replaced and never changed in place.
final class PlainFile {
    private let memory: UnsafeMutableRawPointer?
    private let byteCount: Int
    /// Among the mappings whose faults are survived: of a file that is cut short meanwhile zeros are read, which no
    /// checksum fits.
    private let mapping: CInt

    /// - Returns: `nil` for a file that is not there any more.
    init?(path: String) throws(PlainContainer.Refusal) {
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw .problem("it cannot be read: \(String(cString: strerror(errno)))")
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw .problem("it is no file")
        }
        let size = Int(status.st_size)
        guard size > 0 else {
            memory = nil
            byteCount = 0
            mapping = -1
            return
        }
        guard let mapped = mmap(nil, size, PROT_READ, MAP_PRIVATE, descriptor, 0),
            mapped != MAP_FAILED
        else { throw .problem("it cannot be mapped: \(String(cString: strerror(errno)))") }
        memory = mapped
        byteCount = size
        mapping = daybook_mapping_add(mapped, size)
    }

    deinit {
        daybook_mapping_remove(mapping)
        if let memory { munmap(memory, byteCount) }
    }

    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: memory, count: byteCount) }
}

extension UnsafeRawBufferPointer {
    /// A little-endian number.
    /// - Precondition: It lies within.
    @inline(__always)
    func plain<Value: FixedWidthInteger>(_ offset: Int, as: Value.Type = Value.self) -> Value {
        Value(littleEndian: loadUnaligned(fromByteOffset: offset, as: Value.self))
    }

    /// One of four bytes, such as that of a name.
    @inline(__always)
    func plainName(_ offset: Int) -> Int64 { Int64(plain(offset, as: UInt32.self)) }
}

/// A derived file, read by the format that stands at the top of `Container.swift`.
final class PlainContainer {
    /// Why a file is not looked into.
    enum Refusal: Error {
        /// It is damaged.
        case problem(String)
        /// It is sound, as far as can be told, and of another build, ledger or end.
        case note(String)

        /// Refuses a damaged file, of which something does not hold.
        static func require(_ holds: Bool, _ problem: @autoclosure () -> String) throws(Refusal) {
            if !holds { throw .problem(problem()) }
        }
    }

    struct Section {
        var bytes: UnsafeRawBufferPointer
        var elementCount: Int
    }

    let name: String
    let kind: UInt32
    let fingerprint: UInt64
    let ledger: UInt64
    let first: Int64
    let cut: Int64
    let nameCount: Int64
    let streamCount: Int64
    let hash: PlainHash
    let digest: [UInt8]
    private let file: PlainFile
    private let places: [(name: String, start: Int, count: Int, elements: Int, checksums: Int)]

    /// Reads the header; sections are read by `sections`.
    init(_ file: PlainFile, name: String) throws(Refusal) {
        let raw = file.bytes
        self.file = file
        self.name = name
        let isDerived = raw.count >= 144 && raw[0..<8].elementsEqual(Array("DAYBOOK".utf8) + [1])
        try Refusal.require(isDerived, "it is no derived file")
        let version: UInt32 = raw.plain(8)
        guard version == 3 else {
            // Older builds wrote 1 and 2; whatever a newer one writes is not known here.
            if 1...2 ~= version { throw .note("format version \(version)") }
            throw .problem("its format version is \(version)")
        }
        let count = Int(raw.plain(136, as: UInt32.self))
        let front = 144 + 56 * count
        try Refusal.require(count <= 64 && front <= raw.count, "its table of sections lies outside")
        let whole = UnsafeRawBufferPointer(rebasing: raw[0..<front])
        let checksum = PlainChecksum.of(whole, zeroed: 140..<144)
        try Refusal.require(checksum == raw.plain(140), "its header's checksum does not fit")
        kind = raw.plain(12)
        fingerprint = raw.plain(16)
        ledger = raw.plain(24)
        first = raw.plain(32)
        cut = raw.plain(40)
        nameCount = raw.plain(56)
        streamCount = raw.plain(64)
        hash = PlainHash(UnsafeRawBufferPointer(rebasing: raw[72..<104])) ?? PlainHash()
        digest = Array(raw[104..<136])
        var places: [(name: String, start: Int, count: Int, elements: Int, checksums: Int)] = []
        var end = front
        for index in 0..<count {
            let base = 144 + 56 * index
            let numbers = (0..<4).map { raw.plain(base + 24 + 8 * $0, as: UInt64.self) }
            let limit = UInt64(raw.count)
            try Refusal.require(
                numbers.allSatisfy { $0 <= limit }, "section \(index) lies outside")
            let (start, size, checksums) = (Int(numbers[0]), Int(numbers[1]), Int(numbers[3]))
            let behind = checksums + 4 * ((size + 65_535) / 65_536)
            try Refusal.require(
                start % 64 == 0 && start + size == checksums && behind <= raw.count,
                "section \(index) lies outside")
            end = max(end, behind)
            places.append(
                (
                    String(decoding: raw[base..<base + 16].prefix { $0 != 0 }, as: UTF8.self),
                    start, size, Int(numbers[2]), checksums
                ))
        }
        try Refusal.require(end == raw.count, "\(raw.count - end) bytes follow its last section")
        self.places = places
    }

    /// All sections, every block checked; they are valid as long as this object lives.
    func sections() throws(Refusal) -> [String: Section] {
        let raw = file.bytes
        var sections: [String: Section] = [:]
        for place in places {
            let bytes = UnsafeRawBufferPointer(rebasing: raw[place.start..<place.checksums])
            for (block, start) in stride(from: 0, to: place.count, by: 65_536).enumerated() {
                let end = min(start + 65_536, place.count)
                let found = PlainChecksum.of(UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
                guard found == raw.plain(place.checksums + 4 * block, as: UInt32.self) else {
                    throw .problem("block \(block) of section \(place.name) is damaged")
                }
            }
            sections[place.name] = Section(bytes: bytes, elementCount: place.elements)
        }
        return sections
    }

    /// A section that consists of elements of one size.
    static func column(
        _ sections: [String: Section], _ name: String, _ size: Int, count: Int? = nil
    ) throws(Refusal) -> UnsafeRawBufferPointer {
        guard let section = sections[name] else { throw .problem("section \(name) is missing") }
        guard section.bytes.count == section.elementCount * size,
            count == nil || count == section.elementCount
        else { throw .problem("section \(name) has a wrong size") }
        return section.bytes
    }
}
