import Foundation
import Testing

/// Tests that do more in a longer tier are run by it: `scripts/test-extended` names them by area, `make soak` by a
/// filter.
@Suite("Areas of the longer tiers")
struct AreaTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// What a suite asks when it does more in a longer tier, or begins with another seed there.
    private static let marks = [
        "DAYBOOK_TIER", "LawTests.seed", "LawTests.permutations", "Tier.isExtended",
    ]

    private static func suites() throws -> Set<String> {
        let tests = root.appending(path: "Tests")
        let walk = try #require(FileManager.default.enumerator(atPath: tests.path))
        var found: Set<String> = []
        for case let path as String in walk where path.hasSuffix("Tests.swift") {
            let text = try String(contentsOf: tests.appending(path: path), encoding: .utf8)
            let name = String(path.split(separator: "/").last?.dropLast(".swift".count) ?? "")
            let isMarked = marks.contains { text.contains($0) }
            if name != "AreaTests", isMarked { found.insert(name) }
        }
        return found
    }

    @Test("Every suite that does more in a longer tier is run there, and what is named exists")
    func areas() throws {
        let script = try String(
            contentsOf: Self.root.appending(path: "scripts/test-extended"), encoding: .utf8)
        let start = try #require(script.range(of: "declare -A areas=("))
        let end = try #require(script.range(of: "\n)\n", range: start.upperBound..<script.endIndex))
        let words = script[start.upperBound..<end.lowerBound].split {
            !$0.isLetter && $0 != "_"
        }
        let named = Set(words.map(String.init).filter { $0.hasSuffix("Tests") })
        let suites = try Self.suites()
        let soaked = suites.filter { $0.hasSuffix("SoakTests") || $0.hasSuffix("KillTests") }
        #expect(suites.subtracting(soaked) == named)
        #expect(suites.count > 20 && !soaked.isEmpty)
    }
}
