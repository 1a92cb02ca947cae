/// Names for things that the caller did not name.
enum RandomName {
    static func make(_ prefix: String) -> String {
        let number = UInt64.random(in: 0...UInt64.max)
        let digits = String(number, radix: 16)
        return prefix + "-" + String(repeating: "0", count: 16 - digits.count) + digits
    }
}
