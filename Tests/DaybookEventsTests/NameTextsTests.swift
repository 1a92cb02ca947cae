import DaybookEvents
import DaybookTesting
import Testing

@Suite("Texts of names, one event after the other")
struct NameTextsTests {
    @Test("Every name has its own text, however many are asked for in whatever order")
    func texts() {
        var table = NameTable()
        let names = (0..<40).map { "name-\($0)" }
        let ids = names.map { table.intern($0) }
        var texts = NameTexts(table)
        var random = SplitMix64(seed: 7)
        for _ in 0..<2_000 {
            // Some are asked for again and again, as in a customer's events.
            let range = Bool.random(using: &random) ? 0..<6 : names.indices
            let place = Int.random(in: range, using: &random)
            #expect(texts.text(of: ids[place]) == names[place])
        }
        #expect(texts.text(of: 0) == "")
        #expect(texts.text(of: 4_000) == "")
    }
}
