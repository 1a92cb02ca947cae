import DaybookEvents

/// Makes the ids under which requests are logged and told.
enum RequestName {
    /// 16 hexadecimal digits.
    static func make() -> String {
        let number = UInt64.random(in: 0...UInt64.max)
        return Digest.hexadecimal(
            (0..<8).map { UInt8(truncatingIfNeeded: number >> UInt64(8 * $0)) })
    }
}
