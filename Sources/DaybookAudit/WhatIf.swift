public import Daybook
public import DaybookDomain
public import DaybookEvents

/// Other circumstances under which a ledger is replayed: other rules, events left out, events put in.
public struct WhatIf: Sendable {
    /// An event by its name; a position names one only within its ledger.
    public struct Target: Sendable, Hashable {
        /// The kind of its source.
        public var source: String
        /// Its key, which is unique within the source and the environment.
        public var key: String
        /// The environment of the event.
        public var environment: Environment

        /// Creates a target; whether there is such an event is checked by the replay.
        public init(source: String, key: String, environment: Environment) {
            self.source = source
            self.key = key
            self.environment = environment
        }
    }

    /// The document of a catalog that applies to all customers instead of those published; `nil`: these stay.
    public var catalog: [UInt8]?
    /// From when on it applies, milliseconds since 1970 UTC; before, what was published stays. `nil`: from the
    /// beginning.
    public var effectiveAt: Int64?
    /// Events that are treated as void.
    public var drops: [Target]
    /// Events that are treated as if they were recorded at the end of the cut.
    public var inserts: [EventDraft]
    /// Line numbers of `inserts` in their file; may be empty.
    public var insertLines: [Int]

    /// Creates circumstances; they are checked by the replay. Without arguments nothing is different.
    public init(
        catalog: [UInt8]? = nil, effectiveAt: Int64? = nil, drops: [Target] = [],
        inserts: [EventDraft] = [], insertLines: [Int] = []
    ) {
        self.catalog = catalog
        self.effectiveAt = effectiveAt
        self.drops = drops
        self.inserts = inserts
        self.insertLines = insertLines
    }

    /// Whether nothing is different; `effectiveAt` alone makes no difference.
    public var isEmpty: Bool { catalog == nil && drops.isEmpty && inserts.isEmpty }
}

/// What would be different, and for whom.
public struct WhatIfReport: Sendable, Equatable {
    /// For how many customers a feature opens or closes.
    public struct FeatureShift: Sendable, Equatable {
        /// The feature's name.
        public var name: String
        /// Customers for whom it opens, for themselves or for any profile.
        public var gained = 0
        /// Customers for whom it closes.
        public var lost = 0
    }

    /// For how many customers a meter changes, and by how much.
    public struct MeterShift: Sendable, Equatable {
        /// The meter's name.
        public var name: String
        /// Customers who had something left and have nothing any more.
        public var reached = 0
        /// Customers who had nothing left and have something.
        public var freed = 0
        /// Customers whose limit is another.
        public var limitChanged = 0
        /// Units used beyond the limit, of the customers with a difference.
        public var overageBefore: Int64 = 0
        /// The same under the other circumstances.
        public var overageAfter: Int64 = 0
    }

    /// What the customers with a difference paid, in thousandths.
    public struct RevenueShift: Sendable, Equatable {
        /// The currency that `before` and `after` are thousandths of.
        public var currency: String
        /// What they paid as the ledger has it.
        public var before: Int64
        /// What they would have paid under the other circumstances.
        public var after: Int64
    }

    /// One customer with a difference.
    public struct Customer: Sendable, Equatable {
        /// The name under which the person is shown.
        public var subject: String
        /// What is different about their features and meters.
        public var difference: OutcomeDifference
        /// What the customer paid as the ledger has it, less refunds.
        public var paidBefore: PaidMoney
        /// The same under the other circumstances.
        public var paidAfter: PaidMoney
    }

    /// The environment that was replayed.
    public var environment: Environment
    /// The cut that both cases were made from.
    public var asOf: AsOf
    /// People who were looked at.
    public var customers: Int
    /// Those with a difference.
    public var changed: Int
    /// In the order of names; those without a shift are left out.
    public var features: [FeatureShift]
    /// In the order of names; those without a shift are left out.
    public var meters: [MeterShift]
    /// Each currency in which customers with a difference paid, ascending; also where the sum stays the same.
    public var revenue: [RevenueShift]
    /// Those with the most differences to their disadvantage first.
    public var top: [Customer]
    /// Why the catalog could not be published as it is; it is replayed all the same.
    public var conflicts: [String]
}

/// What one worker has found.
struct WhatIfSum: Sendable {
    private let topCountMax: Int
    private var comparer = OutcomeComparer()
    private(set) var customers = 0
    private(set) var changed = 0
    private var features: [String: WhatIfReport.FeatureShift] = [:]
    private var meters: [String: WhatIfReport.MeterShift] = [:]
    private var paidBefore = PaidMoney()
    private var paidAfter = PaidMoney()
    private var top: [WhatIfReport.Customer] = []

    /// - Parameter topCountMax: How many customers are kept by name.
    init(topCountMax: Int) { self.topCountMax = topCountMax }

