/// The first names of a ledger where they lie elsewhere, such as in a mapped file: numbers 1 to `count`.
public protocol NameBase: AnyObject, Sendable {
    var count: Int { get }
    /// - Parameter id: 1 to `count`.
    func text(of id: NameID) -> String
    /// Lends the text's UTF-8.
    func withUTF8(of id: NameID, _ body: (UnsafeBufferPointer<UInt8>) -> Void)
    /// The number of a text; `nil` where it is not among them.
    func id(of text: String) -> NameID?
}

/// The names of a ledger by number, in order of first use; numbers are dense and start at 1.
///
/// Numbers are this ledger's own business: they never decide an order and never reach a digest.
public struct NameTable: Sendable {
    private let base: (any NameBase)?
    private let baseCount: Int
    /// Those above the base, in order.
    private var added: [String] = []
    private var ids: [ExactText: NameID] = [:]

    /// - Parameter base: The first names; the table only adds to them.
    public init(base: (any NameBase)? = nil) {
        self.base = base
        baseCount = base?.count ?? 0
    }

    /// How many names there are.
    public var count: Int { baseCount + added.count }

    /// The text of a name; "" for 0 and for numbers that were never given.
    public subscript(id: NameID) -> String {
        let index = Int(id) - baseCount - 1
        if index >= 0 { return index < added.count ? added[index] : "" }
        return id == 0 ? "" : base?.text(of: id) ?? ""
    }

    /// Lends a name's UTF-8; nothing for a number that was never given.
    public func withUTF8(of id: NameID, _ body: (UnsafeBufferPointer<UInt8>) -> Void) {
        if let base, id >= 1, Int(id) <= baseCount { return base.withUTF8(of: id, body) }
        var text = self[id]
        text.withUTF8 { body($0) }
    }

    /// The number of a text; `nil` when it was never interned.
    public func id(of text: String) -> NameID? {
        text.isEmpty ? 0 : ids[ExactText(text)] ?? base?.id(of: text)
    }

    /// The number of a text, given now if need be.
    public mutating func intern(_ text: String) -> NameID {
        if let id = id(of: text) { return id }
        added.append(text)
        let id = NameID(count)
        ids[ExactText(text)] = id
        return id
    }

    /// The texts with numbers above `id`, in order.
    /// - Parameter id: At least as many as the base has.
    public func texts(after id: Int) -> ArraySlice<String> { added[(id - baseCount)...] }

    /// Forgets every name above `count`, which is at least as many as the base has: a commit that gave them failed.
    public mutating func truncate(to count: Int) {
        while self.count > count, let last = added.popLast() { ids[ExactText(last)] = nil }
    }
}
