/// What one source gives of one meter (rules 8 and 15).
///
/// Of an entitlement the catalog says it in `limitsWith`, for that entitlement and this meter; what it says there is
/// meant. Where it says nothing, an entitlement that opens a feature opens the meter that counts the feature: the quota
/// stands for those to whom nothing opens it.
struct MeterShare {
    /// Whether nothing is counted against it: an unlimited source burns nothing.
    private(set) var isUnlimited = false
    /// The entitlement that makes it unlimited; `nil`: something else does, or nothing.
    private(set) var entitlement: String?
    /// The most generous limit with a number; `nil`: there is none.
    private(set) var number: Int64?

    init(of source: Source, in meter: Meter, _ catalog: Catalog) {
        let features = catalog.features.filter { catalog.isCounted($0, on: meter) }
        for name in source.entitlements {
            let rules = meter.limitsWith.filter { $0.entitlement == name }
            for limit in rules.compactMap(\.limit) { number = max(number ?? limit, limit) }
            let opens = catalog.entitlement(name).map { entitlement in
                features.contains { entitlement.opens($0.name) }
            }
            let isOpen =
                rules.isEmpty ? opens == true : rules.contains { $0.limit == nil }
            if isOpen, !isUnlimited {
                isUnlimited = true
                entitlement = name
            }
        }
        // A grant of the meter, under any of its names, or of a feature that it counts.
        let isGiven = source.features.contains { name in
            name == "meter:\(meter.name)" || catalog.meter(named: name)?.name == meter.name
                || features.contains { $0.name == name }
        }
        if isGiven { isUnlimited = true }
    }
}

extension Catalog {
    /// Whether a meter counts the uses of a feature, or its preview uses.
    func isCounted(_ feature: Feature, on meter: Meter) -> Bool {
        if feature.meter == meter.name { return true }
        return feature.meter == nil && feature.previewUses > 0
            && meter.name == CatalogStructure.previewPrefix + feature.name
    }
}
