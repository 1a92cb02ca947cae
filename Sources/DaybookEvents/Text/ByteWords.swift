/// Eight bytes at a time, for scans of text that would take a branch for each byte.
enum ByteWords {
    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let tops: UInt64 = 0x8080_8080_8080_8080

    /// Whether one of a word's bytes is below a bound of at most 128.
    @inline(__always)
    static func holds(_ word: UInt64, below bound: UInt8) -> Bool {
        (word &- ones &* UInt64(bound)) & ~word & tops != 0
    }

    /// Whether one of a word's bytes is this one.
    @inline(__always)
    static func holds(_ word: UInt64, _ byte: UInt8) -> Bool {
        holds(word ^ ones &* UInt64(byte), below: 1)
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Whether a byte is there that the conditions look for.
    /// - Parameters:
    ///   - word: Whether it is among eight bytes.
    ///   - byte: The same of one byte.
    @inline(__always)
    func contains(word: (UInt64) -> Bool, byte: (UInt8) -> Bool) -> Bool {
        guard count >= 8, let bytes = UnsafeRawPointer(baseAddress) else {
            return contains(where: byte)
        }
        var offset = 0
        while offset < count - 8 {
            if word(bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)) { return true }
            offset += 8
        }
        // The last eight bytes, some of them perhaps for the second time.
        return word(bytes.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self))
    }

    /// Whether two texts of the same length have the same bytes.
    @inline(__always)
    func isSame(as other: UnsafeBufferPointer<UInt8>) -> Bool {
        guard count >= 8, let left = UnsafeRawPointer(baseAddress),
            let right = UnsafeRawPointer(other.baseAddress)
        else {
            for index in 0..<count where self[index] != other[index] { return false }
            return true
        }
        var offset = 0
        while true {
            let isLast = offset >= count - 8
            let place = isLast ? count - 8 : offset
            guard
                left.loadUnaligned(fromByteOffset: place, as: UInt64.self)
                    == right.loadUnaligned(fromByteOffset: place, as: UInt64.self)
            else { return false }
            if isLast { return true }
            offset += 8
        }
    }
}
