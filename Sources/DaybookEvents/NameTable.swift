/// The names of a ledger by number, in order of first use; numbers are dense and start at 1.
///
/// Numbers are this ledger's own business: they never decide an order and never reach a digest.
public struct NameTable: Sendable {
    private var texts: [String] = [""]
    private var ids: [ExactText: NameID] = [:]

    public init() {}

    /// How many names there are.
    public var count: Int { texts.count - 1 }

    /// The text of a name; "" for 0 and for numbers that were never given.
    public subscript(id: NameID) -> String {
        Int(id) < texts.count ? texts[Int(id)] : ""
    }

    /// The number of a text; `nil` when it was never interned.
    public func id(of text: String) -> NameID? {
        text.isEmpty ? 0 : ids[ExactText(text)]
    }

    /// The number of a text, given now if need be.
    public mutating func intern(_ text: String) -> NameID {
        if text.isEmpty { return 0 }
        if let id = ids[ExactText(text)] { return id }
        let id = NameID(texts.count)
        texts.append(text)
        ids[ExactText(text)] = id
        return id
    }

    /// The texts with numbers above `id`, in order.
    public func texts(after id: Int) -> ArraySlice<String> { texts[(id + 1)...] }

    /// Forgets every name above `count`: a commit that gave them failed.
    public mutating func truncate(to count: Int) {
        while texts.count - 1 > count {
            ids[ExactText(texts.removeLast())] = nil
        }
    }
}
