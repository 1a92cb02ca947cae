import Foundation
import Testing

/// One word for one thing: what docs/glossary.md calls retired comes back in no name and no text.
@Suite("Glossary")
struct GlossaryTests {
    private static let page = "docs/glossary.md"
    private static let repository = Result { try RepositoryTexts(root: TidyTests.root) }

    /// Names with a retired word that mean something else, each with what it means.
    static let allowedNames: [String: String] = [
        "isLetter": "whether a character belongs to the alphabet",
        "isLetterOrDigit": "whether a character may stand in a name",
        "hasLetters": "whether a UUID has digits beyond 9",
        "letter": "one character of a text", "letters": "the characters of a text",
        "firstStoryFunnel": "the first story of Magical Stories",
    ]

    /// Where a retired word stays in texts: in this file, or in all files below this folder.
    static let allowedTexts: [(path: String, found: String, reason: String)] = [
        ("docs/events.md", "somebody", "the vocabulary's text, which schemas have published"),
        ("Sources/DaybookEvents/Vocabulary/", "somebody", "texts of schemas never change"),
        ("Sources/DaybookEvents/Vocabulary/", "signed text", "texts of schemas never change"),
        ("Sources/DaybookEvents/Codec/RowRest.swift", "nobody", "the mark in the JSON of rows"),
        ("Sources/DaybookStore/SQLite/EventViews.swift", "nobody", "the mark in the JSON of rows"),
        ("Sources/DaybookTesting/Histories/", "nobody", "the id of a customer in data"),
        ("Sources/DaybookCLI/Demo/DemoStreams.swift", "somebody", "the id of a customer in data"),
    ]

