import DaybookEvents

/// Makes the ids under which requests are logged and told.
enum RequestName {
    /// 16 hexadecimal digits.
    static func make() -> String {
        Digest.hexadecimal(UInt64.random(in: 0...UInt64.max))
    }
}
