/// Writes short texts of digits straight into the memory of a string.
///
/// Building them from pieces would allocate once for each piece.
struct ASCIIWriter {
    /// The longest text is `-9999-12-31T23:59:59.999+23:59`, 30 bytes.
    private static let capacity = 32

    private let bytes: UnsafeMutableBufferPointer<UInt8>
    private var count = 0

    private init(_ bytes: UnsafeMutableBufferPointer<UInt8>) {
        self.bytes = bytes
    }

    /// Makes a string from what a closure appends, at most 32 bytes.
    static func text(_ body: (inout ASCIIWriter) -> Void) -> String {
        // Invariant: the pointer lives in this closure only, every append is checked against the
        // capacity, and exactly `count` bytes have been initialised, from the front.
        String(unsafeUninitializedCapacity: capacity) { bytes in
            var writer = ASCIIWriter(bytes)
            body(&writer)
            return writer.count
        }
    }

    /// Appends one ASCII character.
    mutating func append(_ character: Unicode.Scalar) {
        append(byte: UInt8(ascii: character))
    }

    /// Appends a number with leading zeros; more digits than asked for are cut off at the front.
    mutating func append(_ number: Int, digits: Int) {
        var divisor = 1
        for _ in 1..<digits { divisor *= 10 }
        while divisor > 0 {
            append(byte: UInt8(ascii: "0") + UInt8(number / divisor % 10))
            divisor /= 10
        }
    }

    /// Appends year and month, `2026-03`.
    mutating func append(yearAndMonthOf date: CivilDate) {
        if date.year < 0 { append("-") }
        append(abs(date.year), digits: 4)
        append("-")
        append(date.month, digits: 2)
    }

    private mutating func append(byte: UInt8) {
        precondition(count < bytes.count, "A calendar text is at most 32 bytes long.")
        bytes.initializeElement(at: count, to: byte)
        count += 1
    }
}
