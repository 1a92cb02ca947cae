import Daybook
import DaybookDomain
import DaybookEvents
import DaybookTesting

/// Writes the month person by person; the generator gives the random numbers and keeps the events.
struct MonthAuthor {
    static let start = SyntheticMonth.start
    static let end = SyntheticMonth.end
    static let day = EventGenerator.day
    static let hour: Int64 = 3_600_000
    static let minute: Int64 = 60_000

    var generator: EventGenerator
    let catalog: Catalog
    private let homes: [(zone: ZoneTable, locale: String, country: String)]
    private(set) var shownCustomers: [String] = []

    /// One person: what is known of them while their month is written.
    struct Resident {
        /// The place of the anonymous id among the generator's customers; the next one is the signed-in id.
        let anonymous: Int
        let signedInAt: Int64
        let seenAt: Int64
        let zone: ZoneTable
        let variant: String
        var profiles: [(name: String, createdAt: Int64)] = []
        /// What a gauge holds.
        var items: [String: [String]] = [:]
        /// Free units by meter and period.
        var used: [String: Int64] = [:]
        /// Evidence is written once per name and period.
        var evidence: Set<String> = []
        var access: [Access] = []
        var lineages: [String] = []
        var latestSale: InventedSale?
        var hasSubscribed = false
        /// Products that a store sells once.
        var kept: Set<String> = []

        /// The id that the person has at a time.
        func id(at time: Int64) -> Int { time < signedInAt ? anonymous : anonymous + 1 }
    }

    /// An entitlement for a while, as the person believes to have it.
    struct Access {
        let entitlements: [String]
        let profile: String?
        let from: Int64
        var until: Int64

        func isOpen(at time: Int64) -> Bool { from <= time && time < until }
    }

    init(catalog: Catalog, seed: UInt64, zones: ZoneTables) {
        generator = EventGenerator(seed: seed, catalog: catalog)
        self.catalog = catalog
        homes = [
            ("Europe/Amsterdam", "nl", "NL"), ("America/New_York", "en", "US"),
            ("America/Los_Angeles", "en", "US"), ("Asia/Kolkata", "en", "IN"),
            ("Pacific/Auckland", "en", "NZ"), ("UTC", "en", "GB"),
        ].map { (zones.table(named: $0.0) ?? .utc, $0.1, $0.2) }
    }

    mutating func write(subjects: Int) {
        generator.customers = (0..<subjects).flatMap { number in
            let environment: Environment = number % 100 == 99 ? .sandbox : .production
            return ["anon_\(number)", "u_\(number)"].map {
                EventGenerator.Customer(name: $0, environment: environment)
            }
        }
        for number in 0..<subjects { live(2 * number) }
    }

    private mutating func live(_ anonymous: Int) {
        var person = arrive(anonymous)
        if isSandbox(person) { pretend(person) }
        if person.seenAt >= Self.start { getToKnow(person) }
        makeProfiles(&person)
        if person.seenAt < Self.start { haveBoughtBefore(&person) }
        for time in sessions(person) { visit(&person, at: time) }
        if chance(2) { receiveGrant(person) }
        if chance(1), let lineage = person.lineages.first { handOver(person, lineage) }
    }

    // MARK: Arriving

    private mutating func arrive(_ anonymous: Int) -> Resident {
        // Of the half that was there before a few have been there for a year, and renew by the year.
        let seenAt: Int64 =
            switch number(0...99) {
            case 0..<4: number(Self.start - 370 * Self.day...Self.start - 340 * Self.day)
            case 4..<50: number(Self.start - 55 * Self.day...Self.start - Self.hour)
            default: number(Self.start...Self.end - Self.day)
            }
        let home = homes[Int(number(0...Int64(homes.count - 1)))]
        let signedInAt: Int64 =
            switch number(0...99) {
            case 0..<70: seenAt + number(2...20) * Self.minute
            case 70..<88: seenAt + number(1...12 * 24) * Self.hour
            default: Int64.max
            }
        let person = Resident(
            anonymous: anonymous, signedInAt: signedInAt < Self.end ? signedInAt : Int64.max,
            seenAt: seenAt, zone: home.zone, variant: chance(50) ? "a" : "b")
        var fields: JSONObject = ["first_seen_at": .integer(seenAt)]
        if chance(92) {
            fields["tz"] = .string(home.zone.name)
            fields["locale"] = .string(home.locale)
            fields["country"] = .string(home.country)
        }
        tell(.subjectCreated, person, at: seenAt, fields, source: "ledger", trust: .system)
        if person.signedInAt < Self.end {
            let ids: JSONObject = [
                "alias": .string(generator.customers[anonymous].name),
                "canonical": .string(generator.customers[anonymous + 1].name), "rule": "login",
            ]
            generator.add(
                .subjectAliased, anonymous, at: person.signedInAt, ids, source: "ledger",
                trust: .system)
        }
        if !isSandbox(person) {
            let shown = person.signedInAt < Self.end ? anonymous + 1 : anonymous
            shownCustomers.append(generator.customers[shown].name)
        }
        if chance(2), let home = generator.pick(homes) {
            let time = number(Self.start...Self.end - 1)
            let zone: JSONObject = ["tz": .string(home.zone.name)]
            if time > seenAt { tell(.subjectTimeZoneChanged, person, at: time, zone) }
        }
        return person
    }

