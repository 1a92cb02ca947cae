import DaybookEvents
import DaybookTesting
import Testing

/// Names by number, in layers that copies share.
@Suite("Names")
struct NameTableTests {
    /// What a table must say, as an array that is looked through.
    private struct Model {
        var texts: [String] = []

        func check(_ table: NameTable, _ random: inout SplitMix64) {
            #expect(table.count == texts.count)
            #expect(table[0] == "" && table[NameID(texts.count + 1)] == "")
            #expect(table.id(of: "") == 0 && table.id(of: "none of them") == nil)
            for _ in 0..<40 where !texts.isEmpty {
                let index = Int.random(in: texts.indices, using: &random)
                #expect(table[NameID(index + 1)] == texts[index])
                #expect(table.id(of: texts[index]) == NameID(index + 1))
                #expect(table.texts(after: index) == Array(texts[index...]))
            }
        }
    }

    @Test("Whatever is added, forgotten and copied, every copy says what it had", arguments: 1...6)
    func model(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var kept: [(NameTable, Model)] = []
        var (table, model) = (NameTable(), Model())
        for turn in 0..<60 {
            for _ in 0..<Int.random(in: 0...900, using: &random) {
                // Some are there already.
                let text = "name \(Int.random(in: 0...40_000, using: &random))"
                let known = table.id(of: text)
                let id = table.intern(text)
                #expect(known == nil || known == id)
                if known == nil {
                    model.texts.append(text)
                    #expect(Int(id) == model.texts.count)
                }
            }
            if turn % 5 == 4 { kept.append((table, model)) }
            if turn % 7 == 6 {
                // A commit failed, of a few names or of more than a layer.
                let count = model.texts.count - Int.random(in: 0...2_500, using: &random)
                model.texts.removeSubrange(max(0, count)...)
                table.truncate(to: max(0, count))
            }
            model.check(table, &random)
        }
        for (table, model) in kept { model.check(table, &random) }
        #expect(model.texts.count > 8_000)
    }

    @Test("Names that look the same and have other bytes are two")
    func bytes() {
        var table = NameTable()
        #expect(table.intern("caf\u{E9}") == 1)
        #expect(table.intern("cafe\u{301}") == 2)
        #expect(table.id(of: "caf\u{E9}") == 1)
        #expect(table.id(of: "cafe\u{301}") == 2)
    }
}
