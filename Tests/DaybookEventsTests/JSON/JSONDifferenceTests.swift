import DaybookEvents
import Testing

@Suite("Differences of JSON documents")
struct JSONDifferenceTests {
    private static func paths(_ before: JSONObject, _ after: JSONObject) -> [String] {
        JSONDifference.between(before, after).map(\.path)
    }

    @Test("Only what differs is told, in the order of paths")
    func members() {
        let before: JSONObject = ["b": ["x": 1, "y": 2], "a": 1, "gone": true]
        let after: JSONObject = ["b": ["x": 1, "y": 3], "a": 1, "new": "n"]
        #expect(
            JSONDifference.between(before, after) == [
                .init(path: "b.y", before: 2, after: 3),
                .init(path: "gone", before: true, after: nil),
                .init(path: "new", before: nil, after: "n"),
            ])
        #expect(Self.paths(before, before) == [])
    }

    @Test("Elements with names are compared by name, others by place")
    func lists() {
        let ann: JSONValue = ["profile": "ann", "age": 1]
        let older: JSONValue = ["profile": "ann", "age": 2]
        let bob: JSONValue = ["profile": "bob", "age": 1]
        #expect(
            Self.paths(["p": .array([ann, bob])], ["p": .array([bob, older])]) == ["p[ann].age"])
        #expect(Self.paths(["p": .array([ann])], ["p": .array([bob, ann])]) == ["p[bob]"])
        #expect(Self.paths(["p": .array([ann, bob])], ["p": .array([bob])]) == ["p[ann]"])
        // Two of one name have none.
        #expect(
            Self.paths(["p": .array([ann, ann])], ["p": .array([ann, older])]) == ["p[1].age"])
        #expect(Self.paths(["w": ["x", "y"]], ["w": ["x"]]) == ["w[1]"])
        #expect(Self.paths(["w": ["x"]], ["w": 1]) == ["w"])
    }
}
