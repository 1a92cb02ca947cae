package import DaybookIngest
import DaybookStore

/// The lines of a file that passed its dry run, until they are appended: in a file without a name, so that a file of
/// any length is imported in the memory of a short one.
///
/// ```
/// offset  size  field
///      0     4  CRC-32C of what follows
///      4     4  bytes of the line
///      8     8  number of the line
///     16     8  number of the row
///     24     4  events of the line
///     28     …  a bit for each event, whether it may be appended; the first one is the lowest of the first byte
///      …     …  the line
/// ```
/// Numbers are little-endian. The newest megabyte is in memory; a file that has no more is never written.
///
/// One thread at a time writes; any may read what lies before a place that the writer has told it.
package struct LineSpool {
    /// A line with its events that may be appended.
    package struct Line: Sendable {
        package var line: InputLine
        /// The places of these events among those of the line, ascending.
        package var kept: [Int]
        /// Where the next line stands.
        package var end: Int
    }

    private static let headByteCount = 28
    private static let bufferByteCount = 1 << 20

    package init() {}

    private var file: ScratchFile?
    /// What lies behind what was written.
    private var buffer: [UInt8] = []
    private var writtenCount = 0

    /// Where the next line will stand, in bytes.
    package var end: Int { writtenCount + buffer.count }

    /// Adds a line.
    /// - Parameters:
    ///   - eventCount: How many events it has.
    ///   - kept: Which of them may be appended, ascending.
    /// - Returns: Where it stands.
    /// - Throws: `StoreError.full` where there is no space.
    package mutating func append(_ line: InputLine, eventCount: Int, kept: [Int]) throws -> Int {
        let place = end
        guard place < HashedPlaces.placeEnd, let byteCount = UInt32(exactly: line.bytes.count)
        else { throw StoreError(.full, "the input is too long; import it in parts") }
        let start = buffer.count
        append(UInt32(0))
        append(byteCount)
        append(UInt64(line.number))
        append(UInt64(line.row))
        append(UInt32(eventCount))
        var bits = [UInt8](repeating: 0, count: (eventCount + 7) / 8)
        for index in kept { bits[index / 8] |= 1 << UInt8(index % 8) }
        buffer += bits
        buffer += line.bytes
        let sum = Self.checksum(buffer[(start + 4)...])
        for byte in 0..<4 { buffer[start + byte] = UInt8(truncatingIfNeeded: sum >> (8 * byte)) }
        if buffer.count >= Self.bufferByteCount { try flush() }
        return place
    }

    private mutating func append(_ number: some FixedWidthInteger) {
        withUnsafeBytes(of: number.littleEndian) { buffer += $0 }
    }

    private mutating func flush() throws {
        let file = try self.file ?? ScratchFile(for: "import")
        self.file = file
        try buffer.withUnsafeBytes { try file.write($0, at: writtenCount) }
        writtenCount += buffer.count
        buffer.removeAll(keepingCapacity: true)
    }

    /// The line at a place.
    /// - Throws: `StoreError.failed` where the file gives other bytes than were written.
    package func line(at place: Int) throws -> Line {
        let head = try bytes(Self.headByteCount, at: place)
        let byteCount = try byteCount(head, 0)
        guard byteCount <= end - place else { throw damage }
        return try line(bytes(byteCount, at: place), 0..<byteCount, place)
    }

    /// The lines from a place up to another one.
    /// - Throws: As `line(at:)`.
    package func lines(_ range: Range<Int>) throws -> [Line] {
        let bytes = try bytes(range.count, at: range.lowerBound)
        var lines: [Line] = []
        var start = 0
        while start < bytes.count {
            let end = start + (try byteCount(bytes, start))
            guard end <= bytes.count else { throw damage }
            lines.append(try line(bytes, start..<end, range.lowerBound + start))
            start = end
        }
        return lines
    }

    /// Of a whole line with what stands before it.
    private func byteCount(_ bytes: [UInt8], _ start: Int) throws -> Int {
        guard bytes.count - start >= Self.headByteCount else { throw damage }
        let (line, events) = (
            Self.number(bytes, start + 4, UInt32.self), Self.number(bytes, start + 24, UInt32.self)
        )
        return Self.headByteCount + (Int(events) + 7) / 8 + Int(line)
    }

    /// - Parameter range: Where the line stands in the bytes, with what stands before it.
    private func line(_ bytes: [UInt8], _ range: Range<Int>, _ place: Int) throws -> Line {
        let start = range.lowerBound
        guard
            Self.checksum(bytes[(start + 4)..<range.upperBound])
                == Self.number(bytes, start, UInt32.self)
        else { throw damage }
        let eventCount = Int(Self.number(bytes, start + 24, UInt32.self))
        let bits = start + Self.headByteCount
        let text = Array(bytes[(bits + (eventCount + 7) / 8)..<range.upperBound])
        return Line(
            line: InputLine(
                number: Int(Self.number(bytes, start + 8, UInt64.self)), bytes: text,
                byteCount: text.count, row: Int(Self.number(bytes, start + 16, UInt64.self))),
            kept: (0..<eventCount).filter { bytes[bits + $0 / 8] >> UInt8($0 % 8) & 1 == 1 },
            end: place + range.count)
    }

    private func bytes(_ count: Int, at place: Int) throws -> [UInt8] {
        let written = max(0, min(count, writtenCount - place))
        let start = max(0, place - writtenCount)
        guard count - written <= buffer.count - start else { throw damage }
        let old = written > 0 ? try file?.read(written, at: place) ?? [] : []
        return old + buffer[start..<start + count - written]
    }

    private var damage: StoreError {
        StoreError(
            .failed, "a temporary file gives other bytes than were written; look at its disk")
    }

    private static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        bytes.withUnsafeBytes { CRC32C.checksum($0) }
    }

    private static func number<Number: FixedWidthInteger>(
        _ bytes: [UInt8], _ offset: Int, _: Number.Type
    ) -> Number {
        bytes.withUnsafeBytes {
            Number(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: Number.self))
        }
    }
}
