import Foundation
import Testing

/// Types of events, reasons and the like are types with raw values: code compares those, so that the compiler finds
/// what is misspelt.
@Suite("Compared texts")
struct ComparedTextTests {
    /// What is a type, by the name of its member.
    private static let members = [
        "type", "reason", "why", "deniedReason", "grantedReason", "scope",
    ]

    /// The lines of a file, from 1 on, in which one of the members is compared with a text in quotes.
    static func comparisons(in lines: [Substring]) -> [Int] {
        let names = members.joined(separator: "|")
        let member = #"\.(?:"# + names + #")\??(?:\.rawValue)?"#
        let patterns = [
            member + #" *(?:==|!=|~=) *""#, #"" *(?:==|!=) *[A-Za-z_.$0-9?]*"# + member + #"\b"#,
            #"\.(?:type|why)(?:\.rawValue)?\.has(?:Prefix|Suffix)\(""#,
            #"haveSameBytes\([^)]*"# + member + #", *""#,
            #"\b(?:type|event) *(?:==|!=) *"[a-z_]+\.[a-z_.]+""#,
            #"\["[a-z_]+\.[a-z_.]+".*\]\.contains\([^)]*"# + member + #"\)"#,
        ]
        let subject = #"switch [^{]*"# + member + #" \{$"#
        var found: [Int] = []
        // The column of the `switch` over a member that is open.
        var column: Int?
        for (index, line) in lines.enumerated() {
            let indent = line.prefix { $0 == " " }.count
            let code = line.dropFirst(indent)
            if code.hasPrefix("//") { continue }
            if let open = column, code.hasPrefix("}"), indent <= open { column = nil }
            // Every pattern has a quote in it.
            let isCompared =
                code.utf8.contains(UInt8(ascii: "\""))
                && patterns.contains { line.range(of: $0, options: .regularExpression) != nil }
            if isCompared || column == indent && code.hasPrefix("case \"") {
                found.append(index + 1)
            }
            if code.contains("switch "),
                line.range(of: subject, options: .regularExpression) != nil
            {
                column = indent
            }
        }
        return found
    }

    @Test("Sources compare no type of event, reason or why with a text in quotes")
    func sources() {
        for (path, _, lines) in TidyTests.sources() {
            for line in Self.comparisons(in: lines) {
                Issue.record("\(path):\(line) compares with a text; give the type a case for it")
            }
        }
    }

    @Test(
        "What compares with a text in quotes is found",
        arguments: [
            #"if draft.type == "catalog.published" {"#, #"$0.event.draft.type != "a.b""#,
            #"guard decision.reason == "limit_reached" else { return }"#,
            #"$0.why == "needs_assignment""#, #"source?.why?.rawValue == "expired""#,
            #""limit_reached" == decision.reason"#, #"draft.type.hasPrefix("catalog.")"#,
            #"haveSameBytes(event.draft.type, "subject.aliased")"#,
            #"if event != "subscription.started" {"#, #"["a.b", "c.d"].contains($0.draft.type)"#,
            "switch draft.type {\ncase \"a.b\": break\n}",
            "    switch decision.reason {\n    case .grant: break\n    case \"trial\": break\n    }",
        ])
    func found(text: String) {
        #expect(Self.comparisons(in: text.split(separator: "\n")).count == 1)
    }

    @Test(
        "What compares types, or texts of other things, passes",
        arguments: [
            "draft.type == .catalogPublished", #"fields["type"] == "prorated""#,
            #"// decision.reason == "limit_reached""#, #"draft.type.isOf(.catalog)"#,
            #"data["reason"]?.text == "refunded""#,
            "switch draft.type {\ncase .grantIssued: break\n}\nswitch word {\ncase \"a\": break\n}",
        ])
    func passed(text: String) {
        #expect(Self.comparisons(in: text.split(separator: "\n")) == [])
    }
}
