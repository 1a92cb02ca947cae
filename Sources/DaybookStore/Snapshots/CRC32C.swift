/// CRC-32C (Castagnoli, RFC 3720 appendix B.4), eight bytes at a time.
public enum CRC32C {
    private static let tables: [[UInt32]] = {
        var tables = [[UInt32]](repeating: [UInt32](repeating: 0, count: 256), count: 8)
        for index in 0..<256 {
            var value = UInt32(index)
            for _ in 0..<8 { value = value & 1 == 1 ? value >> 1 ^ 0x82F6_3B78 : value >> 1 }
            tables[0][index] = value
        }
        for index in 0..<256 {
            for table in 1..<8 {
                let before = tables[table - 1][index]
                tables[table][index] = before >> 8 ^ tables[0][Int(before & 0xFF)]
            }
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
                crc = tables[7][Int(mixed & 0xFF)] ^ tables[6][Int(mixed >> 8 & 0xFF)]
                crc ^= tables[5][Int(mixed >> 16 & 0xFF)] ^ tables[4][Int(mixed >> 24)]
                crc ^= tables[3][Int(rest & 0xFF)] ^ tables[2][Int(rest >> 8 & 0xFF)]
                crc ^= tables[1][Int(rest >> 16 & 0xFF)] ^ tables[0][Int(rest >> 24)]
                index += 8
            }
            while index < bytes.count {
                crc = crc >> 8 ^ tables[0][Int((crc ^ UInt32(bytes[index])) & 0xFF)]
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
