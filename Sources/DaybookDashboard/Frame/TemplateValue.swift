import Mustache

/// What a template sees of a text or a number: an empty text and 0 count as nothing in a section.
private struct TemplateText: MustacheCustomRenderable, MustacheParent {
    let renderText: String
    let isNull: Bool

    /// A text has no parts: names are looked for around it.
    func child(named: String) -> Any? { nil }
}

extension Model {
    /// The model as the templates' library takes it.
    var forTemplate: Model { mapValues(Self.forTemplate) }

    private static func forTemplate(_ value: Any) -> Any {
        switch value {
        case let text as String: TemplateText(renderText: text, isNull: text.isEmpty)
        case let number as Int: TemplateText(renderText: String(number), isNull: number == 0)
        case let number as Int64: TemplateText(renderText: String(number), isNull: number == 0)
        case let model as Model: model.forTemplate
        case let list as [Model]: list.map(\.forTemplate)
        default: value
        }
    }
}
