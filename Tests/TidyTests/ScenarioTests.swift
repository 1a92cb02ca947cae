import Foundation
import Testing

/// Every refusal of a decision has a test without a ledger: a case of `Rejection` that code of the domain throws is
/// named by a file in `Tests/DaybookDomainTests/Decisions`.
@Suite("Scenarios for every refusal")
struct ScenarioTests {
    private static let declaration = "Sources/DaybookDomain/Decisions/Command.swift"

    /// The cases that a text declares in its enumeration `Rejection`.
    static func cases(in text: String) -> [String] {
        guard let start = text.range(of: "enum Rejection") else { return [] }
        return text[start.upperBound...].split(separator: "\n").prefix { $0 != "}" }
            .filter { $0.hasPrefix("    case ") }
            .map { String($0.dropFirst(9).prefix { $0.isLetter || $0.isNumber }) }
    }

    /// The cases that some code throws and no test names.
    static func untested(_ cases: [String], thrownIn code: [String], testedIn tests: [String])
        -> [String]
    {
        cases.filter { name in
            let use = #"\."# + name + #"\b"#
            func isUsed(_ texts: [String]) -> Bool {
                texts.contains { $0.range(of: use, options: .regularExpression) != nil }
            }
            return isUsed(code) && !isUsed(tests)
        }
    }

    @Test("Every refusal that the domain makes is tested without a ledger")
    func refusals() throws {
        let texts = try RepositoryTexts(root: TidyTests.root).texts
        let cases = Self.cases(in: try #require(texts[Self.declaration]))
        #expect(cases.count > 40)
        func all(_ folder: String) -> [String] {
            texts.filter { $0.key.hasPrefix(folder) && $0.key != Self.declaration }.map(\.value)
        }
        let tests = all("Tests/DaybookDomainTests/Decisions/")
        #expect(tests.count > 3)
        let untested = Self.untested(
            cases, thrownIn: all("Sources/DaybookDomain/"), testedIn: tests)
        #expect(untested.isEmpty, "no scenario for \(untested.joined(separator: ", "))")
    }

    @Test("A refusal without a test is found")
    func canFail() {
        let text = """
            public enum Rejection: Error {
                case noGauge
                case full(meter: String)
                /// One that a ledger throws.
                case damaged
                var code: String { "" }
            }
            enum Other {
                case unrelated
            """
        let cases = Self.cases(in: text)
        #expect(cases == ["noGauge", "full", "damaged"])
        let code = ["throw .noGauge", "throw .full(meter: name)"]
        #expect(
            Self.untested(cases, thrownIn: code, testedIn: ["== .noGauge", ".fuller"]) == ["full"])
        #expect(Self.untested(cases, thrownIn: code, testedIn: [".noGauge .full(x)"]).isEmpty)
    }
}
