import Testing

/// What `FolderUses` sees of a source and what it must not see, on sources of one line.
@Suite("How folders and their uses are read")
struct FolderUsesTests {
    /// What is said of a file in a lower folder, given the text of one in a higher folder.
    private static func climbs(_ lower: String, _ higher: String = "struct High {}") -> [String] {
        FolderUses(["low/User.swift": lower, "high/Type.swift": higher], order: ["low", "high"])
            .climbs
    }

    private static let climb =
        "low/User.swift is in low, which stands below high, and uses of it High"

    @Test(
        "A type of a higher folder is found wherever code names it",
        arguments: [
            "struct User { var high: High }",
            "func use(_ high: [High]?) {}",
            "extension High { func use() {} }",
            "extension [High] { func use() {} }",
            "let high = High.first",
            "let high = kind == .low ? nil : High()",
            "/* a /* b */ c */ let high = High()",
            "let low = 1 // one\nlet high = High()",
            #"let low = "\"", high = High()"#,
            #"let low = "\\", high = High()"#,
            #"let low = "", high = High()"#,
            ##"let low = #"""#, high = High()"##,
            ##"let low = #"\"#, high = High()"##,
            "let low = \"\"\"\n    a \" b\n    \"\"\"\nlet high = High()",
            "let low = #fileID, high = High()",
        ])
    func uses(text: String) {
        #expect(Self.climbs(text) == [Self.climb])
    }

    @Test(
        "What stands in an interpolation is code",
        arguments: [
            #"let text = "a \(High.name) b""#,
            #"let text = "a \(name(")", High.first)) b""#,
            #"let text = "a \(names.map { "\($0) of \(High.name)" }) b""#,
            #"let text = "\(low) a \(name((low), High.first))""#,
            ##"let text = #"a \#(High.name) b"#"##,
            "let text = \"\"\"\n    a \"b\" \\(High.name)\n    \"\"\"",
        ])
    func interpolations(text: String) {
        #expect(Self.climbs(text) == [Self.climb])
    }

    @Test(
        "Comments, text, longer names and names behind a dot are no uses",
        arguments: [
            "// High",
            "/// As `High` does.\nlet low = 1",
            "/* /* High */ High */ let low = 1",
            #"let text = "High""#,
            #"let text = "\" High""#,
            #"let text = "\(low) High""#,
            #"let text = "\(name(")")) High""#,
            ##"let text = #"\(High) " High"#"##,
            "let text = \"\"\"\n    \"High\" \\\"\"\" High\n    \"\"\"",
            "let low = Highland.first",
            "let low = _High",
            "let low = Kit.High.first",
            "struct User { enum High { case first } var high: High }",
            "private typealias High = Int",
        ])
    func noUses(text: String) {
        #expect(Self.climbs(text) == [])
    }

    @Test(
        "Whatever other files can name is known as a type",
        arguments: [
            "struct High {}", "public final class High {}", "package enum High: Int { case first }",
            "protocol High: Sendable {}", "actor High {}", "public typealias High = Int",
            "@frozen public indirect enum High { case first }",
            "#if os(Linux)\n    struct High {}\n#endif",
            "private let low = 1\nstruct High {}",
            "func use() { let low = 1 }\nstruct High<Low> {}",
            "extension Kit { struct High {} }",
            "extension [Kit] where Element: Low { public enum High { case first } }",
        ])
    func declarations(text: String) {
        #expect(Self.climbs("let high: High", text) == [Self.climb])
    }

    @Test(
        "What other files cannot name without its owner is known as none",
        arguments: [
            "private struct High {}", "fileprivate final class High {}",
            "struct Kit { struct High {} }", "extension Kit { private enum High { case first } }",
            "func use() { struct High {} }", "import struct Kit.High",
            "extension Kit { struct Low { struct High {} } }",
            "extension Kit { struct High {} }\nextension Low { struct High {} }",
        ])
    func noDeclarations(text: String) {
        #expect(Self.climbs("let high: High", text) == [])
    }

    @Test("A type that an extension declares is found behind a dot too")
    func members() {
        #expect(
            Self.climbs("let high: Kit.High", "extension Kit { struct High {} }") == [Self.climb])
    }

    @Test("Uses of lower folders and of one's own are none")
    func downward() {
        let folders = FolderUses(
            [
                "low/Low.swift": "struct Low {}", "high/High.swift": "struct High { var low: Low }",
                "high/User.swift": "struct User { var high: High }",
            ], order: ["low", "high"])
        #expect(folders.climbs == [])
        #expect(
            folders.arrows == [
                FolderUses.Arrow(file: "high/High.swift", type: "Low", from: "high", to: "low")
            ])
    }

    @Test("A folder in a folder, and the target's own, have places by themselves")
    func nested() {
        let folders = FolderUses(
            [
                "Root.swift": "struct Root { var part: Part }",
                "parts/Part.swift": "struct Part { var piece: Piece }",
                "parts/pieces/Piece.swift": "struct Piece {}",
            ], order: [".", "parts", "parts/pieces"])
        #expect(
            folders.climbs == [
                "Root.swift is in ., which stands below parts, and uses of it Part",
                "parts/Part.swift is in parts, which stands below parts/pieces, and uses of it Piece",
            ])
    }

    @Test("Of several folders that declare a name the lowest is meant, and one's own before all")
    func ambiguous() {
        let files = [
            "high/High.swift": "struct High {}",
            "middle/Middle.swift": "struct Middle { enum High {} }",
            "low/User.swift": "let high: High", "middle/User.swift": "let high: High",
        ]
        let folders = FolderUses(files, order: ["low", "middle", "high"])
        #expect(
            folders.climbs == [
                "low/User.swift is in low, which stands below middle, and uses of it High"
            ])
    }

    @Test("A circle is found whatever the order says, and told with one use for each arrow")
    func circle() {
        var files = [
            "a/A.swift": "struct A { var b: B }", "b/B.swift": "struct B { var c: C }",
            "c/C.swift": "struct C { var a: A }", "d/D.swift": "struct D { var a: A }",
        ]
        for order in [["a", "b", "c", "d"], ["c", "b", "a", "d"], []] {
            #expect(
                FolderUses(files, order: order).circles == [
                    "a, b, c form a circle: a/A.swift uses B of b; b/B.swift uses C of c; "
                        + "c/C.swift uses A of a"
                ])
        }
        files["c/C.swift"] = "struct C {}"
        #expect(FolderUses(files, order: ["c", "b", "a", "d"]).circles == [])
    }

    @Test("A folder without a place, and a place without a folder, are told")
    func misfits() {
        let folders = FolderUses(["new/New.swift": "struct New {}"], order: ["old"])
        #expect(
            folders.misfits == [
                "the folder new has no place in the order; give it one in FolderOrderTests.orders",
                "the order has the folder old, which has no files; take it out",
            ])
    }
}
