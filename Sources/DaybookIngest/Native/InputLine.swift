import DaybookEvents

/// A line of a file that has ended and was not read yet; of delimited text a row, which may go over several lines.
public struct InputLine: Sendable {
    /// 1-based; of a row that of its first line.
    package var number: Int
    /// Of a line that is too long only the beginning.
    package var bytes: [UInt8]
    /// How many bytes it has, kept or not.
    package var byteCount: Int
    /// Which of the rows it is, from 1 on; 0 where they are not counted.
    package var row = 0

    package init(number: Int, bytes: [UInt8], byteCount: Int, row: Int = 0) {
        self.number = number
        self.bytes = bytes
        self.byteCount = byteCount
        self.row = row
    }

    /// What is told of a line that is longer than any event may be.
    package var problemOfLength: LineProblem? {
        guard byteCount > bytes.count else { return nil }
        return LineProblem(
            line: number, column: 1, code: "too_large",
            reason:
                "the line has \(byteCount) bytes, more than \(EventBounds.lineByteCountMax); only its beginning is kept",
            bytes: bytes)
    }
}

/// What makes events of the lines of a file.
package protocol LineReader: Sendable {
    /// The lines that end in the next bytes of the file, blank ones left out; `read` says what they are, in any order
    /// and on any thread.
    mutating func split(_ piece: [UInt8]) -> [InputLine]
    /// What is left at the end of the file: one line, or none.
    mutating func lastLine() -> [InputLine]
    /// The events of a line, of an order one for each item.
    func events(of line: InputLine) throws(LineProblem) -> [ReadEvent]
}

extension LineReader {
    /// - Returns: The line's events.
    package func read(_ line: InputLine) -> Result<[ReadEvent], LineProblem> {
        Result { () throws(LineProblem) in try events(of: line) }
    }
}

/// Bytes of a line that has not ended, of which no more are kept than an event may have.
package struct PendingLine: Sendable {
    /// Of a longer line this much is kept, to recognise it by.
    private static let excerptByteCount = 1_024

    private(set) var bytes: [UInt8] = []
    /// How many bytes were not kept; 0 for any line that may be an event.
    private var droppedByteCount = 0

    var isEmpty: Bool { bytes.isEmpty }

    mutating func keep(_ slice: ArraySlice<UInt8>) {
        if droppedByteCount == 0, bytes.count + slice.count <= EventBounds.lineByteCountMax {
            bytes += slice
            return
        }
        droppedByteCount += bytes.count + slice.count
        bytes += slice.prefix(Self.excerptByteCount)
        bytes = Array(bytes.prefix(Self.excerptByteCount))
        droppedByteCount -= bytes.count
    }

    /// Takes the line, and begins the next.
    /// - Returns: `nil` for a blank one.
    mutating func end(line number: Int) -> InputLine? {
        defer { self = PendingLine() }
        let bytes = number == 1 ? NDJSONReader.withoutByteOrderMark(bytes) : bytes
        let isWhole = droppedByteCount == 0
        if isWhole, bytes.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) { return nil }
        return InputLine(
            number: number, bytes: bytes, byteCount: bytes.count + droppedByteCount)
    }
}
