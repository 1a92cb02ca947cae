/// One place in which two JSON documents differ.
public struct JSONDifference: Sendable, Equatable {
    /// `meters.stories.used`, `profiles[rex].deleted`, `warnings[0]`.
    public var path: String
    /// `nil`: it is not there.
    public var before: JSONValue?
    /// The value afterwards; `nil`: it is not there any more.
    public var after: JSONValue?

    /// Creates a difference; the two are not compared.
    public init(path: String, before: JSONValue?, after: JSONValue?) {
        self.path = path
        self.before = before
        self.after = after
    }

    /// Members by which the elements of a list are told apart, the first that all of them have.
    private static let names = ["profile", "source", "placement", "name"]

    /// Every difference, in the order of paths: names in the order of their bytes, elements in the order of the list
    /// after.
    public static func between(_ before: JSONObject, _ after: JSONObject) -> [JSONDifference] {
        between(.object(before), .object(after), at: "")
    }

    private static func between(
        _ before: JSONValue?, _ after: JSONValue?, at path: String
    ) -> [JSONDifference] {
        if before == after { return [] }
        switch (before, after) {
        case (.object(let before), .object(let after)):
            let names = Set((before.members + after.members).map(\.name))
            return names.sorted(by: precedesInBytes).flatMap {
                between(before[$0], after[$0], at: path.isEmpty ? $0 : "\(path).\($0)")
            }
        case (.array(let before), .array(let after)):
            return elements(before, after, at: path)
        default: return [JSONDifference(path: path, before: before, after: after)]
        }
    }

    private static func elements(
        _ before: [JSONValue], _ after: [JSONValue], at path: String
    ) -> [JSONDifference] {
        guard let old = keyed(before), let new = keyed(after) else {
            return (0..<max(before.count, after.count)).flatMap { index in
                between(
                    index < before.count ? before[index] : nil,
                    index < after.count ? after[index] : nil, at: "\(path)[\(index)]")
            }
        }
        let gone = old.map(\.name).filter { name in !new.contains { $0.name == name } }
        return (new.map(\.name) + gone).flatMap { name in
            between(
                old.first { $0.name == name }?.value, new.first { $0.name == name }?.value,
                at: "\(path)[\(name)]")
        }
    }

    /// The elements by the names that they give themselves; `nil` where they have none, or not each its own.
    private static func keyed(_ values: [JSONValue]) -> [(name: String, value: JSONValue)]? {
        for member in names {
            let found = values.compactMap { value in
                value.object?[member]?.text.map { (name: $0, value: value) }
            }
            if found.count == values.count, Set(found.map(\.name)).count == found.count {
                return found
            }
        }
        return nil
    }
}
