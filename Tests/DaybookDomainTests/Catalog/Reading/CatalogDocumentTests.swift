import DaybookDomain
import Testing

@Suite("A catalog document")
struct CatalogDocumentTests {
    static let mistakes: [Mistake] = [
        Mistake("nothing at all", 1, 1, ["empty", "app:"], ""),
        Mistake("only a comment", 1, 1, ["empty"], "# later\n"),
        Mistake("a list instead of a map", 1, 1, ["Expected a map, found a list"], "- app\n"),
        Mistake("an open quote", 3, 1, ["not valid YAML"], "app: x\ntitle: \"open\n"),
        Mistake("a tab as indentation", 3, 1, ["not valid YAML"], "app: x\npolicies:\n\tgap: x\n"),
        Mistake("two documents", 2, 1, ["not valid YAML", "document"], "app: x\n---\napp: y\n"),
        Mistake("an undefined alias", 2, 8, ["undefined alias"], "app: x\ntitle: *name\n"),
        Mistake("an anchor", 2, 8, ["anchor", "Write the value out"], "app: x\ntitle: &name X\n"),
        Mistake("an anchored key", 2, 1, ["anchor"], "app: x\n&name title: X\n"),
        Mistake(
            "a key twice", 4, 1, ["`title` stands twice", "first on line 2"],
            "app: x\ntitle: X\ndefaultLocale: nl\ntitle: Y\n"),
        Mistake(
            "a quoted key twice", 5, 3, ["`a.b` stands twice", "first on line 4"],
            "app: x\nmetadata:\n\n  \"a.b\": one\n  a.b: two\n"),
        Mistake(
            "a key twice in braces", 2, 12, ["`a` stands twice"],
            "app: x\nmetadata: {a: one, a: two}\n"),
        Mistake(
            "a number and its text as keys", 4, 3, ["`1` stands twice", "first on line 3"],
            "app: x\nmetadata:\n  1: one\n  \"1\": two\n"),
        Mistake("a list as key", 2, 3, ["A key is a list or a map"], "app: x\n? [a]\n: b\n"),
        Mistake(
            "deep nesting", 2, 22, ["deeper than 12 levels"],
            "app: x\nmetadata: [[[[[[[[[[[[[a]]]]]]]]]]]]]\n"),
    ]

    @Test(
        "A document that is not a catalog is refused at the place of the mistake",
        arguments: mistakes)
    func mistake(_ row: Mistake) {
        expect(row)
    }

    @Test("Invalid UTF-8 is refused at the line and column of the byte")
    func invalidUTF8() {
        let problems = CatalogSamples.problems(Array("app: x\ntitle: é".utf8) + [0xFF, 0x0A])
        #expect(problems.map(\.line) == [2])
        #expect(problems.map(\.column) == [9])
        #expect(problems.first?.sentence.contains("UTF-8") == true)
    }

    @Test("Lines that end with CR LF are counted like others")
    func carriageReturns() {
        let yaml = "app: x\r\ntitle: X\r\n\r\ntitle: Y\r\ntitel: Z\r\n"
        #expect(CatalogSamples.problems(yaml).map(\.line) == [4, 5])
    }

    @Test("A damaged document is a catalog or a list of places, never a crash")
    func damage() throws {
        let original = try CatalogSamples.bytes(ofApp: "nuzzle")
        let bytes = Array("\n :-{}[]\"'#&*|>%@!?,\t\r\u{0}a1".utf8) + [0xC3, 0xFF]
        for seed in 1...60 as ClosedRange<UInt64> {
            var state = seed &* 0x9E37_79B9_7F4A_7C15
            func next(_ bound: Int) -> Int {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return Int((state >> 33) % UInt64(bound))
            }
            var damaged = original
            for _ in 0...next(4) {
                let start = next(damaged.count)
                let end = min(damaged.count, start + next(40))
                switch next(3) {
                case 0: damaged.replaceSubrange(start..<end, with: [])
                case 1: damaged.insert(bytes[next(bytes.count)], at: start)
                default: damaged.insert(contentsOf: damaged[start..<end], at: next(damaged.count))
                }
            }
            for problem in CatalogSamples.problems(damaged) {
                #expect(problem.line >= 1 && problem.column >= 1, "seed \(seed): \(problem)")
            }
        }
    }

    @Test("A control character is refused at its place")
    func controlCharacter() {
        let problems = CatalogSamples.problems("app: x\ntitle: a\u{1}b\n")
        #expect(problems.map(\.line) == [2])
        #expect(problems.map(\.column) == [9])
    }

    @Test("A document of the largest size is read, one byte more is refused")
    func size() {
        let head = "app: x\n#"
        let full =
            head + String(repeating: "a", count: CatalogReader.byteCountMax - head.utf8.count)
        #expect(CatalogSamples.problems(full).isEmpty)
        let problems = CatalogSamples.problems(full + "a")
        #expect(problems.count == 1)
        #expect(problems.first?.sentence.contains("1048577 bytes") == true)
    }

    @Test("A thousand brackets are refused and nothing overflows")
    func brackets() {
        let open = String(repeating: "[", count: 100_000)
        let problems = CatalogSamples.problems("app: x\nmetadata: \(open)")
        #expect(problems.count == 1)
    }

