import Foundation
import Testing

/// Whatever a text cites is there: rules, laws, edge cases, requirements, decisions and pages.
///
/// Numbers without a text behind them look like knowledge and are none. What is cited has an anchor in `docs/`, or is a
/// public standard, which is named before its section (RFC 9562 §4).
@Suite("Citations")
struct CitationTests {
    /// The one place that reads what lies beside the repository, where it is there, and says so where it is not.
    private static let readsOutside = "SharedVectors.swift"

    private static let repository = Result { try RepositoryTexts(root: TidyTests.root) }

    private static func decisionFiles() throws -> [String] {
        let folder = TidyTests.root.appending(path: "docs/decisions")
        return try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { $0.first?.isNumber == true }.sorted()
    }

    /// What there is to cite.
    private struct Places {
        let repository: RepositoryTexts
        let requirements: Set<String>
        let decisions: Set<String>

        init() throws {
            repository = try CitationTests.repository.get()
            requirements = Set(try RequirementsTests.rows().map(\.id))
            decisions = Set(try CitationTests.decisionFiles().map { String($0.prefix(4)) })
        }

        private func isAnchor(_ anchor: String, _ page: String) -> Bool {
            repository.anchors[page]?.contains(anchor) == true
        }

        /// Why a citation leads nowhere; `nil`: it leads somewhere.
        func problem(with citation: Citation, from path: String) -> String? {
            let name = citation.name
            switch citation.kind {
            case .rule:
                return isAnchor("rule-\(name)", "docs/rules.md") ? nil : "there is no rule \(name)"
            case .law:
                return isAnchor("law-\(name)", "docs/laws.md") ? nil : "there is no law \(name)"
            case .edgeCase, .trap, .peerCase:
                return isAnchor(name.lowercased(), "docs/edge-cases.md")
                    ? nil : "docs/edge-cases.md has no \(name)"
            case .requirement:
                return requirements.contains(name) ? nil : "there is no requirement \(name)"
            case .decision: return decisions.contains(name) ? nil : "there is no decision \(name)"
            case .document: return repository.problem(with: name, from: path, isLink: false)
            case .section: return "a section of what? name a page with its anchor, or a standard"
            case .outside:
                let reads = path.hasSuffix("/\(CitationTests.readsOutside)")
                return reads ? nil : "\(name) is not in this repository"
            }
        }
    }

    // MARK: The repository

    @Test("Every citation leads to something that is in the repository")
    func citations() throws {
        let places = try Places()
        var counts: [Citation.Kind: Int] = [:]
        for (path, text) in places.repository.texts.sorted(by: { $0.key < $1.key })
        where !RepositoryTexts.exempt.contains(path) {
            for passage in RepositoryTexts.passages(of: text, path: path) {
                for citation in CitationScanner.citations(in: passage.text) {
                    counts[citation.kind, default: 0] += 1
                    if let problem = places.problem(with: citation, from: path) {
                        Issue.record("\(path):\(passage.line): \(problem)")
                    }
                }
            }
        }
        // A scanner that sees nothing finds no mistake.
        for kind in Citation.Kind.allCases where kind != .section && kind != .outside {
            #expect(counts[kind, default: 0] >= 10, "\(kind) is hardly cited: is it still found?")
        }
    }

    @Test("Every link of a page leads to a file, and to a heading or an id in it")
    func links() throws {
        let repository = try Self.repository.get()
        var count = 0
        for (path, text) in repository.texts.sorted(by: { $0.key < $1.key })
        where path.hasSuffix(".md") {
            for link in RepositoryTexts.links(of: text) {
                count += 1
                if let problem = Self.problem(with: link, from: path, repository) {
                    Issue.record("\(path):\(link.line): \(problem)")
                }
            }
        }
        #expect(count > 100)
    }

    private static func problem(
        with link: RepositoryTexts.Link, from path: String, _ repository: RepositoryTexts
    ) -> String? {
        if let problem = repository.problem(with: link.target, from: path, isLink: true) {
            return problem
        }
        // A label that is a decision's number is that of its file.
        let number = link.label.split(separator: " ").last ?? ""
        guard number.count == 4, number.allSatisfy(\.isNumber), link.target.hasSuffix(".md") else {
            return nil
        }
        let file = link.target.split(separator: "/").last ?? ""
        return file.hasPrefix(number) ? nil : "\(number) is the label of \(file)"
    }

    // MARK: The pages that are cited

    /// The tests that a text names between backticks.
    private static func tests(in text: Substring) -> [Substring] {
        text.split(separator: "`").filter {
            $0.hasSuffix("Tests") && $0.allSatisfy { $0.isLetter || $0.isNumber }
        }
    }

