public import DaybookEvents

/// A document as it is written, without what it means: to tell two versions apart, part by part.
extension CatalogReader {
    /// The maps, lists and texts of a document; numbers and flags are texts as they are written.
    /// - Throws: What keeps it from being read as YAML.
    public static func tree(_ yaml: [UInt8]) throws(CatalogProblems) -> JSONObject {
        let document = try CatalogDocument.parse(try CatalogText.read(yaml))
        guard document.problems.isEmpty else { throw CatalogProblems(document.problems) }
        return document.root.json.object ?? ["": document.root.json]
    }
}

extension CatalogNode {
    fileprivate var json: JSONValue {
        switch content {
        case .null: .null
        case .scalar(let text, isQuoted: _): .string(text)
        case .list(let items): .array(items.map(\.json))
        case .map(let entries):
            .object(JSONObject(entries.map { .init(name: $0.key, value: $0.value.json) }))
        }
    }
}
