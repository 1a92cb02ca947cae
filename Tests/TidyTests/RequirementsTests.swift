import Foundation
import Testing

/// The requirements table: one row for each id, and every test that it names exists.
@Suite("Requirements")
struct RequirementsTests {
    /// One row of a table.
    struct Row: Sendable {
        var file: String
        var line: Int
        var id: String
        var proof: String
        /// What no test asserts, in words; empty where the row is proven.
        var missing: String

        /// The names between backticks that stand alone between semicolons: tests.
        var tests: [String] { proof.matches(of: Self.test).map { String($0.1) } }

        /// Whether all that stands in the cell are tests.
        var hasTestsOnly: Bool {
            proof.replacing(Self.test, with: "").allSatisfy { $0 == ";" || $0 == " " }
        }

        var isProven: Bool { !tests.isEmpty && missing.isEmpty }
        var isInPart: Bool { !tests.isEmpty && !missing.isEmpty }

        private static var test: Regex<(Substring, Substring)> { /(?:^|; )`([^`]+)`(?=; |$)/ }
    }

    /// How many ids each prefix has in the domain's list of requirements.
    static let counts: KeyValuePairs = [
        "X": 15, "DZ": 45, "MS": 67, "OL": 33, "FR": 34, "NZ": 31,
    ]

    static var ids: [String] {
        counts.flatMap { prefix, count in
            (1...count).map { "\(prefix)-" + ($0 < 10 ? "0\($0)" : "\($0)") }
        }
    }

    private static let folder = TidyTests.root.appending(path: "docs/requirements")

    static func files() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { $0.hasSuffix(".md") }.sorted()
    }

    static func rows(of file: String) throws -> [Row] {
        let text = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
        return text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
            .compactMap { index, line in
                let cells = line.split(separator: "|", omittingEmptySubsequences: false)
                    .map { $0.trimmingCharacters(in: .whitespaces) }
                // A row is id, requirement, proof and what is missing between bars; heading and rule are none.
                guard cells.count == 6, cells[1].contains("-"), cells[1].first != "-" else {
                    return nil
                }
                return Row(
                    file: file, line: index + 1, id: cells[1], proof: cells[3], missing: cells[4])
            }
    }

    static func rows() throws -> [Row] { try files().flatMap(rows) }

    /// The names of all tests, as written.
    static func testNames() throws -> Set<String> {
        let folder = TidyTests.root.appending(path: "Tests")
        let files = FileManager.default.enumerator(atPath: folder.path)
        var names: Set<String> = []
        let pattern = /@Test\(\s*"((?:[^"\\]|\\.)*)"/
        while let path = files?.nextObject() as? String {
            guard path.hasSuffix(".swift") else { continue }
            let text = try String(contentsOf: folder.appending(path: path), encoding: .utf8)
            for match in text.matches(of: pattern) { names.insert(String(match.1)) }
        }
        return names
    }

    @Test("Every requirement stands in the table exactly once")
    func complete() throws {
        let rows = try Self.rows()
        let places = Dictionary(grouping: rows, by: \.id)
        #expect(Self.ids.count == 225)
        #expect(Self.ids.filter { places[$0] == nil } == [], "missing")
        for (id, rows) in places where rows.count > 1 {
            let lines = rows.map { "\($0.file):\($0.line)" }.joined(separator: ", ")
            Issue.record("\(id) stands \(rows.count) times: \(lines)")
        }
        let known = Set(Self.ids)
        for row in rows where !known.contains(row.id) {
            Issue.record("\(row.file):\(row.line): \(row.id) is no requirement")
        }
    }

    @Test("Every test that the table names exists under exactly that name")
    func named() throws {
        let names = try Self.testNames()
        let rows = try Self.rows()
        #expect(rows.contains { !$0.tests.isEmpty })
        for row in rows {
            for test in row.tests where !names.contains(test) {
                Issue.record("\(row.file):\(row.line): \(row.id): no test is named \"\(test)\"")
            }
        }
    }

    @Test("Every row has a test, or says what is missing, and nothing else stands among the tests")
    func reasoned() throws {
        for row in try Self.rows() {
            let place = "\(row.file):\(row.line): \(row.id)"
            #expect(row.hasTestsOnly, "\(place) has words among its tests")
            #expect(
                !row.tests.isEmpty || row.missing.contains { $0.isLetter },
                "\(place) has neither test nor reason")
        }
    }

    @Test("The index links every table and states its totals")
    func totals() throws {
        let place = TidyTests.root.appending(path: "docs/requirements.md")
        let index = try String(contentsOf: place, encoding: .utf8)
        var expected = index.split(separator: "\n", omittingEmptySubsequences: false).map(
            String.init)
        var all: [Row] = []
        func state(_ rows: [Row], inLineWith words: String) {
            guard let line = expected.firstIndex(where: { $0.contains(words) }) else {
                Issue.record("docs/requirements.md has no line with \(words)")
                return
            }
            let (proven, inPart) = (rows.count(where: \.isProven), rows.count(where: \.isInPart))
            let cells = expected[line].split(separator: "|").prefix(2).joined(separator: "|")
            expected[line] =
                "|\(cells)| \(rows.count) | \(proven) | \(inPart) | \(rows.count - proven - inPart) |"
        }
        for file in try Self.files() {
            let rows = try Self.rows(of: file)
            all += rows
            state(rows, inLineWith: "(requirements/\(file))")
        }
        state(all, inLineWith: "| all |")
        let text = expected.joined(separator: "\n")
        if ProcessInfo.processInfo.environment["RECORD_GOLDEN"] == "1" {
            try text.write(to: place, atomically: true, encoding: .utf8)
        } else {
            #expect(index == text, "RECORD_GOLDEN=1 writes the totals anew")
        }
    }
}