    private static func testFiles() throws -> Set<String> {
        let names = try repository.get().texts.keys.filter {
            $0.hasPrefix("Tests/") && $0.hasSuffix("Tests.swift")
        }.map { ($0.split(separator: "/").last ?? "").dropLast(".swift".count) }
        return Set(names.map { String($0) })
    }

    @Test(
        "Each rule and law says why, what follows and which tests prove it",
        arguments: [("docs/rules.md", "rule", 33), ("docs/laws.md", "law", 9)])
    func shape(_ page: String, _ kind: String, _ count: Int) throws {
        let text = try #require(try Self.repository.get().texts[page])
        let sections = text.split(separator: "<a id=\"\(kind)-").dropFirst()
        #expect(sections.map { $0.prefix { $0 != "\"" } } == (1...count).map { "\($0)" })
        let files = try Self.testFiles()
        for section in sections {
            let title = section.split(separator: "\n")[0].split(separator: ">").last ?? ""
            for part in [kind.capitalized, "Why", "Consequence", "Test"] {
                #expect(section.contains("\n**\(part).** "), "\(title) has no **\(part).**")
            }
            let proof = section.split(separator: "\n").last { $0.hasPrefix("**Test.**") } ?? ""
            let tests = Self.tests(in: proof)
            #expect(!tests.isEmpty, "\(title) names no test")
            for test in tests where !files.contains(String(test)) {
                Issue.record("\(title): there is no \(test).swift below Tests/")
            }
        }
    }

