import DaybookEvents

// The container of every derived file: snapshots, key lookup arrays and segments. Little-endian.
//
// offset  size  field
//      0     8  magic "DAYBOOK" and 0x01
//      8     4  format version, 3
//     12     4  kind: 1 snapshot, 2 key lookup array, 3 segment
//     16     8  fingerprint of whatever gives the contents their meaning
//     24     8  ledger: first 64 bits of the SHA-256 of the ledger id
//     32     8  first position covered; 0 in a snapshot
//     40     8  cut: last position covered
//     48     8  epoch of the ledger when the file was written
//     56     8  how many names the history at the cut has
//     64     8  how many streams
//     72    32  hash of the history at the cut with so many names and streams (`HistoryCursor`)
//    104    32  snapshot: state digest at the cut; segment: SHA-256 of its events; else zeros
//    136     4  section count n
//    140     4  CRC-32C of bytes 0 … 143+56n with this field zero
//    144   56n  sections: name (16, zero-padded), fingerprint (8), offset (8), byte count (8),
//               element count (8), checksum offset (8)
//      …        each section from a multiple of 64 on, zeros before it: its bytes, then CRC-32C of every block of
//               65,536 bytes, 4 bytes each
//
// Valid only if magic, version, kind and header checksum fit, the fingerprint and ledger are the expected ones,
// the ledger confirms the history, and every section lies within the file. A section with another fingerprint is not
// used; the rest is. Blocks are checked when they are first read. Files are written under a temporary name, synced,
// renamed, and the folder synced, so that a file with its final name is whole.

/// What a derived file says about itself.
public struct ContainerHeader: Sendable, Equatable {
    /// What a derived file is for; the numbers stand in the file.
    public enum Kind: UInt32, Sendable { case snapshot = 1, keys = 2, segment = 3 }

    /// What the file is for.
    public var kind: Kind
    /// Of whatever gives the contents their meaning; a file with another one is not used.
    public var fingerprint: UInt64
    /// The first 64 bits of the SHA-256 of the ledger's id.
    public var ledger: UInt64
    /// Inclusive; 0 for snapshots.
    public var firstPosition: Int64
    /// What the file was made from: the name of everything up to the last position that it covers.
    public var history: HistoryPoint
    /// 32 bytes.
    public var stateDigest: [UInt8]

    /// Creates a header; nothing is checked. The digest has 32 bytes, and is zeros where a file has none.
    public init(
        kind: Kind, fingerprint: UInt64, ledger: UInt64, firstPosition: Int64,
        history: HistoryPoint, stateDigest: [UInt8] = [UInt8](repeating: 0, count: 32)
    ) {
        self.kind = kind
        self.fingerprint = fingerprint
        self.ledger = ledger
        self.firstPosition = firstPosition
        self.history = history
        self.stateDigest = stateDigest
    }

    /// The last position that the file covers, inclusive.
    public var cut: Int64 { history.position }
}

/// One named part of a container.
public struct ContainerSection: Sendable {
    /// Gives a section's bytes, the same ones each time that it is asked.
    package typealias Content = @Sendable (inout SectionWriter) throws -> Void

    /// At most 16 bytes of UTF-8.
    public var name: String
    /// What gives this section's bytes their meaning, beyond the header's fingerprint; 0 for nothing.
    public var fingerprint: UInt64
    /// How many elements so many bytes hold; kept for readers, and not compared with the bytes.
    private let elementCount: @Sendable (_ byteCount: Int) -> Int
    private let content: Content

    /// Creates a section of bytes that lie in memory; nothing is checked, and a longer name is cut to 16 bytes when it
    /// is written.
    /// - Parameter bytes: The contents, without padding and checksums.
    public init(name: String, fingerprint: UInt64 = 0, elementCount: Int, bytes: [UInt8]) {
        self.name = name
        self.fingerprint = fingerprint
        self.elementCount = { _ in elementCount }
        content = { $0.append(bytes) }
    }

    /// Creates a section whose bytes are made while they are written, so that all of them are never in memory.
    /// - Parameter elementByteCount: 1 or more.
    package init(
        name: String, fingerprint: UInt64 = 0, elementByteCount: Int, content: @escaping Content
    ) {
        self.name = name
        self.fingerprint = fingerprint
        elementCount = { $0 / elementByteCount }
        self.content = content
    }

    /// What was given of a section.
    fileprivate struct Written {
        var byteCount: Int
        var elementCount: Int
        /// Of every block.
        var checksums: [UInt32]
    }

    fileprivate func write(
        _ take: @escaping (UnsafeRawBufferPointer) throws -> Void
    ) throws -> Written {
        var writer = SectionWriter(take)
        try content(&writer)
        try writer.finish()
        return Written(
            byteCount: writer.byteCount, elementCount: elementCount(writer.byteCount),
            checksums: writer.checksums)
    }

