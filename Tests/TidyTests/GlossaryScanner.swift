/// The tables of docs/glossary.md: the words of the project, and the words that they took the place of.
struct Glossary: Sendable {
    struct Word: Sendable {
        var line: Int
        var word: String
        /// The types that the table names for it.
        var types: [String]
    }

    struct Retired: Sendable {
        var line: Int
        var word: String
        /// What no name may contain: `KeptBody` as `kept`, `body`.
        var names: [[String]]
        /// What no text may contain: `signed text` as `signed`, `text`.
        var texts: [[String]]
        /// The words that are used now, and phrases that stay. A hit within one of them is none: `dead letter` for
        /// `letter`.
        var kept: [[String]]
    }

    private(set) var words: [Word] = []
    private(set) var retired: [Retired] = []

    init(page: String) {
        var isRetired = false
        let lines = page.split(separator: "\n", omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            if line.hasPrefix("## ") { isRetired = line == "## Retired words" }
            let cells = Self.cells(line)
            guard cells.count >= 3, cells[0] != "word", cells[0] != "retired",
                !cells[0].hasPrefix("-")
            else { continue }
            if isRetired {
                guard cells.count == 5 else { continue }
                retired.append(
                    Retired(
                        line: index + 1, word: cells[0],
                        names: Self.quoted(cells[1]).map(CamelCase.parts),
                        texts: Self.quoted(cells[2]).map { WordScan.words($0).map(\.text) },
                        kept: (cells[3].split { ";,:".contains($0) }.map(String.init)
                            + Self.quoted(cells[4])).map { WordScan.words($0).map(\.text) }))
            } else {
                words.append(
                    Word(line: index + 1, word: cells[0], types: Self.quoted(cells[2])))
            }
        }
    }

    private static func cells(_ line: Substring) -> [String] {
        guard line.hasPrefix("|"), line.hasSuffix("|") else { return [] }
        return line.dropFirst().dropLast().split(separator: "|", omittingEmptySubsequences: false)
            .map { String($0.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()) }
    }

    private static func quoted(_ cell: String) -> [String] {
        cell.split(separator: "`", omittingEmptySubsequences: false).enumerated()
            .filter { $0.offset % 2 == 1 }.map { String($0.element) }
    }
}

/// The words that a name is made of: `bodySHA256` is `body`, `sha`, `256`.
enum CamelCase {
    static func parts(_ name: String) -> [String] {
        var parts: [String] = []
        var part = ""
        let characters = Array(name)
        for (index, character) in characters.enumerated() {
            let before = index > 0 ? characters[index - 1] : " "
            let after = index + 1 < characters.count ? characters[index + 1] : " "
            let begins =
                character.isUppercase && (!before.isUppercase || after.isLowercase)
                || character.isNumber != before.isNumber
            if begins, !part.isEmpty {
                parts.append(part)
                part = ""
            }
            if character != "_" {
                part += character.lowercased()
            } else if !part.isEmpty {
                parts.append(part)
                part = ""
            }
        }
        return part.isEmpty ? parts : parts + [part]
    }
}

/// The words of a text, in small letters, with their lines.
enum WordScan {
    struct Word: Equatable {
        var line: Int
        var text: String
    }

    /// What stands between backticks in one line is left out: it is code.
    static func words(_ text: String) -> [Word] { words(Array(text.utf8)) }

    static func words(_ bytes: [UInt8]) -> [Word] {
        var words: [Word] = []
        for (index, line) in bytes.split(
            separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false
        ).enumerated() {
            let pieces = line.split(separator: UInt8(ascii: "`"), omittingEmptySubsequences: false)
            for (number, piece) in pieces.enumerated() where number % 2 == 0 {
                for word in piece.split(whereSeparator: { !isLetter($0) }) {
                    let text = String(decoding: word, as: UTF8.self).lowercased()
                    words.append(Word(line: index + 1, text: text))
                }
            }
        }
        return words
    }

    static func isLetter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), 0x80...:
            true
        default: false
        }
    }
}

/// Finds retired words in names and in texts.
struct GlossaryScanner {
    struct Hit: Hashable, Sendable {
        var line: Int
        /// The name, or the words of the text.
        var found: String
        var word: String
    }

    let glossary: Glossary
    /// The retired word of each name that was seen, empty where there is none.
    private var known: [String: String] = [:]

    init(_ glossary: Glossary) { self.glossary = glossary }

    // MARK: Names

    /// Every name of some code that contains a retired word.
    mutating func names(in code: SwiftCode) -> [Hit] {
        var hits: [Hit] = []
        for (index, line) in code.bytes.split(
            separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false
        ).enumerated() {
            let names = line.split { !WordScan.isLetter($0) && !Self.isInName($0) }
            for name in names where name.first.map(WordScan.isLetter) == true {
                let text = String(decoding: name, as: UTF8.self)
                if let word = retired(in: text) {
                    hits.append(Hit(line: index + 1, found: text, word: word))
                }
            }
        }
        return hits
    }

    /// The retired word in a name; `nil`: there is none.
    mutating func retired(in name: String) -> String? {
        if let word = known[name] { return word.isEmpty ? nil : word }
        let parts = CamelCase.parts(name)
        let word = glossary.retired.first { retired in
            retired.names.contains { !places(of: $0, in: parts, kept: retired.kept).isEmpty }
        }?.word
        known[name] = word ?? ""
        return word
    }

    private static func isInName(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "_") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    // MARK: Texts

    /// Every retired word of a text, also over the end of a line.
    func texts(in bytes: [UInt8]) -> [Hit] {
        let words = WordScan.words(bytes)
        let texts = words.map(\.text)
        var hits: [Hit] = []
        for retired in glossary.retired {
            for phrase in retired.texts {
                for place in places(of: phrase, in: texts, kept: retired.kept) {
                    hits.append(
                        Hit(
                            line: words[place].line, found: phrase.joined(separator: " "),
                            word: retired.word))
                }
            }
        }
        return hits.sorted { ($0.line, $0.found) < ($1.line, $1.found) }
    }

    // MARK: Both

    /// Where words follow one another, but for those places at which they are a part of what is kept.
    private func places(of phrase: [String], in words: [String], kept: [[String]]) -> [Int] {
        guard !phrase.isEmpty, words.count >= phrase.count else { return [] }
        return (0...(words.count - phrase.count)).filter { place in
            words[place] == phrase[0] && Array(words[place..<(place + phrase.count)]) == phrase
                && !kept.contains { Self.covers($0, phrase.count, at: place, in: words) }
        }
    }

    /// Whether what is kept, its words in the singular or plural, stands over some places.
    private static func covers(
        _ kept: [String], _ count: Int, at place: Int, in words: [String]
    ) -> Bool {
        guard kept.count > count else { return false }
        return (0...(kept.count - count)).contains { offset in
            let start = place - offset
            guard start >= 0, start + kept.count <= words.count else { return false }
            return zip(words[start...], kept).allSatisfy { $0 == $1 || $0 == $1 + "s" }
        }
    }
}