    @Test("Aliases of aliases are refused before they grow", arguments: ["", "? "])
    func bomb(_ key: String) {
        var yaml = "app: x\na0: &a0 [x]\n"
        for level in 1...30 {
            let uses = Array(repeating: "*a\(level - 1)", count: 9).joined(separator: ", ")
            yaml += "a\(level): &a\(level) [\(uses)]\n"
        }
        yaml += "\(key)*a30 : 1\n"
        let problems = CatalogSamples.problems(yaml)
        #expect(problems.map(\.line) == [2])
        #expect(problems.map(\.column) == [5])
        #expect(problems.first?.sentence.contains("anchor") == true)
    }

    static let bombs: [(String, String)] = [
        ("names that begin with no letter", "_a"), ("digits", "1"), ("hyphens", "-a"),
        ("dots", ".a"), ("signs", "😀"), ("letters beyond ASCII", "é"), ("slashes", "/a!"),
    ]

    /// Nine aliases of each level in the next.
    private func levels(_ name: String, _ brackets: (String, String), _ use: (Int) -> String)
        -> String
    {
        var yaml = "app: x\nb: &\(name)0 [x]\n"
        for level in 1...30 {
            let uses = (1...9).map { use($0) + "*\(name)\(level - 1)" }.joined(separator: ", ")
            yaml += "a\(level): &\(name)\(level) \(brackets.0)\(uses)\(brackets.1)\n"
        }
        return yaml
    }

    @Test("A bomb is refused at its first anchor, whatever that is called", arguments: bombs)
    func oddNames(_ what: String, _ name: String) {
        let inKey = levels(name, ("[", "]")) { _ in "" } + "? *\(name)30\n: 1\n"
        let inNestedKeys = levels(name, ("{", "}")) { _ in "? " }
        let merged = levels(name, ("{", "}")) { _ in "<<: " } + "<<: *\(name)30\n"
        for yaml in [inKey, inNestedKeys, merged] {
            let problems = CatalogSamples.problems(yaml)
            #expect(problems.map(\.line) == [2], "\(what)")
            #expect(problems.first?.sentence.contains("anchor") == true)
        }
    }

    @Test("An anchor stops a document wherever it stands and whatever has it")
    func anchors() {
        for yaml in [
            "&r\napp: x\n", "app: &é x\n", "app: x\n? &k [a, b]\n: 1\n", "app: x\nm: !!map &_ {}\n",
            "app: x\nl:\n- &-1\n  a: b\n", "app: x\nt: &t \"q\"\n", "app: x\nt: &0 |\n  text\n",
        ] {
            let problems = CatalogSamples.problems(yaml)
            #expect(problems.count == 1)
            #expect(problems.first?.sentence.contains("anchor") == true, "\(yaml)")
        }
    }

    @Test("Values, levels and keys are bounded, however they are written")
    func bounds() {
        func sentence(_ yaml: String) -> String {
            CatalogSamples.problems(yaml).first?.sentence ?? "nothing"
        }
        let many = "app: x\nmetadata: [" + String(repeating: "1,", count: 300_000) + "1]\n"
        #expect(sentence(many).contains("more than 262144 values"))
        let key = String(repeating: "k", count: 1_025)
        #expect(sentence("app: x\n? \(key)\n: 1\n").contains("A key has 1025 bytes"))
        #expect(sentence("app: x\n? |\n  \(key)\n: 1\n").contains("A key has 1026 bytes"))
        let deep = (1...20).map { String(repeating: " ", count: 2 * $0) + "k:\n" }.joined()
        #expect(sentence("app: x\nmetadata:\n\(deep)").contains("deeper than 12 levels"))
        let keys = String(repeating: "? ", count: 40) + "a\n"
        #expect(sentence("app: x\n\(keys)").contains("deeper than 12 levels"))
        // Of many documents one is read, and that there is another is said.
        let documents = String(repeating: "---\napp: x\n", count: 50_000)
        #expect(sentence(documents).contains("document"))
    }

    @Test("Ampersands and stars within words are no anchors")
    func ampersands() {
        let yaml = "app: x\nmetadata:\n  a: Safe & Private\n  b: AT&T * B&B\n  c: \"*\"\n"
        #expect(CatalogSamples.problems(yaml).isEmpty)
    }

    @Test("All mistakes are found in one reading, in document order")
    func everything() {
        let yaml = """
            app: X Y
            titel: X
            title: X
            title: Y
            defaultLocale: dutch!
            defaultTimeZone: Amsterdam
            products:
              p:
                kind: consumabel
                prices: { regular: '2,99 USD' }
              p:
                kind: consumable
            meters:
              m: { kind: counter, limit: many }
              n: { kind: counter, limit: 1, requires: nothing }
            """
        let lines = CatalogSamples.problems(yaml).map(\.line)
        #expect(lines == [1, 2, 4, 5, 6, 9, 10, 11, 14, 15])
    }

    @Test("A problem prints its place, its path, what is wrong and what to do")
    func description() {
        let problems = CatalogSamples.problems("app: x\npolicies:\n  clok: accept\n")
        #expect(
            problems.map(\.description) == [
                "3:3 policies/clok: The key `clok` is unknown here. Did you mean `clock`?"
            ])
        #expect(CatalogProblems(problems).description == problems.first?.description)
    }
}
