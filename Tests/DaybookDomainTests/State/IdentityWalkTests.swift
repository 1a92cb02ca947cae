import DaybookDomain
import DaybookEvents
import DaybookTesting
import Foundation
import Testing

/// Which IDs belong to one customer: as the slowest algorithm finds them, in time that grows with the links alone.
@Suite("Walks over joined IDs")
struct IdentityWalkTests {
    /// What one alias or un-alias says; times are of their own, so that the order is plain.
    struct Saying {
        var alias: Int
        /// `nil`: split from all others.
        var canonical: Int?
        var isOn: Bool
        var at: Int64
        var position: Int64
    }

    /// An identity of invented ids, and the slow way.
    struct Case {
        var names = NameTable()
        var ids: [NameID] = []
        var identity = Identity()
        var corrections = CorrectionBook()
        var said: [Saying] = []
        var voided: Set<Int64> = []

        init(ids count: Int) {
            for number in 0..<count { ids.append(names.intern("id-\(number)")) }
        }

        mutating func say(_ alias: Int, _ canonical: Int?, isOn: Bool = true, at: Int64) {
            var event = Event()
            event.typeCode =
                (isOn ? EventType.subjectAliased : EventType.subjectUnaliased).rawValue
            event.nameA = ids[alias]
            event.nameB = canonical.map { ids[$0] } ?? 0
            event.occurredAt = at
            event.position = Int64(said.count + 1)
            event.key = Reference("k\(event.position)")
            identity.note(event, environment: .production)
            said.append(
                Saying(
                    alias: alias, canonical: canonical, isOn: isOn, at: at,
                    position: event.position))
        }

        mutating func void(_ position: Int64) {
            var event = Event()
            event.typeCode = EventType.correctionVoided.rawValue
            event.reference = Reference("k\(position)")
            event.key = Reference("void-\(position)")
            corrections.note(event, environment: .production)
            voided.insert(position)
        }

        var walk: IdentityWalk {
            IdentityWalk(
                identity, .production, cut: Int64.max, corrections: corrections, names: names)
        }

        /// Members and the shown one, straight from rule 7: every alias that nothing later took back, again and again.
        func naively(_ id: Int, cut: Int64) -> (members: Set<Int>, shown: Int) {
            let known = said.filter { $0.position <= cut && !voided.contains($0.position) }
            let holding = known.filter { link in
                link.isOn
                    && !known.contains { end in
                        guard !end.isOn, end.at > link.at else { return false }
                        guard let canonical = end.canonical else { return end.alias == link.alias }
                        return Set([end.alias, canonical])
                            == Set([link.alias, link.canonical ?? -1])
                    }
            }
            var members: Set<Int> = [id]
            var count = 0
            while count != members.count {
                count = members.count
                for link in holding {
                    guard let canonical = link.canonical else { continue }
                    if members.contains(link.alias) { members.insert(canonical) }
                    if members.contains(canonical) { members.insert(link.alias) }
                }
            }
            let aliased = Set(holding.map(\.alias))
            let candidates = members.subtracting(aliased)
            let shown = (candidates.isEmpty ? members : candidates).min {
                precedesInBytes("id-\($0)", "id-\($1)")
            }
            return (members, shown ?? id)
        }
    }

    static let seed = ProcessInfo.processInfo.environment["DAYBOOK_SEED"].flatMap(UInt64.init) ?? 71

