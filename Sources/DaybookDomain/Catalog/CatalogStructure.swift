/// The part of a catalog that folds read: which names count how, and which products are of which
/// kind.
///
/// Structure only grows (rule 8). Published names keep their kind, period and group, so a new
/// catalog never changes what has been folded already, and no snapshot becomes invalid by it.
public struct CatalogStructure: Sendable, Equatable {
    /// How a meter counts.
    public struct MeterShape: Sendable, Equatable {
        /// Whether it counts uses, things or days.
        public var kind: Meter.Kind
        /// When a counter starts anew.
        public var period: Meter.Period
        /// The kind of profile that a gauge counts.
        public var countsProfiles: String?
    }

    /// What a product is to the store.
    public struct ProductShape: Sendable, Equatable {
        /// How it is sold.
        public var kind: Product.Kind
        /// The subscription group, for subscriptions.
        public var group: String?
    }

    /// Meters that begin with this count the preview uses of a feature.
    public static let previewPrefix = "preview."

    /// By meter name.
    public var meters: [String: MeterShape] = [:]
    /// By store id.
    public var products: [String: ProductShape] = [:]
    /// The kind of profile that each free period belongs to, by the period's name.
    public var freePeriods: [String: String] = [:]
    /// The app's own event names: what was recorded under one meant this.
    public var eventNames: [String: EventName] = [:]

    /// Takes the structure out of a catalog.
    public init(_ catalog: Catalog) {
        for meter in catalog.meters {
            meters[meter.name] = MeterShape(
                kind: meter.kind, period: meter.period, countsProfiles: meter.countsProfiles)
        }
        for product in catalog.products {
            products[product.id] = ProductShape(kind: product.kind, group: product.group)
        }
        for period in catalog.freePeriods {
            freePeriods[period.name] = period.profileKind
        }
        for name in catalog.eventNames { eventNames[name.name] = name }
    }

    /// The gauges that count profiles of a kind, sorted by name.
    public func gauges(countingProfiles kind: String) -> [String] {
        meters.filter { $0.value.countsProfiles == kind }.map(\.key).sorted()
    }

    /// How a meter counts, also for `preview.<feature>`, which is always a counter for a lifetime.
    public func meter(_ name: String) -> MeterShape? {
        if let shape = meters[name] { return shape }
        guard name.hasPrefix(Self.previewPrefix) else { return nil }
        return MeterShape(kind: .counter, period: .lifetime, countsProfiles: nil)
    }

    /// What keeps a newer catalog from being published after this one.
    ///
    /// Adding names is fine. A published meter, product or event name may neither change nor disappear: its
    /// events are in the ledger for ever. A free period may disappear, but not change the profiles
    /// that it is for.
    /// - Parameter allowsMissing: Whether a name may be absent, as after a rollback behind it.
    /// - Returns: One sentence with its remedy for each conflict, sorted by kind and name; empty
    ///   when there is none.
    public func conflicts(
        with newer: CatalogStructure, allowsMissing: Bool = false
    ) -> [String] {
        conflicts("meter", \.meters, newer, allowsMissing) { old, new in
            [
                ("kind", old.kind != new.kind, old.kind.rawValue, new.kind.rawValue),
                ("period", old.period != new.period, old.period.text, new.period.text),
                (
                    "profile kind", old.countsProfiles != new.countsProfiles, old.countsProfiles,
                    new.countsProfiles
                ),
            ]
        }
            + conflicts("product", \.products, newer, allowsMissing) { old, new in
                [
                    ("kind", old.kind != new.kind, old.kind.rawValue, new.kind.rawValue),
                    ("group", old.group != new.group, old.group, new.group),
                ]
            }
            + conflicts("free period", \.freePeriods, newer, true) { old, new in
                [("profile kind", old != new, old, new)]
            } + eventNameConflicts(newer, allowsMissing)
    }

    private typealias Change = (field: String, isMade: Bool, old: String?, new: String?)

    private func conflicts<Shape>(
        _ kind: String, _ shapes: KeyPath<CatalogStructure, [String: Shape]>,
        _ newer: CatalogStructure, _ allowsMissing: Bool, _ changes: (Shape, Shape) -> [Change]
    ) -> [String] {
        self[keyPath: shapes].sorted { $0.key < $1.key }.flatMap { name, old -> [String] in
            guard let new = newer[keyPath: shapes][name] else {
                return allowsMissing ? [] : [Self.removed(kind, name)]
            }
            return changes(old, new).filter(\.isMade).map {
                Self.changed(kind, name, $0.field, $0.old, $0.new)
            }
        }
    }

    private func eventNameConflicts(
        _ newer: CatalogStructure, _ allowsMissing: Bool
    ) -> [String] {
        eventNames.sorted { $0.key < $1.key }.compactMap { name, old in
            guard let new = newer.eventNames[name] else {
                return allowsMissing ? nil : Self.removed("event name", name)
            }
            guard new != old else { return nil }
            return
                "The event name `\(name)` has been published with another meaning; keep it as it "
                + "was and add a new name, because what was recorded under it stays what it is."
        }
    }

    private static func removed(_ kind: String, _ name: String) -> String {
        "The \(kind) `\(name)` has been published and is missing now; "
            + "keep it, because its events stay in the ledger."
    }

    private static func changed(
        _ kind: String, _ name: String, _ field: String, _ old: String?, _ new: String?
    ) -> String {
        "The \(kind) `\(name)` has been published with the \(field) \(old ?? "none") and has "
            + "\(new ?? "none") now; keep it and add a new name for the other \(field)."
    }
}
