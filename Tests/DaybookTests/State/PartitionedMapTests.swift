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
            #expect((UInt32(0)...6_000).allSatisfy { map[$0] == model[$0] })
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
            // Beyond two groups of pages.
            for _ in 0..<1_200 {
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
            // Over the edges of pages and back, with a copy at each edge.
            if turn % 10 == 9 {
                for step in 0..<1_600 {
                    if pages.count.isMultiple(of: 128) { kept.append((pages, model)) }
                    if step < 1_100 {
                        #expect(pages.popLast() == model.popLast())
                    } else {
                        pages.append(step)
                        model.append(step)
                    }
                }
            }
            if turn % 6 == 5 { kept.append((pages, model)) }
        }
        kept.append((pages, model))
        for (pages, model) in kept {
            #expect(pages.count == model.count && pages.all == model)
            #expect(model.indices.allSatisfy { pages[$0] == model[$0] })
        }
    }
}
