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
            #expect(Self.listed(map) == model)
        }
    }

    /// Keys that all lie in one of the 4,096 parts: 400 that nothing divides, and others of which two at a time are
    /// told apart by nothing.
    private struct Crowded: Partitioned {
        var number: UInt32
        /// The inverse of the map's factor: the product has the upper 12 bits 0.
        var partition: UInt32 { (number < 400 ? 0 : number / 2 * 5) &* 0x0E8B_2F51 }
    }

    @Test("A part that is divided says the same, and so does every copy of it", arguments: 1...4)
    func divided(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var (map, model) = (PartitionedMap<Crowded, Int>(), [Crowded: Int]())
        var kept: [(PartitionedMap<Crowded, Int>, [Crowded: Int])] = []
        let keys = (UInt32(0)..<8_000).map(Crowded.init)
        #expect(keys.allSatisfy { ($0.partition &* 0x9E37_79B1) >> 20 == 0 })
        for turn in 0..<40 {
            // More and more values, and at the end fewer.
            for key in keys[..<(turn * 200 + 100)].shuffled(using: &random).prefix(500) {
                switch turn % 3 {
                case 0:
                    map.update(key, default: -1) { $0 += turn }
                    model[key, default: -1] += turn
                case 1 where turn > 30:
                    map[key] = nil
                    model[key] = nil
                default:
                    map[key] = turn
                    model[key] = turn
                }
            }
            if turn % 6 == 5 { kept.append((map, model)) }
        }
        kept.append((map, model))
        for (map, model) in kept {
            #expect(keys.allSatisfy { map[$0] == model[$0] })
            #expect(Self.listed(map) == model)
        }
    }

    /// What a map hands out, each value once.
    private static func listed<Key, Value>(_ map: PartitionedMap<Key, Value>) -> [Key: Value] {
        var listed: [Key: Value] = [:]
        map.forEach { key, value in
            #expect(listed.updateValue(value, forKey: key) == nil, "handed out twice")
        }
        return listed
    }

    @Test("A paged array says what an array says, and so does every copy of it", arguments: 1...4)
    func array(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var (pages, model) = (PagedArray<Int>(), [Int]())
        var kept: [(PagedArray<Int>, [Int])] = []
        #expect(pages.popLast() == nil)
        // With what follows it goes beyond a block of 32,768 elements, and back at the last edge.
        for number in 0..<11_400 {
            pages.append(number)
            model.append(number)
        }
        for turn in 0..<40 {
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
        #expect(kept.contains { $0.1.count > 32_768 } && kept.contains { $0.1.count < 32_768 })
    }
}