    /// - Parameters:
    ///   - counting: Whether the units and the money of either case are added up: one person may become two, and two
    ///     one.
    ///   - paid: What the customer paid, before and after; asked only where there is a difference, or where payments
    ///     themselves may be others.
    mutating func take(
        _ before: CustomerCase, _ after: CustomerCase, comparesMoney: Bool = false,
        counting: (before: Bool, after: Bool) = (true, true),
        paid: () throws -> (before: PaidMoney, after: PaidMoney)
    ) rethrows {
        customers += 1
        let difference = comparer.difference(before, after)
        guard comparesMoney || !difference.isEmpty else { return }
        let paid = try paid()
        guard !difference.isEmpty || paid.before != paid.after else { return }
        changed += 1
        for name in difference.gained {
            features[name, default: .init(name: name)].gained += 1
        }
        for name in difference.lost { features[name, default: .init(name: name)].lost += 1 }
        for meter in difference.meters { note(meter, counting) }
        if counting.before { paidBefore.add(paid.before) }
        if counting.after { paidAfter.add(paid.after) }
        keep(
            WhatIfReport.Customer(
                subject: after.subject, difference: difference, paidBefore: paid.before,
                paidAfter: paid.after))
    }

    private mutating func note(
        _ meter: OutcomeDifference.Meter, _ counting: (before: Bool, after: Bool)
    ) {
        var shift = meters[meter.name] ?? .init(name: meter.name)
        if meter.isReached { shift.reached += 1 }
        if meter.isFreed { shift.freed += 1 }
        if meter.before?.limit != meter.after?.limit { shift.limitChanged += 1 }
        let before = counting.before ? meter.before?.overage ?? 0 : 0
        let after = counting.after ? meter.after?.overage ?? 0 : 0
        shift.overageBefore = shift.overageBefore.addingSaturated(before)
        shift.overageAfter = shift.overageAfter.addingSaturated(after)
        meters[meter.name] = shift
    }

    private mutating func keep(_ customer: WhatIfReport.Customer) {
        if top.count == topCountMax, let last = top.last, !Self.isBefore(customer, last) { return }
        let place = top.sortedPrefixCount { Self.isBefore($0, customer) }
        top.insert(customer, at: place)
        if top.count > topCountMax { top.removeLast() }
    }

    /// The customers who lose most first, then those who gain most, then by name.
    private static func isBefore(
        _ left: WhatIfReport.Customer, _ right: WhatIfReport.Customer
    ) -> Bool {
        let (one, other) = (left.difference, right.difference)
        if one.harm != other.harm { return one.harm > other.harm }
        if one.good != other.good { return one.good > other.good }
        return precedesInBytes(left.subject, right.subject)
    }

    mutating func add(_ other: WhatIfSum) {
        customers += other.customers
        changed += other.changed
        for (name, shift) in other.features {
            features[name, default: .init(name: name)].gained += shift.gained
            features[name, default: .init(name: name)].lost += shift.lost
        }
        for (name, shift) in other.meters {
            var sum = meters[name] ?? .init(name: name)
            sum.reached += shift.reached
            sum.freed += shift.freed
            sum.limitChanged += shift.limitChanged
            sum.overageBefore = sum.overageBefore.addingSaturated(shift.overageBefore)
            sum.overageAfter = sum.overageAfter.addingSaturated(shift.overageAfter)
            meters[name] = sum
        }
        paidBefore.add(other.paidBefore)
        paidAfter.add(other.paidAfter)
        for customer in other.top { keep(customer) }
    }

    func report(
        _ environment: Environment, _ asOf: AsOf, conflicts: [String]
    ) -> WhatIfReport {
        let currencies = Set(paidBefore.amounts.keys).union(paidAfter.amounts.keys).sorted()
        return WhatIfReport(
            environment: environment, asOf: asOf, customers: customers, changed: changed,
            features: features.values.sorted { precedesInBytes($0.name, $1.name) },
            meters: meters.values.sorted { precedesInBytes($0.name, $1.name) },
            revenue: currencies.map {
                WhatIfReport.RevenueShift(
                    currency: $0, before: paidBefore.amounts[$0] ?? 0,
                    after: paidAfter.amounts[$0] ?? 0)
            }, top: top, conflicts: conflicts)
    }
}

extension OutcomeDifference {
    /// Features lost, limits reached and units beyond them.
    fileprivate var harm: Int64 {
        let units = meters.reduce(Int64(0)) {
            $0.addingSaturated(max(0, ($1.after?.overage ?? 0) - ($1.before?.overage ?? 0)))
        }
        return Int64(lost.count + meters.count(where: \.isReached)).addingSaturated(units)
    }

    /// Features gained and limits lifted.
    fileprivate var good: Int { gained.count + meters.count(where: \.isFreed) }
}
