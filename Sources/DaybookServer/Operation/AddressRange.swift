import NIOCore

/// Addresses of a network, such as `10.0.0.0/8`, or one, such as `::1`.
public struct AddressRange: Sendable, Equatable {
    private let bytes: [UInt8]
    /// How many bits of the address are compared.
    private let bitCount: Int

    /// - Returns: `nil` for a text that is none.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let bytes = Self.bytes(try? SocketAddress(ipAddress: String(parts[0]), port: 0))
        else { return nil }
        self.bytes = bytes
        guard parts.count == 2 else {
            bitCount = 8 * bytes.count
            return
        }
        guard let count = Int(parts[1]), (0...8 * bytes.count).contains(count) else { return nil }
        bitCount = count
    }

    func contains(_ address: SocketAddress?) -> Bool {
        guard let other = Self.bytes(address), other.count == bytes.count else { return false }
        return (0..<bitCount).allSatisfy { bit in
            let mask = UInt8(0x80) >> (bit % 8)
            return bytes[bit / 8] & mask == other[bit / 8] & mask
        }
    }

    /// 4 or 16 bytes; an IPv4 address that is written as one of IPv6 (RFC 4291 §2.5.5.2) is that of IPv4.
    private static func bytes(_ address: SocketAddress?) -> [UInt8]? {
        switch address {
        case .v4(let address):
            return withUnsafeBytes(of: address.address.sin_addr) { Array($0) }
        case .v6(let address):
            let bytes = withUnsafeBytes(of: address.address.sin6_addr) { Array($0) }
            let isMapped =
                bytes.prefix(10).allSatisfy { $0 == 0 } && bytes[10...11] == [0xFF, 0xFF]
            return isMapped ? Array(bytes.suffix(4)) : bytes
        case .unixDomainSocket, nil: return nil
        }
    }
}
