package import DaybookEvents

/// Writes JSON with new lines down to the answers, and canonically below: a change of one answer reads as one line.
package struct GoldenLayout {
    /// The state, its subjects, a subject and its list of answers.
    private static let depthMax = 4
    private var bytes: [UInt8] = []

    /// The whole file.
    package static func bytes(of state: JSONObject) -> [UInt8] {
        var layout = GoldenLayout()
        layout.write(.object(state), depth: 0)
        return layout.bytes + [UInt8(ascii: "\n")]
    }

    private mutating func write(_ value: JSONValue, depth: Int) {
        switch value {
        case .object(let object) where depth < Self.depthMax && !object.isEmpty:
            list(object.members.count, "{", "}", depth) { layout, index in
                let member = object.members[index]
                layout.bytes += JSONValue.string(member.name).canonicalBytes
                layout.bytes += Array(": ".utf8)
                layout.write(member.value, depth: depth + 1)
            }
        case .array(let values) where depth < Self.depthMax && !values.isEmpty:
            list(values.count, "[", "]", depth) { layout, index in
                layout.write(values[index], depth: depth + 1)
            }
        default: bytes += value.canonicalBytes
        }
    }

    private mutating func list(
        _ count: Int, _ open: String, _ close: String, _ depth: Int,
        element: (inout GoldenLayout, Int) -> Void
    ) {
        bytes += Array(open.utf8)
        for index in 0..<count {
            bytes += Array((index == 0 ? "\n" : ",\n").utf8)
            bytes += Array(repeating: UInt8(ascii: " "), count: 2 * (depth + 1))
            element(&self, index)
        }
        bytes += Array("\n".utf8) + Array(repeating: UInt8(ascii: " "), count: 2 * depth)
        bytes += Array(close.utf8)
    }
}
