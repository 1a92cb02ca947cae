import CDaybook

/// CRC-32C (Castagnoli, RFC 3720 appendix B.4): by the processor where it can, else eight bytes at a time.
public enum CRC32C {
    private static let isBuiltIn = daybook_has_crc32c()

    /// Eight tables of 256 values, one after the other.
    private static let tables: [UInt32] = {
        var tables = [UInt32](repeating: 0, count: 8 * 256)
        for index in 0..<256 {
            var value = UInt32(index)
            for _ in 0..<8 { value = value & 1 == 1 ? value >> 1 ^ 0x82F6_3B78 : value >> 1 }
            tables[index] = value
        }
        for index in 256..<tables.count {
            let before = tables[index - 256]
            tables[index] = before >> 8 ^ tables[Int(before & 0xFF)]
        }
        return tables
    }()

    /// The checksum of some bytes.
    public static func checksum(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
        isBuiltIn ? daybook_crc32c(bytes.baseAddress, bytes.count) : tabled(bytes)
    }

    /// The checksums of three neighbouring ranges of one length.
    static func checksums(
        ofThree start: UnsafeRawPointer, byteCount: Int
    ) -> (UInt32, UInt32, UInt32) {
        let (second, third) = (start + byteCount, start + 2 * byteCount)
        guard isBuiltIn else {
            func tabled(_ place: UnsafeRawPointer) -> UInt32 {
                Self.tabled(UnsafeRawBufferPointer(start: place, count: byteCount))
            }
            return (tabled(start), tabled(second), tabled(third))
        }
        var sums: (UInt32, UInt32, UInt32) = (0, 0, 0)
        withUnsafeMutableBytes(of: &sums) { raw in
            daybook_crc32c_of_three(
                start, second, third, byteCount, raw.bindMemory(to: UInt32.self).baseAddress)
        }
        return sums
    }

    /// Without the processor's help.
    package static func tabled(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
        tables.withUnsafeBufferPointer { tables in
            var crc: UInt32 = 0xFFFF_FFFF
            var index = 0
            while index + 8 <= bytes.count {
                let low = bytes.loadUnaligned(fromByteOffset: index, as: UInt32.self)
                let high = bytes.loadUnaligned(fromByteOffset: index + 4, as: UInt32.self)
                let mixed = crc ^ UInt32(littleEndian: low)
                let rest = UInt32(littleEndian: high)
                crc = tables[0x700 | Int(mixed & 0xFF)] ^ tables[0x600 | Int(mixed >> 8 & 0xFF)]
                crc ^= tables[0x500 | Int(mixed >> 16 & 0xFF)] ^ tables[0x400 | Int(mixed >> 24)]
                crc ^= tables[0x300 | Int(rest & 0xFF)] ^ tables[0x200 | Int(rest >> 8 & 0xFF)]
                crc ^= tables[0x100 | Int(rest >> 16 & 0xFF)] ^ tables[Int(rest >> 24)]
                index += 8
            }
            while index < bytes.count {
                crc = crc >> 8 ^ tables[Int((crc ^ UInt32(bytes[index])) & 0xFF)]
                index += 1
            }
            return ~crc
        }
    }

    /// The checksum of some bytes.
    public static func checksum(_ bytes: [UInt8]) -> UInt32 {
        bytes.withUnsafeBytes { checksum($0) }
    }
}
