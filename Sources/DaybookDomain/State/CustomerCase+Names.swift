public import DaybookEvents

extension CustomerCase {
    /// The text of a reference, where it is short, a UUID, or was looked up (`texts`).
    func name(of reference: Reference) -> String? { reference.text ?? texts[reference] }

    /// The text of a reference, else its digest: where something must stand for it.
    func text(of reference: Reference) -> String {
        name(of: reference)
            ?? String(reference.high, radix: 16) + String(reference.low, radix: 16)
    }

    /// What an answer may show by name, but only the row knows the text of: what stands on gauges, and grants.
    ///
    /// Whoever gathers the case looks the texts up and gives them in `texts`; without its text a thing on a gauge is
    /// counted and not listed, because nobody could tell what a digest means.
    public var namesToLookUp: Set<Reference> {
        var found = Set(state.customer.grants.map(\.id).filter { $0.text == nil })
        var isGauge: [NameID: Bool] = [:]
        for entry in state.usage.entries where entry.reference.text == nil {
            let known =
                isGauge[entry.meter] ?? (catalogs.meter(named: names[entry.meter])?.kind == .gauge)
            isGauge[entry.meter] = known
            if known { found.insert(entry.reference) }
        }
        return found.subtracting(texts.keys)
    }
}
