import Crypto
import DaybookEvents
import Foundation
import Testing

/// The fields and the example of docs/replay.md, against the engine.
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

    // MARK: Fields

    /// The codec of each part of a state, and the type whose fields another file of the part writes.
    private static let codecs = [
        (file: "Entitlements/EntitlementsCodec", type: "CustomerState", part: "of a customer"),
        (file: "Usage/UsageCodec", type: "UsageState", part: "of what a customer used"),
        (file: "Entitlements/EntitlementsCodec", type: "LineageState", part: "of a lineage"),
        (file: "Funnels/FunnelsCodec", type: "FunnelState", part: "of the funnel steps"),
    ]
    /// Elements that have a type with a writer of its own.
    private static let elements = ["transactions": "TransactionFact", "grants": "GrantFact"]

    /// The fields of the state and of each list in it, as a table of the page says: `name meter`, `at`.
    private func tableFields(_ part: String, in page: String) throws -> [String: [String]] {
        let start = try #require(page.range(of: "\n| \(part) | fields |\n|---|---|\n"), "\(part)")
        let rows = page[start.upperBound...].components(separatedBy: "\n").prefix {
            $0.hasPrefix("|")
        }
        return rows.reduce(into: [:]) { fields, row in
            let cells = row.components(separatedBy: "|")
            let name = cells[1].firstMatch(of: /`(\w+)`/).map { String($0.1) } ?? "the state"
            let kinds = /(?:(list|stated|name|bool|byte|reference|rank|order) )?`(\w+)`/
            fields[name] = cells[2].matches(of: kinds).map { match in
                (match.1.map { "\($0) " } ?? "") + match.2
            }
        }
    }

    /// The same as the code writes them.
    private func codedFields(_ type: String, in code: String) throws -> [String: [String]] {
        var fields: [String: [String]] = [:]
        func walk(_ type: String, as owner: String) throws {
            let start = try #require(
                code.firstMatch(of: try Regex("extension (\\w+\\.)?\(type) \\{")))
            let end = try #require(code[start.range.upperBound...].range(of: "\n}"))
            var list = owner
            let calls = /(writer|\$0)\.(\w+)\((?:Int64\()?([\w.$]+)/
            for call in code[start.range.upperBound..<end.lowerBound].matches(of: calls) {
                let path = call.3.replacing(".rawValue", with: "")
                var name = String(path.split(separator: ".").last ?? "")
                if name == "$1" { name = list }
                let isInList = call.1 == "$0"
                switch call.2 {
                case "array", "stated":
                    fields[owner, default: []].append(
                        "\(call.2 == "array" ? "list" : "stated") \(name)")
                    list = name
                    if let element = Self.elements[name] { try walk(element, as: name) }
                case "integer": fields[isInList ? list : owner, default: []].append(name)
                default: fields[isInList ? list : owner, default: []].append("\(call.2) \(name)")
                }
            }
        }
        try walk(type, as: "the state")
        return fields
    }

    @Test("The fields of the page are those that the code writes, in its order")
    func fields() throws {
        let page = try String(contentsOfFile: Self.document, encoding: .utf8)
        for codec in Self.codecs {
            let code = try String(
                contentsOfFile:
                    "\(Workbench.repository)/Sources/DaybookDomain/Projections/\(codec.file).swift",
                encoding: .utf8)
            let coded = try codedFields(codec.type, in: code)
            #expect(coded["the state"]?.isEmpty == false)
            #expect(try tableFields(codec.part, in: page) == coded, "\(codec.part)")
        }
    }
}
