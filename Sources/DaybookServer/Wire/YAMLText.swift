package import DaybookEvents
import Yams

/// YAML as the JSON that it says.
package enum YAMLText {
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// - Throws: `Failure` with line and column where it is no YAML, or uses anchors.
    package static func json(_ text: String) throws -> JSONValue {
        do {
            guard let root = try Yams.compose(yaml: text) else { return .null }
            return try value(root)
        } catch let error as YamlError {
            throw Failure(description: "\(error)")
        }
    }

    private static func value(_ node: Node) throws -> JSONValue {
        switch node {
        case .mapping(let mapping):
            var object = JSONObject()
            for (key, node) in mapping {
                let name = key.string ?? ""
                guard object[name] == nil else { throw failure("\(name) is there twice", at: key) }
                object[name] = .some(try value(node))
            }
            return .object(object)
        case .sequence(let nodes): return .array(try nodes.map(value))
        case .scalar(let scalar):
            // Quoted text is text, whatever it looks like.
            if scalar.style != .plain { return .string(scalar.string) }
            if let flag = node.bool { return .bool(flag) }
            if let number = node.int { return .count(number) }
            return node.null == nil ? .string(scalar.string) : .null
        case .alias: throw failure("anchors and aliases are not read", at: node)
        }
    }

    private static func failure(_ reason: String, at node: Node) -> Failure {
        let place = node.mark.map { "\($0.line):\($0.column): " } ?? ""
        return Failure(description: place + reason)
    }
}
