import Testing

@Suite("Command line: where an import's lines wait")
struct ImportSpaceTests {
    @Test("A file for whose lines there is no space is refused with a remedy")
    func noSpace() throws {
        let bench = try Workbench()
        let ledger = try bench.begin()
        let lines = (1...8_000).map { Lines.usage("s\($0)") }.joined()
        try bench.write(lines, to: "in.ndjson")
        let words = ["import", bench.path("in.ndjson"), "--ledger", ledger]
        let refused = try bench.run(words, environment: ["TMPDIR": bench.path("missing")])
        #expect(refused.status == 4)
        #expect(refused.errors.has("set TMPDIR to a folder with space"))
        #expect(try bench.events().count == 1)
        #expect(try bench.run(words).output.has("8,000 events appended"))
    }
}
