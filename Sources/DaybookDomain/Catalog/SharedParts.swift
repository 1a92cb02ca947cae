/// A value with many parts that is one reference: handed on many times, and hardly ever changed.
@dynamicMemberLookup
public protocol SharedParts: Sendable, Equatable {
    /// The parts, each of which is a member of the value itself.
    associatedtype Content: Sendable, Equatable
    /// Where the parts lie; other values may share it.
    var shared: SharedContent<Content> { get set }
}

/// Where the parts of values lie that share them.
public final class SharedContent<Content: Sendable & Equatable>: Sendable {
    @usableFromInline let content: Content
    @inlinable init(_ content: Content) { self.content = content }
}

extension SharedParts {
    /// Equal when all parts are, the order of collections included.
    public static func == (left: Self, right: Self) -> Bool {
        left.shared === right.shared || left.shared.content == right.shared.content
    }

    /// One part; values that share the content keep what it was when one of them is changed.
    public subscript<Value>(dynamicMember part: WritableKeyPath<Content, Value>) -> Value {
        @inlinable get { shared.content[keyPath: part] }
        set {
            var content = shared.content
            content[keyPath: part] = newValue
            shared = SharedContent(content)
        }
    }
}
