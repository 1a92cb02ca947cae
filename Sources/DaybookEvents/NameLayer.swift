/// Some names of a table that follow one another, found by their text.
///
/// Open addressing: a power of two of places, at most half of them taken. A place holds half of a name's hash beside
/// its index, so that other names are passed over without a look at them; whole hashes are kept, so that layers are
/// put together without a look at their texts.
struct NameLayer: Sendable {
    /// How many names of the table come before.
    let start: Int
    private(set) var texts: [String] = []
    private var hashes: [UInt64] = []
    /// The upper half of a hash, and an index and 1; 0: the place is free.
    private var places: [UInt64] = []

    init(after start: Int) { self.start = start }

    /// The names of two layers that follow one another.
    init(_ first: NameLayer, _ second: NameLayer) {
        start = first.start
        texts = first.texts + second.texts
        hashes = first.hashes + second.hashes
        spread()
    }

    var end: Int { start + texts.count }

    /// The hash of a text by which every layer finds it, with a key of this process: texts cannot be chosen that meet.
    static func hash(_ text: String) -> UInt64 {
        UInt64(bitPattern: Int64(ExactText(text).hashValue))
    }

    /// How many names of the table come before the one of this text, and itself; `nil` where it is not here.
    func number(of text: String, _ hash: UInt64) -> Int? {
        if places.isEmpty { return nil }
        var place = Int(truncatingIfNeeded: hash) & (places.count - 1)
        while places[place] != 0 {
            if (places[place] ^ hash) >> 32 == 0 {
                let index = Int(UInt32(truncatingIfNeeded: places[place])) - 1
                if haveSameBytes(texts[index], text) { return start + index + 1 }
            }
            place = (place + 1) & (places.count - 1)
        }
        return nil
    }

    /// - Precondition: The text is not here.
    mutating func append(_ text: String, _ hash: UInt64) {
        texts.append(text)
        hashes.append(hash)
        if texts.count * 2 > places.count { spread() } else { put(texts.count - 1) }
    }

    /// Keeps the first names of the table up to so many.
    mutating func truncate(to count: Int) {
        guard count < end else { return }
        texts.removeSubrange(max(0, count - start)...)
        hashes.removeSubrange(max(0, count - start)...)
        spread()
    }

    private mutating func spread() {
        var size = 64
        while size < texts.count * 2 { size *= 2 }
        places = Array(repeating: 0, count: size)
        for index in texts.indices { put(index) }
    }

    private mutating func put(_ index: Int) {
        var place = Int(truncatingIfNeeded: hashes[index]) & (places.count - 1)
        while places[place] != 0 { place = (place + 1) & (places.count - 1) }
        places[place] = (hashes[index] & ~0xFFFF_FFFF) | UInt64(index + 1)
    }
}
