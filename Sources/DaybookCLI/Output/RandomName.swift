import DaybookEvents

/// Names for things that the caller did not name.
enum RandomName {
    static func make(_ prefix: String) -> String {
        "\(prefix)-\(Digest.hexadecimal(UInt64.random(in: 0...UInt64.max)))"
    }
}
