import CDaybookServer
package import DaybookEvents
import Yams

/// What the server tells of its routes: Sources/CDaybookServer/openapi.yaml, which is written by hand and compared with
/// the routes by tests, as JSON.
package enum RouteDescription {
    /// An OpenAPI 3.1 document.
    package static let json: JSONObject = {
        var byteCount = 0
        let start = daybook_openapi(&byteCount)
        let bytes = UnsafeBufferPointer(start: start, count: byteCount)
        do {
            let root = try Yams.compose(yaml: String(decoding: bytes, as: UTF8.self))
            guard let object = try root.map(value)?.object else {
                preconditionFailure("openapi.yaml is no map.")
            }
            return object
        } catch {
            preconditionFailure("openapi.yaml cannot be read: \(error)")
        }
    }()

    private static func value(_ node: Node) throws -> JSONValue {
        switch node {
        case .mapping(let mapping):
            .object(
                JSONObject(
                    try mapping.map { .init(name: $0.key.string ?? "", value: try value($0.value)) }
                ))
        case .sequence(let nodes): .array(try nodes.map(value))
        case .scalar(let scalar):
            // Quoted text is text, whatever it looks like.
            if scalar.style != .plain {
                .string(scalar.string)
            } else if let flag = node.bool {
                .bool(flag)
            } else if let number = node.int {
                .integer(Int64(number))
            } else {
                node.null == nil ? .string(scalar.string) : .null
            }
        case .alias: preconditionFailure("openapi.yaml has no aliases.")
        }
    }
}
