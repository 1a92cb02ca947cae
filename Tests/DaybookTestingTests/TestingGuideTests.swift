import Foundation
import Testing

/// What docs/testing.md shows is what the tests beside this one run.
@Suite("The guide to testing")
struct TestingGuideTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()

    /// The files of this folder, each by its lines.
    private static func files() throws -> [[String]] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { $0.hasSuffix(".swift") }.sorted()
            .map { try lines(of: folder.appending(path: $0)) }
    }

    /// The Swift blocks of the guide, each by its lines.
    private static func blocks() throws -> [[String]] {
        let guide = folder.appending(path: "../../docs/testing.md").standardized
        var blocks: [[String]] = []
        var block: [String]?
        for line in try lines(of: guide) {
            if line == "```swift" {
                block = []
            } else if line == "```", let whole = block {
                blocks.append(whole)
                block = nil
            } else {
                block?.append(line)
            }
        }
        return blocks
    }

    private static func lines(of file: URL) throws -> [String] {
        try String(contentsOf: file, encoding: .utf8)
            .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    /// Whether the lines stand in a file one after the other, all moved in by the same number of columns.
    private static func stands(_ block: [String], in file: [String]) -> Bool {
        file.indices.contains { start in
            let column = file[start].prefix { $0 == " " }.count
            let indentation = String(repeating: " ", count: column)
            let end = start + block.count
            return end <= file.count
                && zip(file[start..<end], block).allSatisfy { line, shown in
                    line == (shown.isEmpty ? "" : indentation + shown)
                }
        }
    }

    @Test("Every Swift block of the guide stands in these tests, word for word")
    func blocksAreRun() throws {
        let files = try Self.files()
        let blocks = try Self.blocks()
        #expect(blocks.count == 7)
        for block in blocks where !files.contains(where: { Self.stands(block, in: $0) }) {
            Issue.record("no file of these tests has:\n\(block.joined(separator: "\n"))")
        }
    }

    @Test("A block that was changed by a word is noticed")
    func changedBlocks() throws {
        let block = ["func a() {", "    b()", "", "}"]
        #expect(Self.stands(block, in: ["x", "  func a() {", "      b()", "", "  }"]))
        #expect(!Self.stands(block, in: ["x", "  func a() {", "      c()", "", "  }"]))
        #expect(!Self.stands(block, in: ["x", "  func a() {", "    b()", "", "  }"]))
        #expect(!Self.stands(block, in: ["  func a() {", "      b()", ""]))
    }

    @Test("These tests import of ours what a user of the package imports")
    func imports() throws {
        let imports = Set(try Self.files().joined().filter { $0.hasPrefix("import ") })
        #expect(
            imports == [
                "import Daybook", "import DaybookTesting", "import Foundation",
                "import Synchronization", "import Testing",
            ])
    }
}