    /// All of its bytes in memory, with the checksums of their blocks.
    package func collected() throws -> (bytes: [UInt8], checksums: [UInt32]) {
        final class Collection {
            var bytes: [UInt8] = []
        }
        let all = Collection()
        let checksums = try write { all.bytes += $0 }.checksums
        return (all.bytes, checksums)
    }
}

/// Little-endian numbers appended to bytes.
public struct ByteWriter {
    /// What was appended so far.
    public private(set) var bytes: [UInt8] = []

    /// - Parameter byteCount: Of what will be appended, where it is known: a large array that grows is there twice.
    public init(byteCount: Int = 0) { bytes.reserveCapacity(byteCount) }

    /// Appends a number, in as many bytes as its type has.
    public mutating func append(_ value: some FixedWidthInteger) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    /// Appends bytes as they are.
    public mutating func append(_ other: [UInt8]) { bytes += other }
}

enum ContainerFormat {
    static let magic = Array("DAYBOOK".utf8) + [0x01]
    static let version: UInt32 = 3
    static let headerByteCount = 144
    static let countOffset = 136
    static let checksumOffset = 140
    static let sectionByteCount = 56
    static let blockByteCount = 65_536
    static let sectionCountMax = 64
    /// Sections begin at multiples of this: a cache line, so that records of its size lie in one.
    static let alignment = 64

    static func aligned(_ offset: Int) -> Int { (offset + alignment - 1) / alignment * alignment }

    static func blockCount(_ byteCount: Int) -> Int {
        (byteCount + blockByteCount - 1) / blockByteCount
    }
}

/// Writes containers: whole under the final name, or not at all.
public enum ContainerWriter {
    /// - Parameters:
    ///   - sections: Written one after the other, a block at a time.
    ///   - model: A file that says who may read the new one: the ledger.
    ///   - confirm: Asked once all is written; where it throws, nothing is left.
    /// - Returns: How many bytes the sections have.
    /// - Throws: `StoreError` with the path, or an error of a section; nothing is left under the final name.
    @discardableResult
    public static func write(
        _ header: ContainerHeader, _ sections: [ContainerSection], to path: String,
        like model: String? = nil, confirm: () throws -> Void = {}
    ) throws -> Int {
        precondition(sections.count <= ContainerFormat.sectionCountMax, "too many sections")
        var byteCount = 0
        try DerivedFile.replace(path, like: model) { file in
            // Where sections lie, and how many bytes they have, is known once they are written.
            let frontByteCount =
                ContainerFormat.headerByteCount + sections.count * ContainerFormat.sectionByteCount
            try file.append([UInt8](repeating: 0, count: frontByteCount))
            var table = ByteWriter()
            for section in sections {
                let start = ContainerFormat.aligned(file.end)
                try file.append([UInt8](repeating: 0, count: start - file.end))
                let written = try section.write { try file.append($0) }
                var name = Array(section.name.utf8.prefix(16))
                name += [UInt8](repeating: 0, count: 16 - name.count)
                table.append(name)
                table.append(section.fingerprint)
                table.append(UInt64(start))
                table.append(UInt64(written.byteCount))
                table.append(UInt64(written.elementCount))
                table.append(UInt64(file.end))
                var sums = ByteWriter(byteCount: 4 * written.checksums.count)
                for checksum in written.checksums { sums.append(checksum) }
                try file.append(sums.bytes)
                byteCount += written.byteCount
            }
            var front = fixed(header, sectionCount: sections.count, checksum: 0) + table.bytes
            let checksum = CRC32C.checksum(front)
            let place = ContainerFormat.checksumOffset
            front.replaceSubrange(
                place..<place + 4, with: withUnsafeBytes(of: checksum.littleEndian, Array.init))
            try file.replaceFront(by: front)
            try confirm()
        }
        return byteCount
    }

    private static func fixed(
        _ header: ContainerHeader, sectionCount: Int, checksum: UInt32
    ) -> [UInt8] {
        var writer = ByteWriter()
        writer.append(ContainerFormat.magic)
        writer.append(ContainerFormat.version)
        writer.append(header.kind.rawValue)
        writer.append(header.fingerprint)
        writer.append(header.ledger)
        writer.append(header.firstPosition)
        writer.append(header.cut)
        writer.append(header.history.epoch)
        writer.append(header.history.nameCount)
        writer.append(header.history.streamCount)
        writer.append(header.history.hash.bytes)
        writer.append(header.stateDigest)
        writer.append(UInt32(sectionCount))
        writer.append(checksum)
        return writer.bytes
    }
}