    @Test("Any graph of aliases, un-aliases and voids gives the persons of the naive closure")
    func closure() {
        print("seed \(Self.seed)")
        var random = SplitMix64(seed: Self.seed)
        for round in 0..<200 {
            let count = Int.random(in: 2...14, using: &random)
            var invented = Case(ids: count)
            for number in 0..<Int.random(in: 1...40, using: &random) {
                let alias = Int.random(in: 0..<count, using: &random)
                let canonical = Int.random(in: 0..<count, using: &random)
                guard alias != canonical else { continue }
                // Late ones, too; no two at one time.
                let at = Int64.random(in: 0...100, using: &random) * 100 + Int64(number)
                switch Int.random(in: 0..<10, using: &random) {
                case 0...6: invented.say(alias, canonical, at: at)
                case 7...8: invented.say(alias, canonical, isOn: false, at: at)
                default: invented.say(alias, nil, isOn: false, at: at)
                }
                if Int.random(in: 0..<12, using: &random) == 0 {
                    invented.void(Int64.random(in: 1...Int64(invented.said.count), using: &random))
                }
            }
            for cut in [Int64.max, Int64(invented.said.count / 2)] {
                for id in 0..<count {
                    let expected = invented.naively(id, cut: cut)
                    let found = invented.identity.person(
                        CustomerKey(.production, invented.ids[id]), cut: cut,
                        corrections: invented.corrections, names: invented.names)
                    let members = Set(expected.members.map { invented.ids[$0] })
                    let place = "seed \(Self.seed), round \(round), id \(id), cut \(cut)"
                    #expect(Set(found.members) == members, "\(place)")
                    #expect(found.members.count == members.count, "\(place)")
                    #expect(found.shown == invented.ids[expected.shown], "\(place)")
                }
            }
        }
    }

    enum Shape: CaseIterable { case hubIsCanonical, hubIsAlias, chain, splitHub }

    private func steps(_ shape: Shape, _ count: Int) -> Int {
        var invented = Case(ids: count + 1)
        for number in 1...count {
            let at = Int64(2 * number)
            switch shape {
            case .hubIsCanonical: invented.say(number, 0, at: at)
            case .hubIsAlias: invented.say(0, number, at: at)
            case .chain: invented.say(number - 1, number, at: at)
            case .splitHub:
                invented.say(0, number, at: at)
                if number == count / 2 { invented.say(0, nil, isOn: false, at: at + 1) }
            }
        }
        var walk = invented.walk
        let person = walk.person(invented.ids[count])
        #expect(person.members.count == (shape == .splitHub ? count - count / 2 : count) + 1)
        return walk.stepCount
    }

    @Test("Twice as many ids of one person are twice the work", arguments: Shape.allCases)
    func linear(_ shape: Shape) {
        let (some, twice) = (steps(shape, 1_000), steps(shape, 2_000))
        #expect(twice < 3 * some, "\(some) steps for 1,000 ids, \(twice) for 2,000")
        #expect(twice < 12 * 2_000, "\(twice)")
    }
}

/// Corrections of corrections, of whatever number and shape.
@Suite("Corrections of corrections")
struct CorrectionBookTests {
    private func key(_ name: String) -> EventKey { EventKey(.production, 0, Reference(name)) }

    private func note(_ name: String, of target: String, in book: inout CorrectionBook) {
        var event = Event()
        event.typeCode = EventType.correctionVoided.rawValue
        event.reference = Reference(target)
        event.key = Reference(name)
        event.position = Int64(book.count + 1)
        book.note(event, environment: .production)
    }

    @Test("A chain of any length holds or not by its last correction")
    func chain() {
        for length in 1...200 {
            var book = CorrectionBook()
            for number in 1...length { note("c\(number)", of: "c\(number - 1)", in: &book) }
            #expect(book.isVoid(key("c0"), cut: Int64.max) == (length % 2 == 1), "\(length)")
        }
    }

    @Test("Corrections that void one another decide nothing, whichever is asked about first")
    func circle() {
        for length in 2...5 {
            var book = CorrectionBook()
            for number in 0..<length {
                note("c\((number + 1) % length)", of: "c\(number)", in: &book)
            }
            note("c0", of: "event", in: &book)
            for number in 0..<length {
                #expect(!book.isVoid(key("c\(number)"), cut: Int64.max))
            }
            #expect(!book.isVoid(key("event"), cut: Int64.max))
            // A correction that breaks the circle decides.
            note("end", of: "c1", in: &book)
            #expect(book.isVoid(key("c1"), cut: Int64.max))
            #expect(
                book.isVoid(key("event"), cut: Int64.max) == !book.isVoid(key("c0"), cut: Int64.max)
            )
        }
    }
}