    @Test("Every edge case and trap has a row, and a test or the reason why there is none")
    func edgeCases() throws {
        let text = try #require(try Self.repository.get().texts["docs/edge-cases.md"])
        let rows = text.split(separator: "\n").filter { $0.hasPrefix("| <a id=") }
        let ids = rows.map { row in
            String(row.drop { $0 != ">" }.dropFirst("></a>".count).prefix { $0 != " " })
        }
        func numbers(_ prefix: Character) -> [Int] {
            ids.filter { $0.first == prefix }.compactMap { Int($0.dropFirst()) }
        }
        #expect(numbers("E") == Array(1...85))
        #expect(numbers("T") == Array(1...31))
        #expect(numbers("M") == Array(1...6))
        #expect(numbers("P") == Array(1...4))
        let files = try Self.testFiles()
        for (id, row) in zip(ids, rows) {
            #expect(
                row.hasPrefix("| <a id=\"\(id.lowercased())\"></a>"), "\(id) has another anchor")
            let tests = Self.tests(in: row)
            let isReasoned = row.contains("Not in this round: ") || row.contains("No test: ")
            #expect(tests.isEmpty == isReasoned, "\(id) has a test or the reason why there is none")
            for test in tests where !files.contains(String(test)) {
                Issue.record("\(id): there is no \(test).swift below Tests/")
            }
        }
    }

    @Test("The index of decisions has every record, with its title, and the numbers have no jumps")
    func decisions() throws {
        let texts = try Self.repository.get().texts
        let files = try Self.decisionFiles()
        #expect(!files.isEmpty)
        var expected: [String] = []
        for (index, file) in files.enumerated() {
            let number = String(repeating: "0", count: 4 - String(index + 1).count) + "\(index + 1)"
            #expect(file.hasPrefix("\(number)-"), "\(file) should have the number \(number)")
            let title = texts["docs/decisions/\(file)"]?.split(separator: "\n").first ?? ""
            #expect(title.hasPrefix("# \(file.prefix(4)) "), "\(file) is titled \(title)")
            expected.append("| \(file.prefix(4)) | [\(title.dropFirst(7))](\(file)) |")
        }
        let index = try #require(texts["docs/decisions/README.md"])
        let rows = index.split(separator: "\n").filter { $0.hasPrefix("| 0") }
        #expect(rows.count == expected.count)
        for line in expected where !rows.contains(where: { $0.hasPrefix(line) }) {
            Issue.record("docs/decisions/README.md has no line \(line) … |")
        }
        for row in rows {
            let cells = row.split(separator: "|", omittingEmptySubsequences: false)
            #expect(cells.count == 6, "\(row) is number, title, decision and former number")
            #expect(cells.count < 4 || cells[3].contains { $0.isLetter }, "\(row) says nothing")
        }
    }

    // MARK: The scanner

    @Test(
        "What leads nowhere is found",
        arguments: [
            ("/// Renewals come early (rule 34).", "there is no rule 34"),
            ("Rules 4, 8 and 40 say so.", "there is no rule 40"),
            ("rules 32 to 34", "there is no rule 34"),
            ("what law 0 asks for", "there is no law 0"),
            ("@Test(\"E86 A case without a text\")", "docs/edge-cases.md has no E86"),
            ("One claim stands (T32).", "docs/edge-cases.md has no T32"),
            ("M07 and P05", "docs/edge-cases.md has no M07"),
            ("DZ-46 asks for more", "there is no requirement DZ-46"),
            ("see decision 0999", "there is no decision 0999"),
            ("decisions 0001 and 0998", "there is no decision 0998"),
            (
                "`docs/decisions/0001-another-title.md`",
                "there is no docs/decisions/0001-another-title.md"
            ),
            ("docs/rules.md#rule-34", "docs/rules.md has no anchor rule-34"),
            ("docs/cli.md#nowhere has it", "docs/cli.md has no anchor nowhere"),
            ("The table of semantics.md", "there is no semantics.md"),
            ("(semantics, rule 14)", "semantics is not in this repository"),
            ("../shared/vectors/apple", "shared/ is not in this repository"),
            ("the limit that design §4 sets", "a section of what?"),
            ("rules §2.2 and §2.3", "a section of what?"),
            ("RFC 9562, and then design §4", "a section of what?"),
        ])
    func mistakes(_ text: String, _ problem: String) throws {
        let places = try Places()
        let problems = CitationScanner.citations(in: text).compactMap {
            places.problem(with: $0, from: "Sources/Daybook/Ledger.swift")
        }
        #expect(problems.contains { $0.hasPrefix(problem) }, "found \(problems)")
    }

    @Test(
        "What only looks like a citation is none",
        arguments: [
            "\"caf\\u{E9}\" and \\u{E901}", "0xE12, #E51, 3.E10 and 00000000-E21-4000",
            "E164, E5 and T",
            "\\(day)T00:00:00Z", "2026-03-01T10:00:00Z", "M1, P1D, PT10M and P2W", "T10:00",
            "X-1, DZ-100, aX-01 and x-X-01", "the rule of thumb, rule2, ruler 40", "lawn 12",
            "a decision of 2026", "https://example.com/docs/missing.md", "NNNN-title.md and .md",
            "RFC 9562 §4", "(RFC 5280 §4.2.1.3, §4.2.1.9)", "Unicode TR #36 §2.4", "YAML 1.2 §5.7",
            "(https://www.sqlite.org/fileformat2.html, §1.6 and §2.1)",
            "SQLite file format §1.3.18",
        ])
    func innocents(_ text: String) {
        #expect(CitationScanner.citations(in: text) == [])
    }

    @Test("What is cited is read as it stands there, also over the lines of a comment")
    func reading() {
        let comment = """
                /// A reset is evidence (rules 14 and
                /// 23, law 1; E61, DZ-13).
                let key = "reset"  // Decision 0006, docs/rules.md#rule-14.
            """
        let passages = RepositoryTexts.passages(of: comment, path: "Sources/A.swift")
        #expect(passages.map(\.line) == [1, 3])
        #expect(
            passages.flatMap { CitationScanner.citations(in: $0.text) } == [
                Citation(kind: .rule, name: "14"), Citation(kind: .rule, name: "23"),
                Citation(kind: .law, name: "1"), Citation(kind: .edgeCase, name: "E61"),
                Citation(kind: .requirement, name: "DZ-13"),
                Citation(kind: .decision, name: "0006"),
                Citation(kind: .document, name: "docs/rules.md#rule-14"),
            ])
    }

    @Test("Anchors are those that GitHub makes of headings, and ids; links in code are none")
    func page() throws {
        let page = """
            # A page: `code`, and more

            ## <a id="rule-1"></a>Rule 1: Three times
            ## Twice
            ## Twice

            ```
            # no heading, [no link](nowhere.md)
            ```
            See [this](#twice-1), `[not](that.md)`, [there](https://example.com) and [0001](a/0002-b.md).
            """
        #expect(
            RepositoryTexts.anchors(of: page) == [
                "a-page-code-and-more", "rule-1", "rule-1-three-times", "twice", "twice-1",
            ])
        let links = RepositoryTexts.links(of: page)
        #expect(links.map(\.target) == ["#twice-1", "a/0002-b.md"])
        #expect(links.map(\.line) == [10, 10])
        let repository = try Self.repository.get()
        let label = RepositoryTexts.Link(
            line: 1, label: "0001", target: "decisions/0002-references-as-128-bits.md")
        #expect(
            Self.problem(with: label, from: "docs/cli.md", repository)
                == "0001 is the label of 0002-references-as-128-bits.md")
    }
}
