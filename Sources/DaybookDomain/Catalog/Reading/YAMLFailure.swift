import Yams

/// What stops a document from being parsed, and whether reading can go on behind it.
struct YAMLFailure: Error {
    /// A key that stands twice in one map.
    struct Duplicate {
        /// 1-based; `nil` when the second key could not be found (a map within `{}`).
        var secondLine: Int?
        /// 1-based column of the key's first letter.
        var keyColumn: Int
    }

    var problem: CatalogProblem
    var duplicate: Duplicate?

    init(_ problem: CatalogProblem) {
        self.problem = problem
    }

    /// Rewrites the parser's error with a place, a sentence and a remedy.
    init(_ error: YamlError, in text: String) {
        switch error {
        case .scanner(let context, let problem, let mark, _),
            .parser(let context, let problem, let mark, _),
            .composer(let context, let problem, let mark, _):
            let during = context.map { " \($0.text)" } ?? ""
            self.init(Self.syntax("\(problem)\(during)", at: CatalogPlace(mark)))
        case .reader(let problem, let offset, _, _):
            self.init(Self.syntax(problem, at: Self.place(ofByte: offset ?? 0, in: text)))
        case .duplicatedKeysInMapping(let names, let context):
            self.init(duplicates: names, mark: context.mark, text: text)
        default:
            self.init(Self.syntax("\(error)", at: .start))
        }
    }

    private init(duplicates names: [String], mark: Mark, text: String) {
        let name = names.first ?? ""
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let second = Self.secondLine(of: name, after: mark, in: lines)
        problem = .duplicateKey(
            name, at: CatalogPlace(line: second?.line ?? mark.line, column: mark.column),
            first: mark.line)
        duplicate = second.map { Duplicate(secondLine: $0.line, keyColumn: $0.keyColumn) }
    }

    private static func syntax(_ problem: String, at place: CatalogPlace) -> CatalogProblem {
        let words = problem.split { $0.isWhitespace }.joined(separator: " ")
        return CatalogProblem(
            at: place, sentence: "The document is not valid YAML: \(words).",
            remedy: "Check quotes, colons and indentation here and on the line before.")
    }

    private static func place(ofByte offset: Int, in text: String) -> CatalogPlace {
        var place = CatalogPlace.start
        var position = 0
        for scalar in text.unicodeScalars {
            guard position < offset else { break }
            position += UTF8.width(scalar)
            place.pass(isLineEnd: scalar == "\n")
        }
        return place
    }

    /// The next line with the same key at the same indentation, before the map ends.
    ///
    /// The parser tells only where the first one stands.
    private static func secondLine(
        of name: String, after mark: Mark, in lines: [Substring]
    ) -> (line: Int, keyColumn: Int)? {
        let indentation = mark.column - 1
        let spellings = [name, "\"\(name)\"", "'\(name)'"]
        for (index, line) in lines.enumerated() where index >= mark.line {
            let spaces = line.prefix { $0 == " " }.count
            let rest = line.dropFirst(spaces)
            if rest.isEmpty || rest.hasPrefix("#") { continue }
            if spaces < indentation { return nil }
            guard spaces == indentation else { continue }
            for (rank, spelling) in spellings.enumerated() where rest.hasPrefix(spelling) {
                let behind = rest.dropFirst(spelling.count).drop { $0 == " " }
                guard behind.hasPrefix(":") else { continue }
                return (index + 1, spaces + (rank == 0 ? 1 : 2))
            }
        }
        return nil
    }
}

extension CatalogProblem {
    static let emptyDocument = CatalogProblem(
        at: .start, sentence: "The document is empty.",
        remedy: "Begin with `app:` and the app's name.")

    static func tooDeep(at place: CatalogPlace) -> CatalogProblem {
        CatalogProblem(
            at: place,
            sentence: "The document is nested deeper than \(CatalogReader.nestingMax) levels.",
            remedy: "No part of a catalog is that deep; look for stray brackets or indentation.")
    }

    static func keyIsNoText(at place: CatalogPlace) -> CatalogProblem {
        CatalogProblem(
            at: place, sentence: "A key is a list or a map here.",
            remedy: "Write a name before the colon.")
    }

    static func duplicateKey(
        _ name: String, at place: CatalogPlace, first: Int
    ) -> CatalogProblem {
        CatalogProblem(
            at: place,
            sentence: "The key `\(name)` stands twice in this map, first on line \(first).",
            remedy: "Remove or rename one of the two.")
    }
}
