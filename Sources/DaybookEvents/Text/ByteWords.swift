/// Eight bytes at a time, for scans of text that would take a branch for each byte.
package enum ByteWords {
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

    /// Where a byte stands first, from a place on; `nil`: nowhere.
    package static func firstIndex(of byte: UInt8, in bytes: [UInt8], from start: Int) -> Int? {
        bytes.withUnsafeBytes { raw in
            var index = start
            while index <= raw.count - 8,
                !holds(raw.loadUnaligned(fromByteOffset: index, as: UInt64.self), byte)
            {
                index += 8
            }
            while index < raw.count, raw[index] != byte { index += 1 }
            return index < raw.count ? index : nil
        }
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

extension UnsafeMutableRawBufferPointer {
    /// Copies bytes to a place; a few of them without a call.
    /// - Precondition: There is room for them.
    @inline(__always)
    func copy(_ bytes: UnsafeBufferPointer<UInt8>, at offset: Int) {
        precondition(offset >= 0 && bytes.count <= count - offset, "the bytes do not fit")
        guard let source = UnsafeRawPointer(bytes.baseAddress),
            let target = baseAddress?.advanced(by: offset)
        else { return }
        switch bytes.count {
        case 0: break
        case 1: target.storeBytes(of: bytes[0], as: UInt8.self)
        case 2...3: Self.copyEnds(source, target, bytes.count, UInt16.self)
        case 4...7: Self.copyEnds(source, target, bytes.count, UInt32.self)
        case 8...16: Self.copyEnds(source, target, bytes.count, UInt64.self)
        case 17...32: Self.copyEnds(source, target, bytes.count, SIMD2<UInt64>.self)
        default: target.copyMemory(from: source, byteCount: bytes.count)
        }
    }

    /// Copies the first and the last word of some bytes, which are all of them.
    @inline(__always)
    private static func copyEnds<Word: BitwiseCopyable>(
        _ source: UnsafeRawPointer, _ target: UnsafeMutableRawPointer, _ count: Int, _: Word.Type
    ) {
        let last = count - MemoryLayout<Word>.size
        let ends = (
            source.loadUnaligned(as: Word.self),
            source.loadUnaligned(fromByteOffset: last, as: Word.self)
        )
        target.storeBytes(of: ends.0, as: Word.self)
        target.storeBytes(of: ends.1, toByteOffset: last, as: Word.self)
    }
}
