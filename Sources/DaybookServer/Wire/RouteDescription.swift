import CDaybookServer
package import DaybookEvents

/// What the server tells of its routes: Sources/CDaybookServer/openapi.yaml, which is written by hand and compared with
/// the routes by tests, as JSON.
package enum RouteDescription {
    /// An OpenAPI 3.1 document.
    package static let json: JSONObject = {
        var byteCount = 0
        let start = daybook_openapi(&byteCount)
        let bytes = UnsafeBufferPointer(start: start, count: byteCount)
        do {
            guard let object = try YAMLText.json(String(decoding: bytes, as: UTF8.self)).object
            else {
                preconditionFailure("openapi.yaml is no map.")
            }
            return object
        } catch {
            preconditionFailure("openapi.yaml cannot be read: \(error)")
        }
    }()
}
