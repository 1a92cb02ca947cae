import Daybook
package import DaybookDomain
import DaybookEvents

extension AnswerChange {
    /// `used 2 → 3`.
    package var sentence: String {
        "\(Words.spaced(field)) \(Self.word(before, field)) → \(Self.word(after, field))"
    }

    /// Several changes; what the verdict says already is left out.
    package static func sentence(_ changes: [AnswerChange]) -> String {
        var parts: [String] = []
        var source: String?
        for change in changes
        where change.source != nil || !["allowed", "reason"].contains(change.field) {
            if let name = change.source, name != source { parts.append("\(name):") }
            source = change.source
            parts.append(change.sentence + ",")
        }
        let text = parts.joined(separator: " ")
        return text.hasSuffix(",") ? String(text.dropLast()) : text
    }

    private static func word(_ value: JSONValue, _ field: String) -> String {
        switch value {
        case .null: "–"
        case .bool(let flag): flag ? "yes" : "no"
        case .integer(let number):
            field.hasSuffix("_at") ? Words.time(number) : String(number)
        case .string(let text):
            ["state", "reason", "why"].contains(field) ? Words.spaced(text) : text
        default: "…"
        }
    }
}

extension Explanation {
    /// What would turn the answer, each in a sentence.
    package var alternativeSentences: [String] {
        let labels = Dictionary(
            steps.compactMap(\.event).map { ($0.event.position, $0.label) },
            uniquingKeysWith: { first, _ in first })
        return alternatives.map { $0.sentence(labels) }
    }
}

extension Alternative {
    fileprivate func sentence(_ labels: [Int64: String]) -> String {
        switch self {
        case .later(let at, let reason):
            "at \(Words.time(at)) it turns by itself: \(Words.spaced(reason.rawValue))"
        case .smaller(let amount): "asked for \(amount), the answer is yes"
        case .units(let meter, let count):
            "\(Words.count(count, "unit")) more of \(meter), by a grant or by fewer uses"
        case .entitlement(let name, let products):
            "with \(name)"
                + (products.isEmpty ? "" : ", which \(products.joined(separator: ", ")) gives")
        case .without(let position, let reason):
            "without @\(position) (\(labels[position] ?? "")): \(Words.spaced(reason.rawValue))"
        }
    }
}