    private static func glossary() throws -> Glossary {
        Glossary(page: try #require(try repository.get().texts[page]))
    }

    /// The names that are not allowed.
    private static func names(
        in code: SwiftCode, _ scanner: inout GlossaryScanner
    ) -> [GlossaryScanner.Hit] {
        scanner.names(in: code).filter { allowedNames[$0.found] == nil }
    }

    /// What people read in a file: a page as a whole; of code the comments and, outside of tests, the texts. Tests hand
    /// over texts that customers and stores might send, so of theirs only the names that tests have are read.
    private static func prose(of path: String, _ text: String) -> [[UInt8]] {
        guard path.hasSuffix(".swift") else {
            return path.hasSuffix(".yaml") || path == page ? [] : [Array(text.utf8)]
        }
        let code = SwiftCode(text)
        let texts = path.hasPrefix("Tests/") ? testNames(code) : code.texts
        return [code.comments, texts]
    }

    /// The texts of the lines with `@Test(` or `@Suite(`, and of the one behind where that ends there.
    private static func testNames(_ code: SwiftCode) -> [UInt8] {
        let end = UInt8(ascii: "\n")
        let lines = code.bytes.split(separator: end, omittingEmptySubsequences: false)
        let texts = code.texts.split(separator: end, omittingEmptySubsequences: false)
        var isNamed = false
        var names: [ArraySlice<UInt8>] = []
        for (line, text) in zip(lines, texts) {
            let words = String(decoding: line, as: UTF8.self)
            let begins = words.contains("@Test(") || words.contains("@Suite(")
            names.append(begins || isNamed ? text : [])
            isNamed = begins && words.last { $0 != " " } == "("
        }
        return Array(names.joined(separator: [end]))
    }

    private static func isAllowed(_ hit: GlossaryScanner.Hit, in path: String) -> Bool {
        allowedTexts.contains { path.hasPrefix($0.path) && $0.found == hit.found }
    }

    // MARK: The repository

    @Test("No name has a retired word")
    func names() throws {
        var scanner = GlossaryScanner(try Self.glossary())
        var count = 0
        for (path, text) in try Self.repository.get().texts.sorted(by: { $0.key < $1.key })
        where path.hasSuffix(".swift") {
            count += 1
            for hit in Self.names(in: SwiftCode(text), &scanner) {
                Issue.record(
                    "\(path):\(hit.line): \(hit.found) has the retired word \(hit.word); docs/glossary.md says what it is called"
                )
            }
        }
        #expect(count > 500)
    }

    @Test("No comment, help text, test name or page has a retired word")
    func texts() throws {
        let scanner = GlossaryScanner(try Self.glossary())
        var count = 0
        for (path, text) in try Self.repository.get().texts.sorted(by: { $0.key < $1.key }) {
            for bytes in Self.prose(of: path, text) {
                count += 1
                for hit in scanner.texts(in: bytes) where !Self.isAllowed(hit, in: path) {
                    Issue.record(
                        "\(path):\(hit.line): “\(hit.found)” is retired; docs/glossary.md says what to write"
                    )
                }
            }
        }
        #expect(count > 1_000)
    }

    // MARK: The page

    @Test("The words are in alphabetical order, and every type that is named for one exists")
    func page() throws {
        let glossary = try Self.glossary()
        let sources = try Self.repository.get().texts.filter { $0.key.hasPrefix("Sources/") }
        let types = Set(sources.values.flatMap { SwiftSource($0).declarations.map(\.name) })
        #expect(glossary.words.count > 90)
        let words = glossary.words.map { $0.word.lowercased() }
        for (before, after) in zip(words, words.dropFirst()) where before >= after {
            Issue.record("\(after) stands behind \(before)")
        }
        for word in glossary.words {
            for type in word.types where !types.contains(type) {
                Issue.record("\(Self.page):\(word.line): there is no type \(type)")
            }
        }
    }

    @Test("Every retired word says what is used now, and is found in names and texts")
    func retired() throws {
        let glossary = try Self.glossary()
        var scanner = GlossaryScanner(glossary)
        #expect(glossary.retired.count >= 17)
        for retired in glossary.retired {
            #expect(!retired.kept.isEmpty, "\(retired.word)")
            #expect(!retired.names.isEmpty, "\(retired.word)")
            for parts in retired.names {
                let name = "the" + parts.map(\.capitalized).joined()
                #expect(scanner.retired(in: name) != nil, "\(name)")
            }
            for phrase in retired.texts {
                let text = "There was \(phrase.joined(separator: " ")) in it."
                #expect(!scanner.texts(in: Array(text.utf8)).isEmpty, "\(text)")
            }
        }
    }

    @Test("What is allowed would be found, and says why it is allowed")
    func exceptions() throws {
        var scanner = GlossaryScanner(try Self.glossary())
        for (name, reason) in Self.allowedNames {
            #expect(scanner.retired(in: name) != nil, "\(name) needs no exception")
            #expect(reason.contains(" "), "\(name)")
        }
        let paths = try Self.repository.get().texts.keys
        for (path, found, reason) in Self.allowedTexts {
            #expect(!scanner.texts(in: Array(found.utf8)).isEmpty, "\(found) needs no exception")
            #expect(paths.contains { $0.hasPrefix(path) }, "there is no \(path)")
            #expect(reason.contains(" "), "\(path)")
        }
    }

    // MARK: The scanner

    @Test(
        "A retired word is found in every name",
        arguments: [
            ("struct CustomerStory {}", "CustomerStory"),
            ("final class CatalogShelf {}", "CatalogShelf"),
            ("let shelves = [1]", "shelves"), ("enum LedgerMold {}", "LedgerMold"),
            ("func rehearse() {}", "rehearse"), ("var wasRehearsed = false", "wasRehearsed"),
            ("let change = BothSides(a, b)", "BothSides"), ("var bothSides: Int", "bothSides"),
            ("let all: [SignedText] = []", "SignedText"),
            ("func signedTexts(in text: Int)", "signedTexts"),
            ("struct Letter {}", "Letter"), ("let newLetters = 0", "newLetters"),
            ("struct UnitState {}", "UnitState"), ("let chainUnits = 0", "chainUnits"),
            ("typealias State = LineState", "LineState"), ("case unknownLine", "unknownLine"),
            ("owner(ofLine: name)", "ofLine"), ("let sha = keptBodySHA256", "keptBodySHA256"),
            ("event.party", "party"), ("func ask(everybody: Bool)", "everybody"),
            ("if meansNobody(name) {}", "meansNobody"),
            ("let isPreview = true", "isPreview"), ("let room_two = 0, roomTwo = 1", "room_two"),
            ("let text = \"a \\(CustomerStory.first) b\"", "CustomerStory"),
        ])
    func badNames(code: String, name: String) throws {
        var scanner = GlossaryScanner(try Self.glossary())
        let hits = Self.names(in: SwiftCode(code), &scanner)
        #expect(hits.first?.found == name)
        #expect(hits.first?.line == 1)
    }

    @Test(
        "Names that only look like a retired word are none",
        arguments: [
            "let deadLetters = [DeadLetter]()", "if byte.isLetter {}", "let lines = text.lines",
            "let unit = \"UnitState\"", "// CustomerStory\nlet history = 1", "func stories() {}",
            "let body = request.body", "struct HistoryState {}", "let unitCost = 1",
            "let lineNumber = 1", "let question = 1", "func mould() {}", "feature.previewUses",
        ])
    func goodNames(code: String) throws {
        var scanner = GlossaryScanner(try Self.glossary())
        #expect(Self.names(in: SwiftCode(code), &scanner) == [])
    }

    @Test(
        "A retired word is found in comments, help texts, names of tests and pages",
        arguments: [
            ("Sources/A.swift", "/// Somebody asked.", "somebody", 1),
            ("Sources/A.swift", "let a = 1  // Nobody's.", "nobody", 1),
            ("Sources/A.swift", "let a = 1\n/* of\nanybody */", "anybody", 3),
            ("Sources/A.swift", "/// A signed\n/// text is kept.", "signed text", 1),
            ("Sources/A.swift", "let help = \"Put the letter away.\"", "letter", 1),
            ("Sources/A.swift", "let help = \"for \\(name), whoever\"", "whoever", 1),
            (
                "Sources/A.swift", "let help = \"\"\"\n    one \\\n    rehearsal\n    \"\"\"",
                "rehearsal", 3
            ),
            ("Tests/A.swift", "@Test(\"Everybody has it\") func a() {}", "everybody", 1),
            ("Tests/A.swift", "@Test(\n    \"It is on the shelf\", arguments: [])", "shelf", 2),
            ("Benchmarks/A.swift", "// A mold.", "mold", 1),
            ("docs/catalog.md", "# A page\n\nLetters wait.", "letters", 3),
            ("scripts/a.c", "int a;  // Whoever asks.", "whoever", 1),
        ])
    func badTexts(path: String, text: String, found: String, line: Int) throws {
        let scanner = GlossaryScanner(try Self.glossary())
        let hits = Self.prose(of: path, text).flatMap { scanner.texts(in: $0) }
        #expect(hits.map(\.found) == [found])
        #expect(hits.map(\.line) == [line])
    }

    @Test(
        "Texts that only look like a retired word are none",
        arguments: [
            ("Sources/A.swift", "/// A dead letter, or dead\n/// letters."),
            ("Sources/A.swift", "/// In capitals and in small letters."),
            ("Sources/A.swift", "/// The mark `nobody` of a row."),
            ("Sources/A.swift", "let somebody = 1"),
            ("Tests/A.swift", "let id = \"nobody\""),
            ("Tests/A.swift", "@Test(\"A customer\")\nfunc a() { use(\"nobody\") }"),
            ("docs/catalog.md", "A line of text, units of an amount, `everybody`."),
            ("docs/glossary.md", "| shelf |"), ("events/dozzi/catalog.yaml", "# for everybody"),
        ])
    func goodTexts(path: String, text: String) throws {
        let scanner = GlossaryScanner(try Self.glossary())
        #expect(Self.prose(of: path, text).flatMap { scanner.texts(in: $0) } == [])
    }

    @Test(
        "A name is read as the words that it is made of",
        arguments: [
            ("bodySHA256", ["body", "sha", "256"]), ("UUIDText", ["uuid", "text"]),
            ("room_two", ["room", "two"]), ("a", ["a"]), ("LineState2", ["line", "state", "2"]),
            ("_hidden", ["hidden"]),
        ])
    func parts(name: String, parts: [String]) {
        #expect(CamelCase.parts(name) == parts)
    }
}
