/// CRC-32C (Castagnoli, RFC 3720 appendix B.4), eight bytes at a time.
public enum CRC32C {
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
