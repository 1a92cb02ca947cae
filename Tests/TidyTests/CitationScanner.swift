/// Something that a text names by a number or a path, and that a reader will want to find.
struct Citation: Hashable, Sendable {
    enum Kind: String, CaseIterable, Sendable {
        case rule, law, edgeCase, trap, peerCase, requirement, decision, document
        /// A section of something that is no external standard.
        case section
        /// A document that is not in this repository.
        case outside
    }

    var kind: Kind
    /// What is cited: `24` of a rule, `E51`, `DZ-13`, `0011`, `docs/rules.md#states`.
    var name: String
}

/// Finds what a passage of prose, comment or code cites, in the order in which it stands there.
///
/// By hand and byte by byte: regular expressions would take minutes for all sources, and look-behind is what tells
/// `E51` from the end of a hexadecimal number.
struct CitationScanner {
    private let bytes: [UInt8]
    private var found: [Citation] = []

    static func citations(in passage: String) -> [Citation] {
        var scanner = CitationScanner(bytes: Array(passage.utf8))
        scanner.scan()
        return scanner.found
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private mutating func scan() {
        var index = 0
        while index < bytes.count {
            guard Self.isWord(bytes[index]) else {
                // UTF-8 of the section sign.
                if bytes[index] == 0xC2, byte(index + 1) == 0xA7, !isExternal(before: index) {
                    add(.section, "§")
                }
                index += 1
                continue
            }
            let start = index
            while index < bytes.count, Self.isWord(bytes[index]) { index += 1 }
            read(start..<index)
        }
    }

    private mutating func add(_ kind: Citation.Kind, _ name: String) {
        found.append(Citation(kind: kind, name: name))
    }

    private mutating func read(_ word: Range<Int>) {
        switch text(word) {
        case "rule", "rules", "Rule", "Rules": numbers(.rule, after: word.upperBound, digits: 1...2)
        case "law", "laws", "Law", "Laws": numbers(.law, after: word.upperBound, digits: 1...2)
        case "decision", "decisions", "Decision", "Decisions":
            numbers(.decision, after: word.upperBound, digits: 4...4)
        case "X", "DZ", "MS", "OL", "FR", "NZ": requirement(word)
        case "md" where byte(word.lowerBound - 1) == UInt8(ascii: "."): document(word)
        case "semantics"
        where follows(" rule", word.upperBound) || follows(", rule", word.upperBound):
            add(.outside, "semantics")
        case "shared" where byte(word.upperBound) == UInt8(ascii: "/"): add(.outside, "shared/")
        default: code(word)
        }
    }

    // MARK: Kinds

    /// Takes `24`, `6, 8, 20`, `12 and 15`, `1 to 5` behind a word.
    private mutating func numbers(
        _ kind: Citation.Kind, after end: Int, digits: ClosedRange<Int>
    ) {
        guard follows(" ", end) else { return }
        var index = end + 1
        while true {
            let start = index
            while Self.isDigit(byte(index)) { index += 1 }
            guard digits.contains(index - start), !Self.isWord(byte(index)) else { return }
            add(kind, text(start..<index))
            let separators = [", and ", ", ", " and ", " to ", " or "]
            guard let separator = separators.first(where: { follows($0, index) }) else { return }
            index += separator.utf8.count
        }
    }

    private mutating func requirement(_ prefix: Range<Int>) {
        let end = prefix.upperBound + 3
        guard byte(prefix.lowerBound - 1) != UInt8(ascii: "-"), follows("-", prefix.upperBound),
            Self.isDigit(byte(end - 2)), Self.isDigit(byte(end - 1)), !Self.isWord(byte(end))
        else { return }
        add(.requirement, text(prefix.lowerBound..<end))
    }

    /// Takes `E51`, `T4`, `M01` and `P01`, and leaves times, hexadecimal numbers and ids alone.
    private mutating func code(_ word: Range<Int>) {
        let digits = word.dropFirst()
        guard (1...2).contains(digits.count), digits.allSatisfy({ Self.isDigit(bytes[$0]) }),
            !#"\.{#/+-$:)"#.utf8.contains(byte(word.lowerBound - 1)),
            !"-:".utf8.contains(byte(word.upperBound)) || follows(": ", word.upperBound)
        else { return }
        let isShort = digits.count == 1
        switch (bytes[word.lowerBound], bytes[word.lowerBound + 1]) {
        case (UInt8(ascii: "E"), _) where !isShort: add(.edgeCase, text(word))
        case (UInt8(ascii: "T"), _): add(.trap, text(word))
        case (UInt8(ascii: "M"), UInt8(ascii: "0")) where !isShort,
            (UInt8(ascii: "P"), UInt8(ascii: "0")) where !isShort:
            add(.peerCase, text(word))
        default: break
        }
    }

    /// Takes a path that ends in `.md`, and the anchor behind it.
    private mutating func document(_ suffix: Range<Int>) {
        var start = suffix.lowerBound - 1
        while start > 0, Self.isPath(bytes[start - 1]) { start -= 1 }
        let path = text(start..<suffix.upperBound).drop { $0 == "/" }
        // `NNNN-title.md` is a pattern and no file, and addresses elsewhere are not ours to check.
        guard path != ".md", !path.contains("NNNN"), byte(start - 1) != UInt8(ascii: ":") else {
            return
        }
        var end = suffix.upperBound
        if byte(end) == UInt8(ascii: "#") {
            end += 1
            while Self.isWord(byte(end)) || byte(end) == UInt8(ascii: "-") { end += 1 }
        }
        add(.document, path + text(suffix.upperBound..<end))
    }

    /// Whether a section sign stands behind a public standard: `RFC 9562 §4`, or in a list of its sections.
    private func isExternal(before index: Int) -> Bool {
        var words = text(max(0, index - 120)..<index).split(separator: " ").map { word in
            word.drop { $0 == "(" }.reversed().drop { ",;)".contains($0) }.reversed()
        }.map { String($0) }
        while let last = words.last, last.hasPrefix("§") || last == "and" { words.removeLast() }
        guard let last = words.last else { return false }
        if last.hasPrefix("https://") || last.hasPrefix("http://") { return true }
        if words.suffix(3) == ["SQLite", "file", "format"] { return true }
        switch words.dropLast().last {
        case "RFC", "ISO", "YAML": return last.first?.isNumber == true
        case "TR": return last.hasPrefix("#")
        default: return words.suffix(2) == ["App", "Review"]
        }
    }

    // MARK: Bytes

    /// 0 outside of the passage, which is no byte of any text.
    private func byte(_ index: Int) -> UInt8 { bytes.indices.contains(index) ? bytes[index] : 0 }

    private func text(_ range: Range<Int>) -> String {
        String(decoding: bytes[range], as: UTF8.self)
    }

    private func follows(_ text: String, _ index: Int) -> Bool {
        bytes[min(index, bytes.count)...].starts(with: text.utf8)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        isDigit(byte) || byte == UInt8(ascii: "_")
            || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    private static func isPath(_ byte: UInt8) -> Bool {
        isWord(byte) || "./+-".utf8.contains(byte)
    }
}
