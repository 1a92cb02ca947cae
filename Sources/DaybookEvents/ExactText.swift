/// Text that is equal only when its bytes are.
///
/// Swift compares text by canonical equivalence; a ledger must not take two byte sequences for one name.
public struct ExactText: Hashable, Sendable {
    public let text: String
    public init(_ text: String) { self.text = text }

    public static func == (left: ExactText, right: ExactText) -> Bool {
        haveSameBytes(left.text, right.text)
    }

    public func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

/// Compares text by its UTF-8 bytes, the order of every canonical form.
public func precedesInBytes(_ left: String, _ right: String) -> Bool {
    left.utf8.lexicographicallyPrecedes(right.utf8)
}

/// Whether two texts have the same UTF-8 bytes.
public func haveSameBytes(_ left: String, _ right: String) -> Bool {
    left.utf8.count == right.utf8.count && left.utf8.elementsEqual(right.utf8)
}

/// Whether two texts have the same UTF-8 bytes, or are both absent.
public func haveSameBytes(_ left: String?, _ right: String?) -> Bool {
    switch (left, right) {
    case (nil, nil): true
    case (let left?, let right?): haveSameBytes(left, right)
    default: false
    }
}
