/// A value that lies in memory of its own, so that the struct that has it stays small: a copy of the struct counts one
/// reference, and `nil` is an empty one.
///
/// For large members of answers that most answers do not have. Reading it copies the value, and so does a change in
/// place.
@propertyWrapper
public struct Boxed<Value: Sendable & Equatable>: Sendable, Equatable, CustomStringConvertible {
    private final class Box: Sendable {
        let value: Value
        init(_ value: Value) { self.value = value }
    }

    private var box: Box?

    /// The value; `nil`: there is none.
    public var wrappedValue: Value? {
        get { box?.value }
        set { box = newValue.map(Box.init) }
    }

    /// Takes a value into memory of its own.
    public init(wrappedValue: Value?) { box = wrappedValue.map(Box.init) }

    /// The value as if it stood in the struct itself.
    public var description: String { box.map { "\($0.value)" } ?? "nil" }

    /// Equal when the values are, wherever they lie.
    public static func == (left: Boxed, right: Boxed) -> Bool {
        left.box === right.box || left.box?.value == right.box?.value
    }
}
