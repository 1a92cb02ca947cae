import Daybook
import DaybookIngest
import DaybookTesting
import Testing

@Suite("The lines of a file between its check and its append")
struct LineSpoolTests {
    private struct Known {
        var place: Int
        var number: Int
        var bytes: [UInt8]
        var kept: [Int]
    }

    @Test("Every line comes back, one by one and as a range, from memory and from the file")
    func lines() throws {
        var random = SplitMix64(seed: 7)
        var spool = LineSpool()
        var known: [Known] = []
        // Three megabytes: twice what is kept in memory, and lines that lie on both sides of a boundary.
        for number in 1...3_000 {
            let count = number == 17 ? 0 : Int.random(in: 1...2_000, using: &random)
            let bytes = (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &random) }
            let eventCount = Int.random(in: 1...20, using: &random)
            let kept = (0..<eventCount).filter { _ in Bool.random(using: &random) }
            let line = InputLine(
                number: number, bytes: bytes, byteCount: bytes.count, row: number / 2)
            let place = try spool.append(line, eventCount: eventCount, kept: kept)
            known.append(Known(place: place, number: number, bytes: bytes, kept: kept))
        }
        for (index, expected) in known.enumerated() {
            let line = try spool.line(at: expected.place)
            #expect(line.line.number == expected.number && line.line.bytes == expected.bytes)
            #expect(line.line.row == expected.number / 2 && line.kept == expected.kept)
            #expect(line.end == (index + 1 < known.count ? known[index + 1].place : spool.end))
        }
        for start in stride(from: 0, to: known.count, by: 700) {
            let part = known[start..<min(start + 700, known.count)]
            let end = start + 700 < known.count ? known[start + 700].place : spool.end
            let lines = try spool.lines(known[start].place..<end)
            #expect(lines.map(\.line.number) == part.map(\.number))
            #expect(lines.map(\.line.bytes) == part.map(\.bytes))
            #expect(lines.map(\.kept) == part.map(\.kept))
        }
    }

    @Test("A place that no line stands at gives an error, never another line")
    func wrongPlace() throws {
        var spool = LineSpool()
        for number in 1...3 {
            let bytes = Array("line \(number)".utf8)
            _ = try spool.append(
                InputLine(number: number, bytes: bytes, byteCount: bytes.count), eventCount: 1,
                kept: [0])
        }
        #expect(throws: (any Error).self) { try spool.line(at: 1) }
        #expect(throws: (any Error).self) { try spool.line(at: spool.end) }
        #expect(throws: (any Error).self) { try spool.lines(0..<spool.end - 1) }
    }
}

@Suite("Places by hash")
struct HashedPlacesTests {
    @Test("Every place is found under its hash, the greatest first, and hardly any other one")
    func found() {
        var random = SplitMix64(seed: 11)
        var places = HashedPlaces()
        let hashes = (0..<100_000).map { _ in random.next() }
        for (place, hash) in hashes.enumerated() { places.note(hash, at: place) }
        // Each twentieth once more, behind all.
        for place in stride(from: 0, to: hashes.count, by: 20) {
            places.note(hashes[place], at: hashes.count + place)
        }
        #expect(places.count == 105_000)
        var others = 0
        for (place, hash) in hashes.enumerated() {
            let expected = place % 20 == 0 ? [hashes.count + place, place] : [place]
            let found = places.places(hash)
            #expect(found == found.sorted(by: >))
            #expect(Set(expected).isSubset(of: Set(found)))
            others += found.count - expected.count
        }
        for _ in 0..<100_000 { others += places.places(random.next()).count }
        // By chance some five: 400 in each part, and 2^24 tags.
        #expect(others < 50, "\(others) places of other hashes")
        let steps = hashes.reduce(0) { $0 + places.stepCount($1) }
        #expect(steps < 12 * hashes.count, "\(steps) slots are gone through for all")
    }

    @Test("A place that is moved is found where it went, and nowhere else")
    func moved() {
        var places = HashedPlaces()
        for (hash, place) in [(UInt64(9) << 32, 3), (9 << 32, 5), (10 << 32, 5)] {
            places.note(hash, at: place)
        }
        places.move(9 << 32, from: 5, to: 8)
        places.move(9 << 32, from: 4, to: 7)
        #expect(places.places(9 << 32) == [8, 3])
        #expect(places.places(10 << 32) == [5])
        #expect(places.count == 3)
    }

    @Test("The first and the last place that there are come back, of hashes with any bits")
    func ends() {
        var places = HashedPlaces()
        for (hash, place) in [
            (0, 0), (UInt64.max, HashedPlaces.placeEnd - 1), (0xFF_FFFF << 32, 7), (1 << 63, 8),
        ] {
            places.note(hash, at: place)
            #expect(places.places(hash) == [place])
        }
        #expect(places.places(0) == [0])
        #expect(places.places(2 << 32) == [])
    }
}
