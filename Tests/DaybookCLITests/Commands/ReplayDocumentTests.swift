import Crypto
import DaybookEvents
import Foundation
import Testing

/// The example at the end of docs/replay.md, against the engine.
@Suite("The digest as docs/replay.md writes it")
struct ReplayDocumentTests {
    private static let document = "\(Workbench.repository)/docs/replay.md"
    private static let stream =
        "\(Workbench.repository)/events/dozzi/two-stories-then-paywall.ndjson"

    /// The lines of a fenced block.
    private func block(_ language: String) throws -> [String] {
        let text = try String(contentsOfFile: Self.document, encoding: .utf8)
        let start = try #require(text.range(of: "\n```\(language)\n"))
        let end = try #require(text[start.upperBound...].range(of: "\n```"))
        return text[start.upperBound..<end.lowerBound].components(separatedBy: "\n")
    }

    /// The bytes at the beginning of a line: pairs of digits, one space between groups, two before the words.
    private func bytes(_ line: String) throws -> [UInt8] {
        let digits = line.components(separatedBy: "  ")[0].replacing(" ", with: "")
        return try #require(Digest.bytes(hexadecimal: digits), "\(line)")
    }

    @Test("The bytes of the page are those of the state, and their SHA-256 is the digest")
    func example() throws {
        let bytes = try block("bytes").flatMap(bytes)
        let digest = SHA256.hash(data: bytes).map { String(format: "%02x", $0) }.joined()
        #expect(try block("digest") == [digest])
        let replay = try Workbench().run("replay \(Self.stream) --json")
        #expect(try replay.json["digest"] == .string(digest))
        #expect(try replay.json["aggregates"] == 1)
    }
}
