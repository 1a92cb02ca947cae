public import DaybookDomain
public import DaybookEvents

/// Invents plausible and nasty histories for a catalog, the same for the same seed everywhere.
///
/// Histories begin between 1 January and 30 June 2026 and may end later. The drafts ascend by occurrence; every one has
/// a key and is accepted by the validator. Every fourth customer lives in the sandbox, the only place where debug
/// overrides are made.
///
/// ```swift
/// var generator = EventGenerator(seed: 7, catalog: catalog)
/// try await ledger.record(generator.stream(subjects: 8, events: 300))
/// ```
public struct EventGenerator: Sendable {
    var random: SplitMix64
    let catalog: Catalog
    /// What was invented so far, in the order in which it was.
    package var drafts: [EventDraft] = []
    /// The customers of the history; an index names one of them while histories are written.
    package var customers: [Customer] = []
    private var counter: Int64 = 0

    /// 2026-01-01T00:00:00Z, in milliseconds since 1970 UTC: no history begins before.
    public static let start: Int64 = 1_767_225_600_000
    /// 2026-07-01T00:00:00Z, exclusive: histories that begin before it may go on after it.
    public static let end: Int64 = 1_782_864_000_000
    /// Milliseconds of a day of 24 hours.
    package static let day: Int64 = 86_400_000

    /// One invented customer.
    package struct Customer: Sendable {
        /// The id, which events may spell in capitals where it is a UUID.
        package let name: String
        /// Where the customer lives.
        package let environment: Environment
        var times: [Int64] = []
        var usages: [(key: String, ref: String?)] = []
        var profiles: [String] = []
        var transactions: [String] = []
        var reservations: [(id: String, key: String)] = []
        var grants: [String] = []

        /// A customer who did nothing yet.
        package init(name: String, environment: Environment) {
            self.name = name
            self.environment = environment
        }
    }

    /// Starts a generator.
    /// - Parameters:
    ///   - seed: Equal seeds and catalogs give equal histories, on every machine.
    ///   - catalog: What is bought, used and given is what this one sells, meters and grants, with some that it does
    ///     not.
    public init(seed: UInt64, catalog: Catalog) {
        random = SplitMix64(seed: seed)
        self.catalog = catalog
    }

    /// Invents a history of some customers; a second call goes on with other customers and keys.
    /// - Parameters:
    ///   - subjects: How many customers, at least 1.
    ///   - events: How many drafts, at least as many as customers.
    /// - Returns: Ascending by `occurredAt`; the tests shuffle.
    public mutating func stream(subjects: Int, events: Int) -> [EventDraft] {
        precondition(subjects > 0 && events >= subjects, "Every customer needs an event.")
        drafts = []
        let generation = next()
        customers = (0..<subjects).map { index in
            Customer(
                // Every fifth one is a UUID, written in capitals or in small letters.
                name: index % 5 == 2 ? uuid() : "u_\(generation)_\(index)",
                environment: index % 4 == 3 ? .sandbox : .production)
        }
        for index in customers.indices { arrive(index) }
        while drafts.count < events { act(Int.random(in: customers.indices, using: &random)) }
        // Stable: drafts of one millisecond stay in the order in which they were invented.
        let sorted = drafts.enumerated().sorted {
            ($0.element.occurredAt ?? 0, $0.offset) < ($1.element.occurredAt ?? 0, $1.offset)
        }
        return sorted.prefix(events).map(\.element)
    }

    private mutating func act(_ index: Int) {
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<20: use(index)
        case 20..<27: reserve(index)
        case 27..<33: changeGauge(index)
        case 33..<39: changeProfile(index)
        case 39..<53: buy(index)
        case 53..<57: assign(index)
        case 57..<63: grant(index)
        case 63..<66: reset(index)
        case 66..<69: travel(index)
        case 69..<72: alias(index)
        case 72..<75: transfer(index)
        case 75..<79: pretend(index)
        case 79..<86: correct()
        case 86..<97: surprise(index)
        case 97..<98: invent(index)
        default: look(index)
        }
    }

    /// A number that was never given before, from 1 on.
    package mutating func next() -> Int64 {
        counter += 1
        return counter
    }

    /// Whether a throw of the dice is below so many percent; 0 is never, 100 always.
    package mutating func chance(_ percent: Int) -> Bool {
        Int.random(in: 0..<100, using: &random) < percent
    }

    /// Any of the elements, each as likely; `nil`: there are none.
    package mutating func pick<Element>(_ elements: [Element]) -> Element? {
        elements.randomElement(using: &random)
    }

    /// A number of the range, each as likely.
    package mutating func number(_ range: ClosedRange<Int64>) -> Int64 {
        Int64.random(in: range, using: &random)
    }

    /// The meters that count units.
    var counters: [Meter] { catalog.meters.filter { $0.kind == .counter } }

    /// The customers of the same environment, itself among them.
    func neighbours(of index: Int) -> [Customer] {
        customers.filter { $0.environment == customers[index].environment }
    }

    /// A time of the customer's half year; one in six was used before (E12), some stand where a month turns.
    mutating func moment(_ index: Int) -> Int64 {
        if chance(16), let known = pick(customers[index].times) { return known }
        if chance(8) {
            let months = CivilDuration(months: Int(number(1...5)))
            return ZoneTable.utc.adding(months, to: Self.start) + number(-1...1)
        }
        let time = number(Self.start...Self.end - 1)
        customers[index].times.append(time)
        return time
    }

    private mutating func uuid() -> String {
        UUIDText.format((random.next() & ~0xF000 | 0x4000, random.next() >> 2 | 1 << 63))
    }

    /// A customer's id, as one app or another writes it.
    mutating func spelled(_ name: String) -> String {
        guard let (lower, upper) = UUIDText.spellings(of: name) else { return name }
        return chance(30) ? upper : lower
    }

    /// Writes down an event of a customer, unchecked.
    /// - Parameters:
    ///   - index: The customer's place in `customers`.
    ///   - time: When it happened, in milliseconds since 1970 UTC.
    ///   - isNamed: Whether the event names the customer.
    /// - Returns: Its key.
    @discardableResult
    package mutating func add(
        _ type: EventTypeName, _ index: Int, at time: Int64, _ fields: JSONObject, version: Int = 1,
        profile: String? = nil, source: String = "native", key: String? = nil,
        trust: Trust = .imported,
        signedAt: Int64? = nil, isNamed: Bool = true
    ) -> String {
        let key = key ?? "k\(next())"
        drafts.append(
            EventDraft(
                type: type, version: version, environment: customers[index].environment,
                subject: isNamed ? spelled(customers[index].name) : nil, profile: profile,
                occurredAt: time,
                sequence: source == "ledger" ? next() : nil,
                source: EventSource(kind: source, key: key, signedAt: signedAt), trust: trust,
                data: fields))
        return key
    }
}
