import DaybookStore

/// Places by the hash of what stands there: some ten bytes each, whatever it is that was hashed.
///
/// A hash says where to look, not what is there: a few in a thousand of the places that are given stand for something
/// else. The caller, who has what stands at a place, compares.
///
/// ```
/// bits of a hash   63…56 the part; 55…32 the tag; the rest is not used
/// slot             tag (24) ‖ place + 1 (40); 0: free
/// ```
/// Each part is a table with open addressing, in the order of tags as far as there is room, and grows by itself, so
/// that no more than one part is there twice at a time.
package struct HashedPlaces {
    /// The first place that cannot be kept.
    package static let placeEnd = 1 << 40 - 1
    private static let partCount = 256

    package init() {}

    private var parts = [Part](repeating: Part(), count: partCount)
    package private(set) var count = 0

    /// Keeps a place; one hash may have several.
    /// - Parameter place: From 0 on, below `placeEnd`.
    package mutating func note(_ hash: UInt64, at place: Int) {
        precondition(place >= 0 && place < Self.placeEnd, "the place has too many bits")
        parts[Int(hash >> 56)].insert(Self.tag(hash) << 40 | UInt64(place + 1))
        count += 1
    }

    /// Puts a place in the place of another one that was kept under the hash.
    package mutating func move(_ hash: UInt64, from former: Int, to place: Int) {
        precondition(place >= 0 && place < Self.placeEnd, "the place has too many bits")
        let tag = Self.tag(hash) << 40
        parts[Int(hash >> 56)].replace(tag | UInt64(former + 1), by: tag | UInt64(place + 1))
    }

    /// How many slots a look at a hash goes through.
    package func stepCount(_ hash: UInt64) -> Int {
        parts[Int(hash >> 56)].stepCount(Self.tag(hash))
    }

    /// Every place that was kept under a hash, and perhaps some others, the greatest first.
    package func places(_ hash: UInt64) -> [Int] {
        var found: [Int] = []
        parts[Int(hash >> 56)].forEach(Self.tag(hash)) { found.append(Int($0) - 1) }
        return found.count < 2 ? found : found.sorted(by: >)
    }

    private static func tag(_ hash: UInt64) -> UInt64 { hash >> 32 & 0xFF_FFFF }

    private struct Part {
        private static let capacityMin = 16

        private var slots: [UInt64] = []
        private var count = 0

        mutating func insert(_ slot: UInt64) {
            // Three quarters are full at most.
            if 4 * (count + 1) > 3 * slots.count { grow() }
            put(slot)
            count += 1
        }

        func forEach(_ tag: UInt64, _ body: (UInt64) -> Void) {
            forEachSlot(tag) { slot in
                if slots[slot] >> 40 == tag { body(slots[slot] & (1 << 40 - 1)) }
            }
        }

        func stepCount(_ tag: UInt64) -> Int {
            var count = 0
            forEachSlot(tag) { _ in count += 1 }
            return count
        }

        mutating func replace(_ former: UInt64, by slot: UInt64) {
            var found: Int?
            forEachSlot(slot >> 40) { if slots[$0] == former { found = $0 } }
            if let found { slots[found] = slot }
        }

        /// All that may have the tag.
        private func forEachSlot(_ tag: UInt64, _ body: (Int) -> Void) {
            guard !slots.isEmpty else { return }
            var index = home(of: tag)
            while slots[index] != 0 {
                body(index)
                index = index + 1 == slots.count ? 0 : index + 1
            }
        }

        /// Where a tag stands if nothing stands there: tags are spread evenly.
        private func home(of tag: UInt64) -> Int { Int((tag * UInt64(slots.count)) >> 24) }

        private mutating func put(_ slot: UInt64) {
            var index = home(of: slot >> 40)
            while slots[index] != 0 { index = index + 1 == slots.count ? 0 : index + 1 }
            slots[index] = slot
        }

        private mutating func grow() {
            let former = slots
            slots = [UInt64](
                repeating: 0, count: max(Self.capacityMin, slots.count + slots.count / 2))
            for slot in former where slot != 0 { put(slot) }
        }
    }
}