    /// The welcome screens, and the experiment that one is part of.
    private mutating func getToKnow(_ person: Resident) {
        var time = person.seenAt + number(1...5) * 1_000
        if chance(30) {
            let seen: JSONObject = [
                "experiment": "onboarding flow", "variant": .string(person.variant),
            ]
            tell(.experimentExposed, person, at: time, seen)
        }
        let variant: JSONObject = ["variant": .string(person.variant)]
        tell(.onboardingStarted, person, at: time, variant)
        let steps = catalog.funnels.flatMap(\.steps).filter { $0.event == .onboardingStepViewed }
        let screens = steps.compactMap(\.context)
        var isThrough = true
        for (index, screen) in (screens.isEmpty ? ["welcome"] : screens).enumerated()
        where isThrough {
            time += number(2...40) * 1_000
            var fields = variant
            fields["step"] = .string(screen)
            fields["index"] = .integer(Int64(index))
            tell(.onboardingStepViewed, person, at: time, fields)
            isThrough = !chance(14)
        }
        if isThrough || chance(40) {
            tell(
                isThrough ? .onboardingCompleted : .onboardingSkipped, person, at: time + 1_000,
                variant)
        }
    }

    private mutating func makeProfiles(_ person: inout Resident) {
        let kinds = catalog.meters.compactMap(\.countsProfiles)
        for kind in Set(kinds + catalog.freePeriods.map(\.profileKind)).sorted() {
            if chance(90) { welcome(&person, kind, at: person.seenAt + number(90...170) * 1_000) }
            if chance(12) { welcome(&person, kind, at: person.seenAt + number(1...9) * Self.day) }
        }
    }

    private mutating func welcome(_ person: inout Resident, _ kind: String, at time: Int64) {
        guard time < Self.end else { return }
        let name = "p\(generator.next())"
        let fields: JSONObject = ["profile": .string(name), "kind": .string(kind)]
        tell(.profileCreated, person, at: time, fields)
        person.profiles.append((name, time))
        guard chance(3) else { return }
        let goneAt = time + number(1...20) * Self.day
        tell(.profileDeleted, person, at: goneAt, ["profile": .string(name)])
        guard chance(30) else { return }
        tell(
            .profileRestored, person, at: goneAt + number(1...48) * Self.hour,
            ["profile": .string(name), "original_created_at": .integer(time)])
    }

    // MARK: Days

    /// When the person opens the app: most leave soon, some come now and then, a few almost daily.
    private mutating func sessions(_ person: Resident) -> [Int64] {
        let percent: Int64 =
            switch number(0...99) {
            case 0..<45: 1
            case 45..<88: 7
            default: 28
            }
        var times = [person.seenAt + number(3...12) * Self.minute]
        let first = max(person.seenAt, Self.start - 20 * Self.day) + Self.day
        var noon = first - first % Self.day + Self.day / 2
        while noon < Self.end {
            if number(0...99) < percent {
                // From eight in the morning to ten in the evening where they live.
                let local = noon - person.zone.offsetMilliseconds(at: noon)
                let time = local + number(-4 * 3_600...10 * 3_600) * 1_000
                if time > times[0], time < Self.end { times.append(time) }
            }
            noon += Self.day
        }
        return times.sorted()
    }

    private mutating func visit(_ person: inout Resident, at time: Int64) {
        tell(.appLaunched, person, at: time, ["version": .string("2.\(person.anonymous % 5).0")])
        var now = time
        for _ in 0...number(0...1) {
            now += number(20...400) * 1_000
            guard now < Self.end else { return }
            switch number(0...99) {
            case 0..<60: use(&person, at: now)
            case 60..<92: look(&person, at: now)
            case 92..<96: shop(&person, at: now, context: "settings")
            case 96: tell(.surveyAnswered, person, at: now, ["survey": "nps", "score": 9])
            // A newer build of the app says what this ledger does not know.
            case 97:
                tell(EventTypeName(rawValue: "widget.placed"), person, at: now, ["size": "small"])
            default: restore(person, at: now)
            }
        }
    }

    // MARK: Telling

    /// Tells what happened to a person; nothing happens after the month.
    @discardableResult
    mutating func tell(
        _ type: EventTypeName, _ person: Resident, at time: Int64, _ fields: JSONObject,
        profile: String? = nil, source: String = "native", key: String? = nil,
        trust: Trust = .imported, signedAt: Int64? = nil, isNamed: Bool = true
    ) -> String? {
        guard time < Self.end else { return nil }
        return generator.add(
            type, person.id(at: time), at: time, fields, profile: profile, source: source, key: key,
            trust: trust, signedAt: signedAt, isNamed: isNamed)
    }

    func isSandbox(_ person: Resident) -> Bool {
        generator.customers[person.anonymous].environment == .sandbox
    }

    mutating func chance(_ percent: Int) -> Bool { generator.chance(percent) }

    mutating func number(_ range: ClosedRange<Int64>) -> Int64 { generator.number(range) }
}
