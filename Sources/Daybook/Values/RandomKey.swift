import DaybookEvents

/// The key of a request that brought none.
enum RandomKey {
    /// A random UUID, version 4 (RFC 9562 §5.4), in lower case.
    static func make() -> String {
        var generator = SystemRandomNumberGenerator()
        let (left, right): (UInt64, UInt64) = (generator.next(), generator.next())
        let high = (left & 0xFFFF_FFFF_FFFF_0FFF) | 0x4000
        let low = (right & 0x3FFF_FFFF_FFFF_FFFF) | 0x8000_0000_0000_0000
        return UUIDText.format((high, low))
    }
}
