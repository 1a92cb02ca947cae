import Daybook
import DaybookEvents
import DaybookStore
import Foundation
import Testing

/// What a place says, and which histories it is of.
@Suite("Places in a history")
struct PlaceTests {
    let bench: ForkBench
    var saved: String { bench.saved }

    init() throws { bench = try ForkBench() }

    /// How a ledger takes a place.
    private enum Verdict: Equatable {
        case own
        case replaced(fork: Int64?)
        case ahead(end: Int64)
    }

    private func verdict(_ ledger: Ledger, _ place: Place) throws -> Verdict {
        do {
            try ledger.confirm(place)
            return .own
        } catch LedgerError.historyReplaced(let told, let fork) {
            #expect(told == place)
            if let fork { #expect(try ledger.place(at: fork.position) == fork) }
            return .replaced(fork: fork?.position)
        } catch LedgerError.placeAhead(let told, let end) {
            #expect(told == place)
            #expect(try ledger.place() == end)
            return .ahead(end: end.position)
        }
    }

    // MARK: The text

    @Test("A place has one text of 33 characters, and a text names one place or none")
    func text() async throws {
        let ledger = try await bench.create(3)
        for position: Int64 in 0...4 {
            let place = try ledger.place(at: position)
            let text = place.description
            #expect(text.utf8.count == 33 && text.hasPrefix("1"))
            #expect(text.wholeMatch(of: /[0-9A-Za-z_-]+/) != nil, "\(text)")
            #expect(Place(text) == place)
            let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
            var readCount = 0
            for index in text.indices {
                for character in alphabet where character != text[index] {
                    let other = text.replacingCharacters(in: index...index, with: "\(character)")
                    guard let read = Place(other) else { continue }
                    readCount += 1
                    #expect(read.description == other)
                    #expect(read != place)
                }
            }
            // In most characters any other one names another place; none is of another version.
            #expect(readCount > 11 * 63)
            for other in "023456789AZ" {
                #expect(Place(text.replacing(/^1/, with: "\(other)")) == nil)
            }
        }
        try ledger.close()
    }

    @Test("What is no place is none")
    func malformed() async throws {
        let ledger = try await bench.create(3)
        let text = try ledger.place().description
        var wrong = [
            "", "1", " ", "@4", "4", "\(text) ", " \(text)", "\(text)A", String(text.dropLast()),
            String(text.dropFirst()), "\(text)\n", text + text, "\(text)=",
            // Epoch 0, and a position beyond the last that any ledger has.
            "1" + String(repeating: "A", count: 32), "1" + String(repeating: "_", count: 32),
        ]
        for index in text.indices {
            for character in ["=", "+", "/", " ", ".", "%", "\u{0}", "é", "\u{FF21}"] {
                wrong.append(text.replacingCharacters(in: index...index, with: character))
            }
        }
        for text in wrong { #expect(Place(text) == nil, "\(text.debugDescription)") }
        try ledger.close()
    }

    // MARK: The same place

    @Test("A position has one place, whatever is recorded after it, in whichever process")
    func stable() async throws {
        var ledger = try await bench.create(600)
        let positions: [Int64] = [0, 1, 2, 255, 256, 257, 511, 512, 513, 600, 601]
        let places = try positions.map { try ledger.place(at: $0) }
        #expect(Set(places).count == positions.count)
        #expect(places.map(\.position) == positions)
        #expect(places.allSatisfy { $0.epoch == 1 })
        #expect(try ledger.place() == places.last)
        // New customers are new names and new streams, which the ledger's own history names as well.
        let history = try ledger.history().hash
        try await ledger.record(
            (0..<300).map {
                .used("stories", at: ForkBench.now, ref: "n\($0)", subject: "new-\($0)")
            })
        #expect(try ledger.history().hash != history)
        #expect(try positions.map { try ledger.place(at: $0) } == places)
        try ledger.close()
        ledger = try bench.open(readOnly: true)
        #expect(try positions.map { try ledger.place(at: $0) } == places)
        for place in places { #expect(try verdict(ledger, place) == .own) }
        let error = #expect(throws: LedgerError.self) { try ledger.place(at: 902) }
        #expect(error?.code == "unknown_position")
        #expect(throws: LedgerError.self) { try ledger.place(at: -1) }
        try ledger.close()
    }

    @Test("Whether a commit is known by its writer or read from the file, its places are the same")
    func committed() async throws {
        let ledger = try await bench.create(3)
        let other = try bench.open()
        var told: [Place] = []
        var count = 3
        // Asked after each commit, after several, after one that is longer than what is held, and across the ends of
        // blocks; after one of another ledger of the file, and after short ones that follow such a one unasked.
        let sizes = [1, 1, 40, 1, 300, 5, 2, 70, 1, 700, 1, 1, 130, 3, 2, 1, 9, 4]
        for (turn, size) in sizes.enumerated() {
            let writer = turn % 4 == 3 ? other : ledger
            try await writer.record(ForkBench.drafts(count..<count + size, past: 0))
            count += size
            guard turn % 3 != 1, turn != 15 else { continue }
            for position in Set([count - size + 2, count, count + 1]) {
                told.append(try ledger.place(at: Int64(position)))
            }
        }
        try other.close()
        try ledger.close()
        let reader = try bench.open(readOnly: true)
        for place in told { #expect(try reader.place(at: place.position) == place) }
        try reader.close()
    }

    @Test("A store that keeps no hashes has the same places as one that does")
    func plainStore() async throws {
        let stores: [any EventStore] = [
            HookedStore(app: "dozzi"), InMemoryEventStore(app: "dozzi"),
        ]
        var places: [[Place]] = []
        for store in stores {
            let ledger = try Ledger(store: store, clock: { ForkBench.now })
            try await ledger.record(ForkBench.drafts(0..<300, past: 0))
            places.append(try (0...300).map { try ledger.place(at: $0) })
        }
        #expect(places[0] == places[1])
    }

    // MARK: Other histories

    @Test("A place of another ledger is refused, and no fork is told, also after a restore")
    func stranger() async throws {
        let ledger = try await bench.create(20)
        let other = try ForkBench()
        let stranger = try await other.create()
        try await stranger.record(ForkBench.drafts(0..<40, past: 0))
        let strange = try (0...41).map { try stranger.place(at: $0) }
        for place in strange {
            // A place says what it is of, and not the ledger: after the end only the start of the epoch tells.
            #expect(try verdict(ledger, place) == .replaced(fork: nil), "\(place.position)")
        }
        _ = try ledger.backUp(to: saved)
        try ledger.close()
        try bench.restore(from: saved)
        let restored = try bench.open()
        for place in strange {
            #expect(try verdict(restored, place) == .replaced(fork: nil), "\(place.position)")
        }
        try restored.close()
        try stranger.close()
    }

    @Test("After a restore the places of the abandoned past are told where the two part")
    func restored() async throws {
        var ledger = try await bench.create(10)
        _ = try ledger.backUp(to: saved)
        try await ledger.record(ForkBench.drafts(10..<40, past: 0))
        let places = try (0...41).map { try ledger.place(at: $0) }
        try ledger.close()
        try bench.restore(from: saved)
        ledger = try bench.open()
        #expect(try ledger.place().position == 12)
        #expect(try ledger.place().epoch == 2)
        func expectParted(_ comment: Comment) throws {
            for place in places {
                let isShared = place.position <= 11
                #expect(
                    try verdict(ledger, place) == (isShared ? .own : .replaced(fork: 11)), comment)
            }
        }
        // Most of them are after the end of this history, later on none of them.
        try expectParted("right after")
        try await ledger.record(ForkBench.drafts(10..<60, past: 1))
        try expectParted("later")
        let error = #expect(throws: LedgerError.self) { try ledger.changes(after: places[30]) }
        #expect(error?.code == "history_replaced")
        #expect("\(try #require(error))".contains("both have is 11"))
        let next = try ledger.changes(after: try ledger.place(at: 11), limit: 1)
        #expect(next.events.map(\.event.draft.type) == [.ledgerRestored])
        try ledger.close()
    }

    @Test(
        "Of an epoch that another restore took away the fork is not told; of one before it, it is")
    func restoredTwice() async throws {
        var ledger = try await bench.create(10)
        _ = try ledger.backUp(to: saved)
        try await ledger.record(ForkBench.drafts(10..<40, past: 0))
        let first = try ledger.place(at: 30)
        try ledger.close()
        try bench.restore(from: saved)
        ledger = try bench.open()
        try await ledger.record(ForkBench.drafts(10..<20, past: 1))
        let second = try ledger.place(at: 15)
        #expect(second.epoch == 2)
        try ledger.close()
        try bench.restore(from: saved)
        ledger = try bench.open()
        #expect(try ledger.place().epoch == 3)
        for _ in 0..<2 {
            #expect(try verdict(ledger, first) == .replaced(fork: 11))
            #expect(try verdict(ledger, second) == .replaced(fork: nil))
            try await ledger.record(ForkBench.drafts(10..<40, past: 1))
        }
        try ledger.close()
    }

    @Test("Two epochs of one number that began apart are two")
    func sameNumber() async throws {
        let ledger = try await bench.create(10)
        _ = try ledger.backUp(to: saved)
        try ledger.close()
        let path = bench.path + "2"
        try bench.restore(from: saved)
        try bench.restore(from: saved, to: path, isReplacing: false)
        let one = try bench.open()
        let two = try Ledger.open(path, clock: { ForkBench.now })
        try await two.record(ForkBench.drafts(10..<30, past: 0))
        // Neither is ahead of the other; what both have is not told by epochs, because none began after the second.
        for position: Int64 in [12, 13, 32] {
            let place = try two.place(at: position)
            #expect(place.epoch == 2)
            #expect(try verdict(one, place) == .replaced(fork: nil))
        }
        #expect(try verdict(one, try two.place(at: 11)) == .own)
        try one.close()
        try two.close()
    }

    @Test("A file that was copied back is behind its places, and then has another past")
    func copiedBack() async throws {
        var ledger = try await bench.create(10)
        try ledger.close()
        try bench.keep()
        ledger = try bench.open()
        try await ledger.record(ForkBench.drafts(10..<40, past: 0))
        let places = try (0...41).map { try ledger.place(at: $0) }
        try ledger.close()
        try bench.restore()
        ledger = try bench.open()
        for place in places {
            let isThere = place.position <= 11
            #expect(try verdict(ledger, place) == (isThere ? .own : .ahead(end: 11)))
        }
        // Never taken for "no changes".
        let error = #expect(throws: LedgerError.self) { try ledger.changes(after: places[12]) }
        #expect(error?.code == "place_ahead")
        try await ledger.record(ForkBench.drafts(10..<30, past: 1))
        for place in places {
            let expected: Verdict =
                place.position <= 11
                ? .own : place.position <= 31 ? .replaced(fork: nil) : .ahead(end: 31)
            #expect(try verdict(ledger, place) == expected, "\(place.position)")
        }
        try ledger.close()
    }

    @Test("A copy that is behind takes a place when it has come there")
    func catchingUp() async throws {
        let ledger = try await bench.create(10)
        _ = try ledger.backUp(to: saved)
        try await ledger.record(ForkBench.drafts(10..<20, past: 0))
        let place = try ledger.place()
        func saidByCopy(_ path: String) throws -> Verdict {
            let copy = try Ledger.open(path, readOnly: true, clock: { ForkBench.now })
            defer { try? copy.close() }
            return try verdict(copy, place)
        }
        #expect(try saidByCopy(saved) == .ahead(end: 11))
        _ = try ledger.backUp(to: saved + "2")
        #expect(try saidByCopy(saved + "2") == .own)
        try ledger.close()
    }

    @Test("A place that is further on than the abandoned ledger was is of yet another past")
    func beyondTheAbandoned() async throws {
        var ledger = try await bench.create(10)
        _ = try ledger.backUp(to: saved)
        try ledger.close()
        try bench.keep()
        ledger = try bench.open()
        try await ledger.record(ForkBench.drafts(10..<40, past: 0))
        let place = try ledger.place()
        try ledger.close()
        // Put back by hand, and only then restored: the restore knows nothing of what went on to 41.
        try bench.restore()
        try bench.restore(from: saved)
        ledger = try bench.open()
        #expect(try verdict(ledger, place) == .replaced(fork: nil))
        try ledger.close()
    }
}
