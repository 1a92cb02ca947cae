import Foundation
import Testing

/// docs/catalog-examples.md: every section in an empty folder, and what its commands print.
@Suite("Command line: catalogs by example")
struct CatalogExamplesTests {
    struct Example: Sendable, CustomTestStringConvertible {
        var title: String
        var catalog: String
        /// Each command with the lines that it is shown to print.
        var commands: [(command: String, lines: [String])]
        var testDescription: String { title }
    }

    /// The kinds that must be there, so that none is lost unnoticed.
    private static let titles = [
        "A counter by calendar month", "A counter from Monday to Sunday, and one from first sight",
        "A counter by the day of billing", "A counter from a stated time",
        "A counter of fixed hours", "A gauge", "A window", "A reading", "A single grant",
        "A grant that comes again", "Consumable credits", "A non-consumable",
        "A non-renewing subscription", "An auto-renewable subscription with a trial",
    ]

    /// The sections that have a catalog and commands; none where the document cannot be read, which a test reports.
    static let examples: [Example] = {
        let path = "\(Workbench.repository)/docs/catalog-examples.md"
        guard let document = try? String(contentsOfFile: path, encoding: .utf8) else { return [] }
        return document.components(separatedBy: "\n## ").dropFirst().compactMap { section in
            guard let catalog = block("yaml", of: section), let session = block("text", of: section)
            else { return nil }
            var commands: [(command: String, lines: [String])] = []
            for line in session.components(separatedBy: "\n") {
                if line.hasPrefix("$ ") {
                    commands.append((String(line.dropFirst(2)), []))
                } else if !commands.isEmpty, !line.isEmpty {
                    commands[commands.count - 1].lines.append(line)
                }
            }
            return Example(
                title: section.components(separatedBy: "\n")[0], catalog: catalog,
                commands: commands)
        }
    }()

    private static func block(_ language: String, of section: String) -> String? {
        let parts = section.components(separatedBy: "\n```\(language)\n")
        guard parts.count == 2 else { return nil }
        return parts[1].components(separatedBy: "\n```")[0] + "\n"
    }

    /// Words with one space between them: tables are as wide as what stands in them.
    private static func words(_ line: String) -> String {
        line.split(separator: " ").joined(separator: " ")
    }

    /// Whether a printed line is the one that is shown, of which `…` may stand for a part.
    private static func matches(_ printed: String, _ shown: String) -> Bool {
        let parts = words(shown).components(separatedBy: "…")
        var rest = Substring(words(printed))
        guard let first = parts.first, let last = parts.last, rest.hasPrefix(first) else {
            return false
        }
        guard parts.count > 1 else { return rest == first }
        rest = rest.dropFirst(first.count)
        for part in parts.dropFirst().dropLast() {
            guard let found = rest.firstRange(of: part) else { return false }
            rest = rest[found.upperBound...]
        }
        return rest.hasSuffix(last)
    }

    @Test("There is an example of every kind of meter, grant and product")
    func all() {
        #expect(Self.examples.map(\.title) == Self.titles)
    }

    @Test(
        "An example prints what it shows, in an empty folder",
        arguments: CatalogExamplesTests.examples)
    func runs(_ example: Example) throws {
        let bench = try Workbench()
        try bench.write(example.catalog, to: "catalog.yaml")
        let made = try bench.run("init ledger.sqlite --catalog catalog.yaml")
        try #require(made.status == 0, "\(made.errors)")
        for (command, lines) in example.commands {
            let isQuestion =
                command.hasPrefix("daybook check ") || command.hasPrefix("daybook status ")
            #expect(!isQuestion || !lines.isEmpty, "\(command) shows nothing that could be wrong")
            let result = try bench.shell(
                command, environment: ["DAYBOOK_LEDGER": bench.path("ledger.sqlite")])
            let isNo = lines.contains { $0.hasPrefix("✗ no") }
            #expect(result.status == (isNo ? 1 : 0), "\(command): \(result.errors)")
            var printed = result.output.components(separatedBy: "\n")[...]
            for line in lines {
                guard let index = printed.firstIndex(where: { Self.matches($0, line) }) else {
                    Issue.record("\(command)\nprints no line: \(line)\nbut:\n\(result.output)")
                    break
                }
                printed = printed[(index + 1)...]
            }
        }
    }

    @Test("A line that is shown otherwise is found out")
    func comparison() {
        #expect(Self.matches("  a  b, c", " a b, c"))
        #expect(!Self.matches("  a  b, c", " a b"))
        #expect(!Self.matches("  a  b", " a b, c"))
        #expect(Self.matches("swim  ✓  apple:1  until x", "swim ✓ … until x"))
        #expect(!Self.matches("swim  ✓  apple:1  until x", "swim ✓ … until y"))
        #expect(!Self.matches("swim  ✗  apple:1  until x", "swim ✓ … until x"))
    }
}
