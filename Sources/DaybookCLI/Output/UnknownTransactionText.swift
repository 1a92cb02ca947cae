/// What `record` and `import` say of a refund that has met no purchase.
enum UnknownTransactionText {
    /// - Parameter name: `apple:2000000123`.
    static func text(_ name: String, _ terminal: Terminal) -> HumanText {
        "\(terminal.paint("!", .warning)) \(name) was taken back and is not known (yet): nothing ends until its purchase is recorded; an order with items is refunded by its items\n"
    }
}
