import DaybookEvents

/// A field of a form.
struct FormField {
    var name: String
    var label: String
    var value: String
    var isNeeded = false
    var hint = ""
    /// `nil`: free text.
    var choices: [String]?
    /// What stands for an empty choice.
    var none = ""

    /// What a form carries along unseen, as templates have it.
    static func hidden(_ parameters: [(String, String?)]) -> [Model] {
        parameters.compactMap { name, value in value.map { ["name": name, "value": $0] } }
    }

    var model: Model {
        [
            "name": name, "label": label, "value": value, "needed": isNeeded, "hint": hint,
            "choices": choices.map { choices -> [Model] in
                choices.map {
                    [
                        "value": $0, "current": haveSameBytes($0, value),
                        "words": $0.isEmpty ? none : $0,
                    ]
                }
            } ?? [],
            "text": choices == nil,
        ]
    }
}
