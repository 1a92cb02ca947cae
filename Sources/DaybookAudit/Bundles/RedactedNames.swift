package import Daybook

/// What a text names; each has its own new names.
///
/// A raw value is the beginning of a new name. With five digits it stays so short that a reference holds it
/// (`Reference`).
enum NamedThing: String {
    case subject
    case profile
    case purchase = "tx"
    case ref, key, text
    /// The source that said it.
    case source
    /// The first part of a lineage's name.
    case store

    /// Those whose names are any texts, in the order in which a text that names several things is taken.
    static let freelyNamed: [NamedThing] = [.subject, .profile, .purchase, .ref, .key, .text]
}

/// New names for texts: the same for the same text wherever it stands, and in the order of the old ones, because order
/// decides which id is shown, which lineage comes first and which of two equal statements wins.
package struct RedactedNames: Sendable {
    private var new: [ExactText: String] = [:]
    private var newSources: [ExactText: String] = [:]
    private var newStores: [ExactText: String] = [:]
    /// By the new name.
    private var old: [(new: String, old: String)] = []

    /// - Parameters:
    ///   - texts: What is replaced, by what it names.
    ///   - kept: Texts that stay and that no new name may stand in.
    init(_ texts: [NamedThing: Set<ExactText>], kept: [String]) {
        var seen: Set<ExactText> = []
        var groups: [(thing: NamedThing, texts: [String])] = []
        for thing in NamedThing.freelyNamed {
            let own = (texts[thing] ?? []).subtracting(seen)
            seen.formUnion(own)
            groups.append((thing, Self.ordered(own.map(\.text), thing)))
        }
        // What is replaced must not come back by chance in a new name, nor a new name be read in what is kept.
        let originals = seen.map(\.text) + kept
        let short = Set(seen.map(\.text).filter { (3...15).contains($0.utf8.count) })
        var attempt = 0
        while true {
            let style = Style(attempt: attempt)
            let names = groups.map { group in
                group.texts.enumerated().map { index, text in
                    Self.beginning(group.thing, text)
                        + style.name(group.thing, index, of: group.texts.count)
                        + Self.ending(group.thing, text)
                }
            }
            let stems = groups.map { style.stem($0.thing) }
            let isFresh =
                !originals.contains { text in stems.contains { text.contains($0) } }
                && !names.joined().contains { Self.pieces(of: $0).contains { short.contains($0) } }
            attempt += 1
            guard isFresh || attempt > 20 else { continue }
            for (group, names) in zip(groups, names) {
                for (text, name) in zip(group.texts, names) {
                    new[ExactText(text)] = name
                    old.append((name, text))
                }
            }
            break
        }
        newSources = Self.between(
            texts[.source] ?? [], known: EventSource.own, named: NamedThing.source.rawValue)
        newStores = Self.between(
            texts[.store] ?? [], known: EventSource.stores, named: NamedThing.store.rawValue,
            end: ":")
        old += (Array(newSources) + Array(newStores)).map { ($0.value, $0.key.text) }
        old.sort { $0.new.utf8.count > $1.new.utf8.count }
    }

    /// The new name; `nil` for what was not collected.
    func name(of text: String, _ thing: NamedThing) -> String? {
        switch thing {
        case .source: newSources[ExactText(text)]
        case .store: newStores[ExactText(text)]
        default: new[ExactText(text)]
        }
    }

    /// The text under its old names, wherever a new one stands in it.
    package func restored(_ text: String) -> String {
        old.reduce(text) { text, name in
            text.contains(name.new) ? text.replacing(name.new, with: name.old) : text
        }
    }

    /// An answer under the old names.
    package func restored(_ object: JSONObject) -> JSONObject {
        JSONObject(
            object.members.map { .init(name: restored($0.name), value: restored($0.value)) })
    }

    private func restored(_ value: JSONValue) -> JSONValue {
        switch value {
        case .string(let text): .string(restored(text))
        case .array(let values): .array(values.map(restored))
        case .object(let object): .object(restored(object))
        default: value
        }
    }

    // MARK: Making names

    /// A way to write new names; the next one is tried where an old text is in the way.
    private struct Style {
        let attempt: Int

        private static let letters = Array("bcdfghjklmnpqrstvwxz")

        func stem(_ thing: NamedThing) -> String {
            thing.rawValue + String(repeating: "x", count: attempt) + "-"
        }

        /// As long as the last one, so that names ascend in their bytes.
        func name(_ thing: NamedThing, _ index: Int, of count: Int) -> String {
            let digits = attempt % 2 == 0 ? Array("0123456789") : Self.letters
            var text = ""
            var rest = index + 1
            var countLeft = count
            while countLeft > 0 {
                text = String(digits[rest % digits.count]) + text
                rest /= digits.count
                countLeft /= digits.count
            }
            return stem(thing) + text
        }
    }

    /// Keys settle ties by their references (`StatementRank`), everything else by its bytes; of short texts both
    /// orders are one.
    private static func ordered(_ texts: [String], _ thing: NamedThing) -> [String] {
        guard thing == .key else { return texts.sorted(by: precedesInBytes) }
        return texts.map { ($0, Reference($0)) }
            .sorted { ($0.1.high, $0.1.low) < ($1.1.high, $1.1.low) }.map(\.0)
    }

    /// What an older ledger called the unknown buyer of a consumable is told from a customer by its beginning.
    private static func beginning(_ thing: NamedThing, _ text: String) -> String {
        thing == .subject && text.hasPrefix("apple:") ? "apple:" : ""
    }

    /// Answers show a transaction where its reference has the text, so a long id gets a long name.
    private static func ending(_ thing: NamedThing, _ text: String) -> String {
        thing == .purchase && Reference(text).text == nil ? "-with-a-long-id" : ""
    }

    /// Every part of a name that has at least three bytes.
    private static func pieces(of name: String) -> [String] {
        let bytes = Array(name.utf8)
        return bytes.indices.flatMap { start in
            (start..<bytes.count).compactMap { end in
                end - start < 2 ? nil : String(decoding: bytes[start...end], as: UTF8.self)
            }
        }
    }

    /// Names for unknown words that keep their places between known ones: behind the greatest known one that is less.
    /// - Parameter end: What stands behind the word wherever it is compared; the `_` of the new names comes after it.
    private static func between(
        _ texts: Set<ExactText>, known: [String], named word: String, end: String = ""
    ) -> [ExactText: String] {
        let unknown = texts.map(\.text).sorted { precedesInBytes($0 + end, $1 + end) }
        var names: [ExactText: String] = [:]
        let width = String(unknown.count).count
        for (index, text) in unknown.enumerated() {
            let number = String(index + 1)
            let before = known.last { precedesInBytes($0 + end, text + end) } ?? "0"
            let zeros = String(repeating: "0", count: width - number.count)
            names[ExactText(text)] = "\(before)_\(word)\(zeros)\(number)"
        }
        return names
    }
}
