import Daybook
import DaybookTesting
import Testing

/// Tables of a state that are copied to be read while commits go on.
@Suite("Tables of which copies share what was not changed")
struct PartitionedMapTests {
    @Test("A map says what a dictionary says, and so does every copy of it", arguments: 1...4)
    func map(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var (map, model) = (PartitionedMap<UInt32, [Int]>(), [UInt32: [Int]]())
        var kept: [(PartitionedMap<UInt32, [Int]>, [UInt32: [Int]])] = []
        #expect(map[7] == nil)
        map[7] = nil
        for turn in 0..<40 {
            for _ in 0..<500 {
                let key = UInt32.random(in: 0...6_000, using: &random)
                switch Int.random(in: 0...3, using: &random) {
                case 0:
                    map[key] = nil
                    model[key] = nil
                case 1:
                    map[key] = [turn]
                    model[key] = [turn]
                default:
                    map.update(key, default: [-1]) { $0.append(turn) }
                    model[key, default: [-1]].append(turn)
                }
            }
            if turn % 6 == 5 { kept.append((map, model)) }
        }
        kept.append((map, model))
        for (map, model) in kept {
            for key in UInt32(0)...6_000 { #expect(map[key] == model[key]) }
            var listed: [UInt32: [Int]] = [:]
            map.forEach { listed[$0] = $1 }
            #expect(listed == model)
        }
    }

    @Test("A paged array says what an array says, and so does every copy of it", arguments: 1...4)
    func array(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var (pages, model) = (PagedArray<Int>(), [Int]())
        var kept: [(PagedArray<Int>, [Int])] = []
        #expect(pages.popLast() == nil)
        for turn in 0..<40 {
            for _ in 0..<400 {
                switch Int.random(in: 0...9, using: &random) {
                case 0: #expect(pages.popLast() == model.popLast())
                case 1...3 where !model.isEmpty:
                    let index = Int.random(in: model.indices, using: &random)
                    pages[index] = turn
                    model[index] = turn
                default:
                    pages.append(turn)
                    model.append(turn)
                }
            }
            // Over the edge of a page and back.
            if turn % 10 == 9 {
                for _ in 0..<1_100 { #expect(pages.popLast() == model.popLast()) }
            }
            if turn % 6 == 5 { kept.append((pages, model)) }
        }
        kept.append((pages, model))
        for (pages, model) in kept {
            #expect(pages.count == model.count)
            for index in model.indices { #expect(pages[index] == model[index]) }
        }
    }
}
