/// The name under which a type of events is sent and kept, also of a type that this build does not know.
///
/// Two are equal when their bytes are. Code compares them with the names in `EventTypeName+Types.swift`, never with a
/// text.
public struct EventTypeName: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The name as it was sent, such as `usage.recorded`.
    public let rawValue: String

    /// A name as it was sent; it need not be known.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The name of a type that this build knows; `unknown` has no events of its own.
    public init(_ type: EventType) { rawValue = Vocabulary.name(of: type) }

    /// A name of a family, such as `ops.test_received`; it need not be known.
    public init(_ family: EventFamily, _ word: String) { rawValue = "\(family.rawValue).\(word)" }

    /// The type of this name, in whatever version; `nil` where this build does not know it.
    /// - Complexity: One look-up in a table; a comparison with one type costs less.
    public var known: EventType? { Vocabulary.table.type(named: rawValue) }

    /// Whether events of the type name a document, which the ledger keeps by its digest.
    public var hasDocument: Bool { self == .catalogPublished || self == .reportFrozen }

    /// Whether the name is one of a family: whether it begins with the family's word and a dot.
    public func isOf(_ family: EventFamily) -> Bool {
        let word = family.rawValue.utf8
        var bytes = rawValue.utf8.makeIterator()
        for byte in word where bytes.next() != byte { return false }
        return bytes.next() == UInt8(ascii: ".")
    }

    /// The name as it was sent.
    public var description: String { rawValue }

    /// Equal when the names have the same bytes.
    public static func == (left: EventTypeName, right: EventTypeName) -> Bool {
        haveSameBytes(left.rawValue, right.rawValue)
    }

    /// Hashes the bytes of the name, by which it is compared.
    public func hash(into hasher: inout Hasher) { hasher.combine(ExactText(rawValue)) }
}

/// A word before the first dot of a type's name: of the families that code asks for, not of all.
public enum EventFamily: String, Sendable {
    case subject, consent, profile, purchase, refund, subscription, store, grant, usage, gauge
    case paywall, catalog, correction
    /// What a store tells of its own business, kept under names that the vocabulary does not have.
    case ops
}
