/// A JSON document that can be written back byte for byte once it is canonical.
///
/// Integers in the range of Int64 are numbers; every other number keeps the text that it came with, because a
/// ledger must not round what a source stated. Texts and names are equal when their bytes are.
public enum JSONValue: Sendable, Equatable {
    case null
    case bool(Bool)
    case integer(Int64)
    /// A number that is no Int64, exactly as it was written.
    case number(String)
    case string(String)
    case array([JSONValue])
    case object(JSONObject)

    /// Equal when kind and contents are; `number` and `integer` are never equal.
    public static func == (left: JSONValue, right: JSONValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.integer(let left), .integer(let right)): left == right
        case (.number(let left), .number(let right)): haveSameBytes(left, right)
        case (.string(let left), .string(let right)): haveSameBytes(left, right)
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)): left == right
        default: false
        }
    }
}

/// Members by name, in ascending order of the names' UTF-8 bytes: the canonical order.
public struct JSONObject: Sendable, Equatable {
    /// A name with its value.
    public struct Member: Sendable, Equatable {
        /// The name without quotes and escapes.
        public let name: String
        /// A value of any kind; `null` is one too.
        public var value: JSONValue
        /// Creates a member; every name is allowed.
        public init(name: String, value: JSONValue) {
            self.name = name
            self.value = value
        }

        /// Equal when the names have the same bytes and the values are equal.
        public static func == (left: Member, right: Member) -> Bool {
            haveSameBytes(left.name, right.name) && left.value == right.value
        }
    }

    /// All members, in ascending order of the names' bytes.
    public private(set) var members: [Member]

    /// Creates an object without members.
    public init() { members = [] }

    /// Takes members in any order; names must be distinct.
    public init(_ members: [Member]) {
        let isAscending = members.indices.dropFirst().allSatisfy {
            precedesInBytes(members[$0 - 1].name, members[$0].name)
        }
        self.members =
            isAscending ? members : members.sorted { precedesInBytes($0.name, $1.name) }
    }

    /// - Precondition: The names ascend, none stands twice.
    init(ascending members: [Member]) { self.members = members }

    /// Whether there are no members.
    public var isEmpty: Bool { members.isEmpty }

    /// Makes room for so many members in all.
    mutating func reserveCapacity(_ count: Int) { members.reserveCapacity(count) }

    /// The value of one member; setting `nil` removes it.
    /// - Complexity: O(log *n*) to read, O(*n*) to write.
    public subscript(name: String) -> JSONValue? {
        get {
            index(of: name).map { members[$0].value }
        }
        set {
            // Most are set in ascending order.
            if let newValue, members.last.map({ precedesInBytes($0.name, name) }) ?? true {
                return members.append(Member(name: name, value: newValue))
            }
            let index = lowerBound(name)
            let isThere = index < members.count && haveSameBytes(members[index].name, name)
            switch (newValue, isThere) {
            case (let value?, true): members[index].value = value
            case (let value?, false): members.insert(.init(name: name, value: value), at: index)
            case (nil, true): members.remove(at: index)
            case (nil, false): break
            }
        }
    }

    /// Adds a member behind all others.
    /// - Precondition: The name comes after theirs.
    mutating func append(ascending name: String, _ value: JSONValue) {
        members.append(Member(name: name, value: value))
    }

    /// Where a member stands.
    func index(of name: String) -> Int? {
        // A few names are compared faster than halved: most differ in their length.
        if members.count <= 16 {
            for index in members.indices where haveSameBytes(members[index].name, name) {
                return index
            }
            return nil
        }
        let index = lowerBound(name)
        guard index < members.count, haveSameBytes(members[index].name, name) else { return nil }
        return index
    }

    private func lowerBound(_ name: String) -> Int {
        var low = 0
        var high = members.count
        while low < high {
            let middle = (low + high) / 2
            if precedesInBytes(members[middle].name, name) {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low
    }
}

extension JSONValue {
    /// The text of a string; `nil` for every other kind.
    public var text: String? { if case .string(let text) = self { text } else { nil } }
    /// The number, where it is an Int64; `nil` for every other number and kind.
    public var integer: Int64? { if case .integer(let value) = self { value } else { nil } }
    /// The truth value; `nil` for every other kind.
    public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
    /// The object; `nil` for every other kind.
    public var object: JSONObject? { if case .object(let object) = self { object } else { nil } }
    /// The elements of an array, in order; `nil` for every other kind.
    public var array: [JSONValue]? { if case .array(let values) = self { values } else { nil } }

    /// At least as many bytes as the canonical form has, without writing it.
    var roughByteCount: Int {
        switch self {
        case .null, .bool: 5
        case .integer: 20
        case .number(let text): text.utf8.count
        // Six for a byte that must be escaped.
        case .string(let text): 2 + 6 * text.utf8.count
        case .array(let values): values.reduce(2) { $0 + 1 + $1.roughByteCount }
        case .object(let object): object.roughByteCount
        }
    }

    /// What kind of value it is, for messages.
    public var kindName: String {
        switch self {
        case .null: "null"
        case .bool: "a boolean"
        case .integer: "an integer"
        case .number: "a number that is no 64-bit integer"
        case .string: "text"
        case .array: "an array"
        case .object: "an object"
        }
    }
}

extension JSONObject {
    /// At least as many bytes as the canonical form has, without writing it.
    var roughByteCount: Int {
        var count = 2
        for index in members.indices {
            count += 4 + 6 * members[index].name.utf8.count + members[index].value.roughByteCount
        }
        return count
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral,
    ExpressibleByNilLiteral
{
    /// Creates a string from a literal.
    public init(stringLiteral value: String) { self = .string(value) }
    /// Creates an integer from a literal.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// Creates a truth value from a literal.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// Creates `null` from the literal `nil`.
    public init(nilLiteral: ()) { self = .null }
    /// Creates an array from a literal, its elements in their order.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    /// Creates an object from a literal; names must be distinct.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(JSONObject(elements.map { .init(name: $0.0, value: $0.1) }))
    }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    /// Takes members in any order; names must be distinct.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self.init(elements.map { .init(name: $0.0, value: $0.1) })
    }
}
