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
///
/// Readers hold a copy while a commit adds names. So full layers are never changed but put together two and two, as
/// large as each other, and a name that is added copies the last layer at most.
public struct NameTable: Sendable {
    private final class Full: Sendable {
        let layer: NameLayer
        init(_ layer: NameLayer) { self.layer = layer }
    }

    /// How many names the last layer may have.
    static let layerCountMax = 64

    private let base: (any NameBase)?
    private let baseCount: Int
    /// Those above the base, in order.
    private var full: [Full] = []
    private var last: NameLayer

    /// - Parameter base: The first names; the table only adds to them.
    public init(base: (any NameBase)? = nil) {
        self.base = base
        baseCount = base?.count ?? 0
        last = NameLayer(after: baseCount)
    }

    /// How many names there are.
    public var count: Int { last.end }

    /// How many of them are in memory, above the base.
    public var heldCount: Int { count - baseCount }

    /// The text of a name; "" for 0 and for numbers that were never given.
    public subscript(id: NameID) -> String {
        let index = Int(id) - 1
        if index >= last.start { return index < last.end ? last.texts[index - last.start] : "" }
        if index < baseCount { return id == 0 ? "" : base?.text(of: id) ?? "" }
        for full in full where index < full.layer.end {
            return full.layer.texts[index - full.layer.start]
        }
        return ""
    }

    /// Lends a name's UTF-8; nothing for a number that was never given.
    public func withUTF8(of id: NameID, _ body: (UnsafeBufferPointer<UInt8>) -> Void) {
        if let base, id >= 1, Int(id) <= baseCount { return base.withUTF8(of: id, body) }
        var text = self[id]
        text.withUTF8 { body($0) }
    }

    /// The number of a text; `nil` when it was never interned.
    /// - Complexity: O(log *n*) in the names above the base.
    public func id(of text: String) -> NameID? {
        if text.isEmpty { return 0 }
        // Only layers are looked up by this hash.
        return heldCount == 0 ? base?.id(of: text) : id(of: text, NameLayer.hash(text))
    }

    private func id(of text: String, _ hash: UInt64) -> NameID? {
        // Most names are in the first layers, which are the largest.
        for full in full {
            if let number = full.layer.number(of: text, hash) { return NameID(number) }
        }
        if let number = last.number(of: text, hash) { return NameID(number) }
        return base?.id(of: text)
    }

    /// The number of a text, given now if need be.
    public mutating func intern(_ text: String) -> NameID {
        if text.isEmpty { return 0 }
        let hash = NameLayer.hash(text)
        if let id = id(of: text, hash) { return id }
        if last.texts.count >= Self.layerCountMax { seal() }
        last.append(text, hash)
        return NameID(count)
    }

    /// Begins a new layer; a full one and one before it that is not larger become one.
    private mutating func seal() {
        var layer = last
        while let before = full.last?.layer, before.texts.count <= layer.texts.count {
            layer = NameLayer(before, layer)
            full.removeLast()
        }
        full.append(Full(layer))
        last = NameLayer(after: layer.end)
    }

    /// The texts with numbers above `id`, in order.
    /// - Parameter id: At least as many as the base has.
    public func texts(after id: Int) -> [String] {
        var texts: [String] = []
        for layer in full.map(\.layer) + [last] where layer.end > id {
            texts += layer.texts[max(0, id - layer.start)...]
        }
        return texts
    }

    /// Forgets every name above `count`, which is at least as many as the base has: a commit that gave them failed.
    public mutating func truncate(to count: Int) {
        guard count < self.count else { return }
        while count < last.start, let layer = full.popLast()?.layer { last = layer }
        last.truncate(to: count)
    }
}
